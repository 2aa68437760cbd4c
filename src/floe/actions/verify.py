"""Verify: data against a contract, changing nothing."""

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.actions.find import use_contract
from floe.actions.find_table import Way, find_target
from floe.actions.record import of_test, record
from floe.actions.references import reference_targets
from floe.actions.salt import salt_of
from floe.actions.settings import load_settings
from floe.data.drift import drift
from floe.data.plan import plan as make_plan
from floe.data.plan.schema import columns, differences, path_of, schema_outcomes
from floe.data.prove import prove, row_count
from floe.data.tables import TableFacts, probe
from floe.model import Contract, Dataset, EngineError, Severity, TableError
from floe.model.age import aged
from floe.model.clock import stamp, utc_now
from floe.model.outcome import unmeasured
from floe.model.plan import Aids, Expectation, Plan
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floe.registry import Store

COSTS = ("queries", "jobs", "scans", "files", "files_read", "bytes_read")
_LOOK_BACK = 20
Known = Callable[[str], str | None]


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


def verify(data: "DataFrame | str", contract: str | Path | Contract, settings: Settings | None = None) -> Result:
    """Whether a DataFrame, or a table named by catalog name or path, keeps a contract of one dataset."""
    settings = settings or load_settings()
    found = use_contract(contract, settings)
    if isinstance(data, str):
        return verify_tables([found], Way(table=data), settings).results[0]
    from floe.data.spark.scan import scan_rows
    from floe.data.spark.schema import struct_of
    from floe.registry import open_store

    dataset = found.datasets[0]
    plan = make_plan(found, dataset, settings["classifications"])
    started = time.monotonic()
    schema, rest = _schema(plan, struct_of(data.schema), "frame")
    store = open_store(settings["registry.url"], settings.root)
    rows, outcomes, cost = scan_rows(data, rest, _aids(plan, found, Way(), settings, store))
    return _result(plan, (*schema, *outcomes), rows, None, {**cost, **_since(started)})


def verify_tables(contracts: Sequence[str | Path | Contract], way: Way, settings: Settings) -> VerifyResult:
    """Every dataset of the contracts on its table: by metadata where that proves it, by one scan where not."""
    results = []
    for contract in (use_contract(name, settings) for name in contracts):
        for dataset in contract.datasets:
            results.append(_recorded(contract, dataset, way, settings))
    order = {FAIL: 0, NOT_EVALUATED: 1, PASS: 2}
    return VerifyResult(tuple(sorted(results, key=lambda result: order[result.outcome])))


def _recorded(contract: Contract, dataset: Dataset, way: Way, settings: Settings) -> Result:
    from floe.registry import open_store

    store = open_store(settings["registry.url"], settings.root)
    table_id = contract.table_id(dataset) or dataset.name
    plan = make_plan(contract, dataset, settings["classifications"])
    started = time.monotonic()
    try:
        target = find_target(settings, contract, dataset, way, store.table(table_id))
        aids = _aids(plan, contract, way, settings, store)
        result = _on_table(plan, target, settings, aids, lambda place: _last_uid(store, table_id, place))
    except (TableError, EngineError) as error:
        outcomes = tuple(unmeasured(expectation, error.message) for expectation in plan.expectations)
        result = _result(plan, outcomes, None, None, _since(started))
    note = record(store, settings.root, of_test(result, uuid.uuid4().hex, table_id, settings.actor))
    if note:
        settings.say(note)
    return result


def _last_uid(store: "Store", table_id: str, location: str) -> str | None:
    """The identity of the table at a place when it was last judged."""
    for run in store.runs(_LOOK_BACK, table_id):
        said = run["result"]
        if run["mode"] == "test" and said.get("location") == location and said.get("table_uid"):
            return str(said["table_uid"])
    return None


