"""Verify: data against a contract, changing nothing."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.actions.find import find_contract, use_contract
from floe.actions.find_table import Way, find_target, ways_to
from floe.actions.offline import store_or_offline
from floe.actions.record import of_test
from floe.actions.references import reference_targets
from floe.actions.salt import salt_of
from floe.actions.settings import load_settings
from floe.actions.tell_run import record_and_tell
from floe.actions.verify_rest import Case, judge_rest
from floe.data.budget import budgets
from floe.data.drift import drift
from floe.data.judge.newest import AHEAD, by_bounds
from floe.data.plan import plan as make_plan
from floe.data.plan.schema import columns, differences, path_of, schema_outcomes
from floe.data.plan.searches import searched
from floe.data.prove import apart, bounds_of, null_counts, prove, row_count
from floe.data.tables import TableFacts, probe
from floe.model import Contract, Dataset, EngineError, Severity, TableError
from floe.model.age import aged, spoken
from floe.model.clock import stamp, utc_now
from floe.model.outcome import unmeasured
from floe.model.plan import Aids, Expectation, Plan, Scope
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.model.secret import covered, uncovered
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct
from floe.tell.sinks.trace import facts_of, span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floe.registry import Store

COSTS = ("queries", "jobs", "scans", "files", "files_read", "bytes_read")
Progress = Callable[[str], None]
Asked = Callable[[Expectation], bool]


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """One result per dataset, worst first."""

    results: tuple[Result, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        outcomes = [result.outcome for result in self.results]
        counts = {word: outcomes.count(word) for word in (PASS, FAIL, NOT_EVALUATED)}
        return {
            "results": [result.to_dict() for result in self.results],
            "summary": {"datasets": len(outcomes), **counts},
        }


def verify(
    data: "DataFrame | str", contract: str | Path | Contract, settings: Settings | None = None, *, full: bool = False
) -> Result:
    """Whether a DataFrame, or a table named by catalog name or path, keeps a contract of one dataset; `full` forgets earlier runs."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    if isinstance(data, str):
        return _recorded(found, dataset, Way(table=data, full=full), settings)
    return verify_frame(data, found, dataset, settings)


def verify_frame(
    data: "DataFrame", contract: Contract, dataset: Dataset, settings: Settings, asked: Asked = lambda _: True
) -> Result:
    """Whether a frame keeps what one dataset promises; not recorded, as it is no table."""
    from floe.data.spark.scan import scan_rows
    from floe.data.spark.schema import struct_of

    plan = _plan(contract, dataset, settings, asked)
    started = time.monotonic()
    schema, rest = judge_schema(plan, struct_of(data.schema), "frame")
    store = store_or_offline(settings)
    rows, outcomes, cost = scan_rows(data, rest, _aids(plan, contract, Way(), settings, store))
    result = result_of(plan, (*schema, *outcomes), rows, None, {**cost, **_since(started)})
    return replace(result, owner=contract.owner or None, support=_support(contract))


def _plan(contract: Contract, dataset: Dataset, settings: Settings, asked: Asked) -> Plan:
    plan = make_plan(contract, dataset, settings["classifications"])
    return replace(plan, expectations=tuple(filter(asked, plan.expectations)))


def verify_tables(
    contracts: Sequence[str | Path | Contract],
    way: Way,
    settings: Settings,
    progress: Progress = lambda _: None,
    *,
    tables: Sequence[str] = (),
) -> VerifyResult:
    """Every dataset of the contracts on its table: by metadata where that proves it, by one scan where not.

    `tables` says where they are, as TABLE for the only dataset or as DATASET=TABLE.
    """
    found = [use_contract(name, settings) for name in contracts]
    asked = [(contract, dataset) for contract in found for dataset in contract.datasets]
    ways = ways_to(way, [dataset for _, dataset in asked], tables)
    results = []
    for number, ((contract, dataset), to) in enumerate(zip(asked, ways, strict=True), 1):
        tell = _naming(f"{dataset.name} ({number} of {len(asked)})", progress)
        results.append(_recorded(contract, dataset, to, settings, tell))
    return VerifyResult(tuple(sorted(results, key=_badness)))


