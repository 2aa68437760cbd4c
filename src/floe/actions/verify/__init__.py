"""Verify: data against a contract, changing nothing."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import engine, registry, tables
from floe.actions.load.find import find_contract, use_contract
from floe.actions.load.settings import load_settings
from floe.actions.record import run_row_for_test
from floe.actions.record.emit import record_and_emit
from floe.actions.verify.offline import store_or_offline
from floe.actions.verify.references import reference_targets
from floe.actions.verify.salt import salt_of
from floe.engine.incremental.verify import VerifyContext, verify_incrementally
from floe.engine.metadata.age import AHEAD, by_bounds
from floe.engine.metadata.budget import budgets
from floe.engine.metadata.drift import drift
from floe.engine.metadata.proof import bounds_of, files_are_clustered, null_counts, prove, row_count
from floe.engine.metadata.schema import columns, differences, path_of, schema_outcomes
from floe.engine.plan import make_plan
from floe.engine.plan.patterns import regex_columns
from floe.events.trace import facts_of, span
from floe.lang.secret import with_variables_hidden, with_variables_revealed
from floe.model import Contract, Dataset, EngineError, Severity, TableError
from floe.model.age import age_outcome, format_duration
from floe.model.outcome import not_evaluated
from floe.model.plan import CommitAge, Expectation, ForeignKey, MonitorOnly, Plan, RowRule, RowScope, VerifyInputs
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.model.table import Target
from floe.model.types import Struct
from floe.settings import Settings
from floe.system.clock import stamp, utc_now
from floe.tables import TableFacts, probe, reader_of
from floe.tables.locate import TableSelector, find_target, select_tables

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
        return _recorded(found, dataset, TableSelector(table=data, full=full), settings)
    return verify_frame(data, found, dataset, settings)


def verify_frame(
    data: "DataFrame", contract: Contract, dataset: Dataset, settings: Settings, asked: Asked = lambda _: True
) -> Result:
    """Whether a frame keeps what one dataset promises; not recorded, as it is no table."""
    plan = _plan(contract, dataset, settings, asked)
    started = time.monotonic()
    schema, rest = judge_schema(plan, tables.spark.schema.struct_of(data.schema), "frame")
    store = store_or_offline(settings)
    rows, outcomes, cost = engine.spark.scan.scan_rows(
        data, rest, _aids(plan, contract, TableSelector(), settings, store), settings
    )
    result = result_of(plan, (*schema, *outcomes), rows, None, {**cost, **_since(started)})
    return replace(result, owner=contract.owner or None, support=_support(contract))


def _plan(contract: Contract, dataset: Dataset, settings: Settings, asked: Asked) -> Plan:
    plan = make_plan(contract, dataset, settings.classifications)
    return replace(plan, expectations=tuple(filter(asked, plan.expectations)))


def verify_tables(
    contracts: Sequence[str | Path | Contract],
    way: TableSelector,
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
    ways = select_tables(way, [dataset for _, dataset in asked], tables)
    results = []
    for number, ((contract, dataset), to) in enumerate(zip(asked, ways, strict=True), 1):
        tell = _naming(f"{dataset.name} ({number} of {len(asked)})", progress)
        results.append(_recorded(contract, dataset, to, settings, tell))
    return VerifyResult(tuple(sorted(results, key=_badness)))


def _naming(what: str, progress: Progress) -> Progress:
    return lambda phase: progress(f"{what}: {phase}")


def _badness(result: Result) -> tuple[int, int]:
    worst = max((outcome.severity for outcome in result.failed), default=Severity.INFO)
    return (FAIL, NOT_EVALUATED, PASS).index(result.outcome), -worst


def _recorded(
    contract: Contract, dataset: Dataset, way: TableSelector, settings: Settings, progress: Progress = lambda _: None
) -> Result:
    started, run_id = utc_now(), uuid.uuid4().hex
    with span(settings, "floe.test", run_id=run_id, dataset=dataset.name) as say:
        result = verify_some(contract, dataset, way, settings, progress=progress)
        say(**facts_of(result))
    store = store_or_offline(settings)
    table_id = contract.table_id(dataset) or dataset.name
    entry = run_row_for_test(result, run_id, table_id, settings.actor)
    note = record_and_emit(settings, store, entry, result, started=started)
    if note and _Past(store, table_id).unknown:
        note += "; whether the table was replaced since it was last judged is not known"
    if note:
        settings.say(note)
    return result


def verify_some(  # noqa: PLR0913  (what is held to what, and who asks)
    contract: Contract,
    dataset: Dataset,
    way: TableSelector,
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
        unknown = [not_evaluated(expectation, error.message) for expectation in plan.expectations]
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
    seen = read_metadata(target, settings)
    engine.spark.scan.first_row(reader_of(target).spark_target(target, seen, settings), seen.snapshot, settings)


def _support(contract: Contract) -> tuple[str, ...]:
    """Where to ask, as the contract says it."""
    listed = contract.node.get("support")
    entries = [value for value in listed if isinstance(value, dict)] if isinstance(listed, list) else []
    said = [[str(entry[key]) for key in ("channel", "tool", "url") if entry.get(key)] for entry in entries]
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
            if said.get("location") == with_variables_hidden(location) and said.get("table_uid"):
                return with_variables_revealed(str(said["table_uid"]))
        return None

    @property
    def unknown(self) -> bool:
        """Whether the registry cannot be asked."""
        return isinstance(self.store, registry.offline.Offline)

    def spent(self, within: int) -> float | None:
        """How many seconds runs took, of the last ones; None where nobody knows."""
        if self.unknown:
            return None
        since = stamp(utc_now() - timedelta(seconds=within))
        return self.store.seconds_since(self.table_id, since)


def _on_table(
    plan: Plan, target: Target, settings: Settings, aids: VerifyInputs, past: _Past, progress: Progress
) -> Result:
    started = time.monotonic()
    seen = read_metadata(target, settings)
    assert seen.schema
    found, rest = judge_schema(plan, seen.schema, "table")
    found += drift(plan, seen, past.uid(seen.location))
    files = None if aids.scope else seen.files  # statistics are about whole files, not about a part of the rows
    proved = [] if files is None else prove(rest.expectations, files)
    proved += [outcome for expectation in rest.expectations if (outcome := by_bounds(expectation, files, aids.now))]
    proved += [*_by_commit(rest, seen.committed, aids.now), *budgets(rest.expectations, seen.files, past.spent)]
    proved += _unasked(rest, {outcome.id for outcome in proved}, aids.scope)
    decided = {outcome.id for outcome in proved}
    left = replace(
        rest, expectations=tuple(expectation for expectation in rest.expectations if expectation.id not in decided)
    )
    rows = None if files is None else row_count(files)
    cost: dict[str, Any] = dict.fromkeys(COSTS, 0)
    read: dict[str, Any] | None = None
    if left.expectations:
        progress(f"reading rows for {len(left.expectations)} promises")
        keys = {name for expectation in left.expectations for name in expectation.key}
        known = aids._replace(
            rows=None if _filtered_wrongly(left, seen) else rows,
            loose=seen.loose,
            bounds=bounds_of(files or ()),
            apart=files_are_clustered(files or (), keys),
            common=tables.frequent_values.frequent_values(target, seen, regex_columns(left.expectations, left.masked)),
        )
        case = VerifyContext(
            left,
            target,
            reader_of(target).spark_target(target, seen, settings),
            seen,
            files,
            known,
            settings,
            past.store,
        )
        judged = verify_incrementally(case)
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
        location=with_variables_hidden(seen.location),
        table_uid=with_variables_hidden(seen.uid),
        schema=seen.schema,
        nulls=nulls,
        committed_at=committed,
        read=read,
    )


def _filtered_wrongly(plan: Plan, seen: TableFacts) -> bool:
    """Whether a filter for bad rows could skip files of them by wrong statistics: then all rows are counted."""
    asked = [expectation for expectation in plan.expectations if expectation.row_rule]
    return bool(seen.loose) and any(
        not expectation.columns or seen.loose & set(expectation.columns) for expectation in asked
    )


def _aids(plan: Plan, contract: Contract, way: TableSelector, settings: Settings, store: "Store") -> VerifyInputs:
    return VerifyInputs(
        salt_of(settings.root),
        reference_targets(plan, contract, way.references, settings, store),
        int(settings.clock().timestamp()),
        way.scope,
        full=way.full,
    )


def read_metadata(target: Target, settings: Settings) -> TableFacts:
    """A table's schema, snapshot and statistics: from its log, else from Spark."""
    if not reader_of(target).needs_spark(target):
        facts = probe(target, settings)
    else:
        seen = engine.spark.scan.read_schema(target, settings)
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
        not_evaluated(expectation, "its column is missing or of another type")
        for expectation in plan.expectations
        if lacking & set(expectation.columns)
    ]
    rest = tuple(expectation for expectation in plan.expectations if not lacking & set(expectation.columns))
    return [*outcomes, *unknown], replace(plan, expectations=rest)