def _on_table(plan: Plan, target: Target, settings: Settings, aids: Aids, known: Known) -> Result:
    started = time.monotonic()
    seen = _look(target, settings)
    assert seen.schema
    found, rest = _schema(plan, seen.schema, "table")
    found += drift(plan, seen, known(seen.location))
    proved = [] if seen.files is None else prove(rest.expectations, seen.files)
    proved += _by_commit(rest, seen.committed, aids.now)
    decided = {outcome.id for outcome in proved}
    proved += [_unasked(one) for one in rest.expectations if not one.measurable and one.id not in decided]
    decided = {outcome.id for outcome in proved}
    left = replace(rest, expectations=tuple(one for one in rest.expectations if one.id not in decided))
    rows = None if seen.files is None else row_count(seen.files)
    cost: dict[str, Any] = dict.fromkeys(COSTS, 0)
    if left.expectations:
        pinned = _pinned(target, seen, settings)
        read, scanned, cost = _scanned(left, pinned, seen.snapshot, aids, settings)
        rows = rows if read is None else read
        proved += scanned
    by_id = {outcome.id: outcome for outcome in proved}
    ordered = [by_id[expectation.id] for expectation in rest.expectations]
    cost = {**cost, "files": None if seen.files is None else len(seen.files), **_since(started)}
    result = _result(plan, (*found, *ordered), rows, seen.snapshot, cost)
    return replace(result, location=seen.location, table_uid=seen.uid)


def _pinned(target: Target, seen: TableFacts, settings: Settings) -> Target:
    """The table as Spark reaches it: an Iceberg table by its metadata file where Spark has no way to its catalog."""
    catalog = settings["catalogs"].get((target.name or "").split(".")[0]) or {}
    foreign = catalog.get("type") == "sql" and not str(catalog.get("uri", "")).startswith("sqlite")
    if target.format == "iceberg" and (foreign or not target.name):
        return Target("iceberg", path=seen.metadata)
    return target


def _scanned(
    plan: Plan, target: Target, snapshot: str | None, aids: Aids, settings: Settings
) -> tuple[int | None, list[Outcome], dict[str, Any]]:
    """What reading the table says; without an engine nothing of it is known."""
    from floe.data.spark.scan import scan

    try:
        said = scan(plan, target, snapshot, aids, settings)
        _unmoved(target, snapshot)
    except (EngineError, TableError) as error:
        return None, [unmeasured(expectation, error.message) for expectation in plan.expectations], {}
    return said


def _unmoved(target: Target, snapshot: str | None) -> None:
    """Files have no snapshot that would stand still: what was read while they changed is no answer."""
    if target.format == "parquet":
        from floe.data.tables.folder import list_files

        folder = list_files(str(target.path))
        if folder is None or folder.snapshot != snapshot:
            raise TableError(f"The files of {target} changed while they were read", "Judge it again")


def _aids(plan: Plan, contract: Contract, way: Way, settings: Settings, store: "Store") -> Aids:
    return Aids(
        salt_of(settings.root),
        reference_targets(plan, contract, way.references, settings, store),
        int(utc_now().timestamp()),
    )


def _look(target: Target, settings: Settings) -> TableFacts:
    """A table's schema, snapshot and statistics: from its log, else from Spark."""
    if target.format != "delta" or target.path:
        facts = probe(target, settings)
    else:
        from floe.data.spark.scan import look

        seen = look(target, settings)
        facts = TableFacts(str(target), seen[1], str(target), (), schema=seen[0]) if seen else None
    if facts is None:
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    return facts


def _schema(plan: Plan, actual: Struct, what: str) -> tuple[list[Outcome], Plan]:
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
    """What the time of the last commit decides."""
    asked = [one for one in plan.expectations if one.age and one.age.kind == "commit"]
    return [aged(one, max(0, now - committed), "metadata") for one in asked] if committed is not None else []


def _unasked(expectation: Expectation) -> Outcome:
    """What rows cannot answer: watched over time by others, or not evaluated."""
    if expectation.watched:
        return replace(unmeasured(expectation, expectation.watched), outcome=NOT_GATED, message=expectation.watched)
    return unmeasured(expectation, "the time of the last commit is not known here")


def _result(
    plan: Plan, outcomes: tuple[Outcome, ...], rows: int | None, snapshot: str | None, cost: dict[str, Any]
) -> Result:
    return Result(
        contract=plan.contract,
        version=plan.version,
        dataset=plan.dataset,
        checked_at=stamp(utc_now()),
        expectations=outcomes,
        rows=rows,
        snapshot=snapshot,
        cost={key: cost.get(key) for key in (*COSTS, "seconds")},
    )


def _since(started: float) -> dict[str, float]:
    return {"seconds": round(time.monotonic() - started, 3)}