def _naming(what: str, progress: Progress) -> Progress:
    return lambda phase: progress(f"{what}: {phase}")


def _badness(result: Result) -> tuple[int, int]:
    worst = max((one.severity for one in result.failed), default=Severity.INFO)
    return (FAIL, NOT_EVALUATED, PASS).index(result.outcome), -worst


def _recorded(
    contract: Contract, dataset: Dataset, way: Way, settings: Settings, progress: Progress = lambda _: None
) -> Result:
    started, run_id = utc_now(), uuid.uuid4().hex
    with span(settings, "floe.test", run_id=run_id, dataset=dataset.name) as say:
        result = verify_some(contract, dataset, way, settings, progress=progress)
        say(**facts_of(result))
    store = store_or_offline(settings)
    table_id = contract.table_id(dataset) or dataset.name
    entry = of_test(result, run_id, table_id, settings.actor)
    note = record_and_tell(settings, store, entry, result, started=started)
    if note and _Past(store, table_id).unknown:
        note += "; whether the table was replaced since it was last judged is not known"
    if note:
        settings.say(note)
    return result


def verify_some(  # noqa: PLR0913  (what is held to what, and who asks)
    contract: Contract,
    dataset: Dataset,
    way: Way,
    settings: Settings,
    asked: Asked = lambda _: True,
    progress: Progress = lambda _: None,
    *,
    store: "Store | None" = None,
) -> Result:
    """What came of the expectations that are asked for, and of the schema, on a dataset's table; not recorded."""
    store = store or store_or_offline(settings)
    table_id = contract.table_id(dataset) or dataset.name
    plan = _plan(contract, dataset, settings, asked)
    started, target = time.monotonic(), None
    try:
        target = find_target(settings, contract, dataset, way, store.table(table_id))
        aids = _aids(plan, contract, way, settings, store)
        progress("reading metadata")
        result = _on_table(plan, target, settings, aids, _Past(store, table_id), progress)
    except (TableError, EngineError) as error:
        unknown = [unmeasured(expectation, error.message) for expectation in plan.expectations]
        result = result_of(plan, (_unseen(plan, error.message), *unknown), None, None, _since(started))
    scope = way.scope.said if way.scope else None
    owner, support, at = contract.owner or None, _support(contract), stamp(settings.clock())
    return replace(result, checked_at=at, scope=scope, owner=owner, support=support, target=target)


def _unseen(plan: Plan, cause: str) -> Outcome:
    """The schema of a table that was not reached: a contract without rules is not kept by a table that is not there."""
    (schema,) = schema_outcomes(plan.dataset, [], "silver", "table")
    said = "Columns and types of the table were not evaluated"
    return replace(schema, code="E580", outcome=NOT_EVALUATED, message=said, cause=cause, how=None, violations=None)


def probe_table(target: Target, settings: Settings) -> None:
    """Read a table's metadata and one row of it; TableError where that cannot be done, EngineError where nobody can tell."""
    from floe.data.spark import scan

    seen = look(target, settings)
    scan.first_row(_pinned(target, seen, settings), seen.snapshot, settings)


def _support(contract: Contract) -> tuple[str, ...]:
    """Where to ask, as the contract says it."""
    listed = contract.node.get("support")
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    said = [[str(one[key]) for key in ("channel", "tool", "url") if one.get(key)] for one in entries]
    return tuple(" ".join(words) for words in said if words)


@dataclass(frozen=True, slots=True)
class _Past:
    """What earlier runs on a table say."""

    store: "Store"
    table_id: str

    def uid(self, location: str) -> str | None:
        """The identity of the table at a place when it was last judged; None where nobody knows."""
        if self.unknown:
            return None
        for said in self.store.seen(self.table_id, ("test", "monitor")):
            if said.get("location") == covered(location) and said.get("table_uid"):
                return uncovered(str(said["table_uid"]))
        return None

    @property
    def unknown(self) -> bool:
        """Whether the registry cannot be asked."""
        from floe.registry.offline import Offline

        return isinstance(self.store, Offline)

    def spent(self, within: int) -> float | None:
        """How many seconds runs took, of the last ones; None where nobody knows."""
        if self.unknown:
            return None
        since = stamp(utc_now() - timedelta(seconds=within))
        return self.store.seconds_since(self.table_id, since)