def _below(path: str, paths: tuple[str, ...]) -> bool:
    """Whether one of the paths is a column's, or that of a part of it."""
    return any(name == path or name.startswith((f"{path}.", f"{path}[", f"{path}{{")) for name in paths)


def _as_drift(outcome: Outcome) -> Outcome:
    """A column the contract does not name is no fault of a table that is only looked at."""
    return replace(outcome, severity=Severity.INFO) if outcome.code == "E532" else outcome


def _by_commit(plan: Plan, committed: int | None, now: int) -> list[Outcome]:
    """What the time of the last commit decides; one that is dated in the future has no age, and may be of any."""
    asked = [expectation for expectation in plan.expectations if isinstance(expectation.check, CommitAge)]
    if committed is None:
        return []
    if committed > now + AHEAD:
        at = stamp(datetime.fromtimestamp(committed, UTC))
        said = f"the last commit is dated {at}, {format_duration(committed - now)} ahead of this clock (clock skew)"
        return [replace(not_evaluated(expectation, said), age=now - committed) for expectation in asked]
    return [age_outcome(expectation, now - committed, "metadata") for expectation in asked]


def _unasked(plan: Plan, decided: set[str], scope: RowScope | None) -> list[Outcome]:
    """What rows, or a part of them, cannot answer: watched over time by others, or not evaluated."""
    found = []
    for expectation in plan.expectations:
        if expectation.id in decided:
            continue
        if isinstance(expectation.check, MonitorOnly):
            found.append(
                replace(
                    not_evaluated(expectation, expectation.check.why), outcome=NOT_GATED, message=expectation.check.why
                )
            )
        elif not expectation.counts_rows:
            found.append(not_evaluated(expectation, "the time of the last commit is not known here"))
        elif scope and not _of_single_rows(expectation):
            found.append(
                not_evaluated(expectation, f"it is about the whole table, and only a part was read ({scope.said})")
            )
    return found


def _of_single_rows(expectation: Expectation) -> bool:
    """Whether each row breaks it or not, whatever other rows there are."""
    return isinstance(expectation.check, RowRule | ForeignKey) and dict(expectation.operators) == {"mustBe": 0}


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