def _on_table(plan: Plan, target: Target, settings: Settings, aids: Aids, past: _Past, progress: Progress) -> Result:
    started = time.monotonic()
    seen = look(target, settings)
    assert seen.schema
    found, rest = judge_schema(plan, seen.schema, "table")
    found += drift(plan, seen, past.uid(seen.location))
    files = None if aids.scope else seen.files  # statistics are about whole files, not about a part of the rows
    proved = [] if files is None else prove(rest.expectations, files)
    proved += [outcome for one in rest.expectations if (outcome := by_bounds(one, files, aids.now))]
    proved += [*_by_commit(rest, seen.committed, aids.now), *budgets(rest.expectations, seen.files, past.spent)]
    proved += _unasked(rest, {outcome.id for outcome in proved}, aids.scope)
    decided = {outcome.id for outcome in proved}
    left = replace(rest, expectations=tuple(one for one in rest.expectations if one.id not in decided))
    rows = None if files is None else row_count(files)
    cost: dict[str, Any] = dict.fromkeys(COSTS, 0)
    read: dict[str, Any] | None = None
    if left.expectations:
        from floe.data.tables.common import common_values

        progress(f"reading rows for {len(left.expectations)} promises")
        keys = {name for one in left.expectations for name in one.keys}
        known = aids._replace(
            rows=None if _filtered_wrongly(left, seen) else rows,
            bounds=bounds_of(files or ()),
            apart=apart(files or (), keys),
            common=common_values(target.format, seen, searched(left.expectations, left.masked)),
        )
        case = Case(left, target, _pinned(target, seen, settings), seen, files, known, settings, past.store)
        judged = judge_rest(case)
        rows = rows if judged.rows is None else judged.rows
        proved += judged.outcomes
        cost, read = judged.cost, judged.read
    by_id = {outcome.id: outcome for outcome in proved}
    ordered = [by_id[expectation.id] for expectation in rest.expectations]
    cost = {**cost, "files": None if seen.files is None else len(seen.files), **_since(started)}
    result = result_of(plan, (*found, *ordered), rows, seen.snapshot, cost)
    nulls = None if files is None else null_counts(files)
    committed = None if seen.committed is None else stamp(datetime.fromtimestamp(seen.committed, UTC))
    return replace(
        result,
        location=covered(seen.location),
        table_uid=covered(seen.uid),
        schema=seen.schema,
        nulls=nulls,
        committed_at=committed,
        read=read,
    )


def _filtered_wrongly(plan: Plan, seen: TableFacts) -> bool:
    """Whether a filter for bad rows could skip files of them by wrong statistics: then all rows are counted."""
    asked = [one for one in plan.expectations if one.sql]
    return bool(seen.loose) and any(not one.columns or seen.loose & set(one.columns) for one in asked)


def _pinned(target: Target, seen: TableFacts, settings: Settings) -> Target:
    """The table as Spark reaches it: an Iceberg table by its metadata file where Spark has no way to its catalog."""
    catalog = settings["catalogs"].get((target.name or "").split(".")[0]) or {}
    foreign = catalog.get("type") == "sql" and not str(catalog.get("uri", "")).startswith("sqlite")
    if target.format == "iceberg" and (foreign or not target.name):
        return Target("iceberg", path=seen.metadata)
    return target


def _aids(plan: Plan, contract: Contract, way: Way, settings: Settings, store: "Store") -> Aids:
    return Aids(
        salt_of(settings.root),
        reference_targets(plan, contract, way.references, settings, store),
        int(settings.clock().timestamp()),
        way.scope,
        full=way.full,
    )


def look(target: Target, settings: Settings) -> TableFacts:
    """A table's schema, snapshot and statistics: from its log, else from Spark."""
    if target.format != "delta" or target.path:
        facts = probe(target, settings)
    else:
        from floe.data.spark import scan

        seen = scan.look(target, settings)
        facts = TableFacts(str(target), seen[1], str(target), (), schema=seen[0]) if seen else None
    if facts is None:
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    return facts


def judge_schema(plan: Plan, actual: Struct, what: str) -> tuple[list[Outcome], Plan]:
    """The schema's outcomes, and the plan without what it makes impossible to judge."""
    found = list(differences(plan.schema, actual))
    outcomes = [_as_drift(outcome) for outcome in schema_outcomes(plan.dataset, found, "silver", what)]
    wrong = tuple(difference.path for difference in found if difference.code != "E532")
    lacking = {member.name for member in plan.schema.members if wrong and _below(path_of(member.name), wrong)}
    names = columns(plan.schema, actual, exact=False)
    lacking |= {member.name for member in plan.schema.members if names.get(member.name) != member.name}
    unknown = [
        unmeasured(one, "its column is missing or of another type")
        for one in plan.expectations
        if lacking & set(one.columns)
    ]
    rest = tuple(one for one in plan.expectations if not lacking & set(one.columns))
    return [*outcomes, *unknown], replace(plan, expectations=rest)


def _below(path: str, paths: tuple[str, ...]) -> bool:
    """Whether one of the paths is a column's, or that of a part of it."""
    return any(one == path or one.startswith((f"{path}.", f"{path}[", f"{path}{{")) for one in paths)


def _as_drift(outcome: Outcome) -> Outcome:
    """A column the contract does not name is no fault of a table that is only looked at."""
    return replace(outcome, severity=Severity.INFO) if outcome.code == "E532" else outcome


def _by_commit(plan: Plan, committed: int | None, now: int) -> list[Outcome]:
    """What the time of the last commit decides; one that is dated in the future has no age, and may be of any."""
    asked = [one for one in plan.expectations if one.age and one.age.kind == "commit"]
    if committed is None:
        return []
    if committed > now + AHEAD:
        at = stamp(datetime.fromtimestamp(committed, UTC))
        said = f"the last commit is dated {at}, {spoken(committed - now)} ahead of this clock (clock skew)"
        return [replace(unmeasured(one, said), age=now - committed) for one in asked]
    return [aged(one, now - committed, "metadata") for one in asked]


def _unasked(plan: Plan, decided: set[str], scope: Scope | None) -> list[Outcome]:
    """What rows, or a part of them, cannot answer: watched over time by others, or not evaluated."""
    found = []
    for one in plan.expectations:
        if one.id in decided:
            continue
        if not one.measurable and one.watched:
            found.append(replace(unmeasured(one, one.watched), outcome=NOT_GATED, message=one.watched))
        elif not one.measurable:
            found.append(unmeasured(one, "the time of the last commit is not known here"))
        elif scope and not _of_single_rows(one):
            found.append(unmeasured(one, f"it is about the whole table, and only a part was read ({scope.said})"))
    return found


def _of_single_rows(one: Expectation) -> bool:
    """Whether each row breaks it or not, whatever other rows there are."""
    return bool(one.sql or one.target) and dict(one.operators) == {"mustBe": 0}


def result_of(
    plan: Plan,
    outcomes: tuple[Outcome, ...],
    rows: int | None = None,
    snapshot: str | None = None,
    cost: Mapping[str, Any] | None = None,
) -> Result:
    """What came of a plan, as of now."""
    return Result(
        contract=plan.contract,
        version=plan.version,
        dataset=plan.dataset,
        checked_at=stamp(utc_now()),
        expectations=outcomes,
        rows=rows,
        snapshot=snapshot,
        cost={key: (cost or {}).get(key) for key in (*COSTS, "seconds")},
    )


def _since(started: float) -> dict[str, float]:
    return {"seconds": round(time.monotonic() - started, 3)}
