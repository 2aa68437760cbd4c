"""Verify: data against a contract, changing nothing."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.actions.find import load_contract
from floe.actions.find_table import Way, find_target
from floe.actions.record import of_test, record
from floe.actions.references import reference_targets
from floe.actions.salt import salt_of
from floe.actions.settings import load_settings
from floe.actions.variables import with_values
from floe.data.plan import plan as make_plan
from floe.data.plan.schema import columns, differences, path_of, schema_outcomes
from floe.data.tables import probe
from floe.model import Contract, Dataset, EngineError, Severity, TableError
from floe.model.age import aged
from floe.model.claim import FileStatistics, violations
from floe.model.clock import stamp, utc_now
from floe.model.plan import Aids, Expectation, Plan
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.threshold import holds
from floe.model.types import Struct

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floe.registry import Store


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
    found = with_values(load_contract(contract, settings))
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
    rows, outcomes = scan_rows(data, rest, _aids(plan, found, Way(), settings, store))
    return _result(plan, (*schema, *outcomes), rows, None, started)


def verify_tables(contracts: Sequence[str | Path | Contract], way: Way, settings: Settings) -> VerifyResult:
    """Every dataset of the contracts on its table: by metadata where that proves it, by one scan where not."""
    results = []
    for contract in (with_values(load_contract(name, settings)) for name in contracts):
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
        result = _on_table(plan, target, settings, aids, started)
    except TableError as error:
        outcomes = tuple(_unknown(expectation, error.message) for expectation in plan.expectations)
        result = _result(plan, outcomes, None, None, started)
    note = record(store, settings.root, of_test(result, uuid.uuid4().hex, table_id, settings.actor))
    if note:
        settings.say(note)
    return result


def _on_table(plan: Plan, target: Target, settings: Settings, aids: Aids, started: float) -> Result:
    schema, snapshot, files, committed = _look(target, settings)
    found, rest = _schema(plan, schema, "table")
    proved = [*_proved(rest, files), *_by_commit(rest, committed, aids.now)]
    decided = {outcome.id for outcome in proved}
    proved += [_unasked(one) for one in rest.expectations if not one.measurable and one.id not in decided]
    known = {outcome.id for outcome in proved}
    left = replace(rest, expectations=tuple(one for one in rest.expectations if one.id not in known))
    rows = _row_count(files)
    if left.expectations:
        read, scanned = _scanned(left, target, snapshot, aids, settings)
        rows = rows if read is None else read
        proved += scanned
    by_id = {outcome.id: outcome for outcome in proved}
    ordered = [by_id[expectation.id] for expectation in rest.expectations]
    return _result(plan, (*found, *ordered), rows, snapshot, started)


def _scanned(
    plan: Plan, target: Target, snapshot: str | None, aids: Aids, settings: Settings
) -> tuple[int | None, list[Outcome]]:
    """What reading the table says; without an engine nothing of it is known."""
    from floe.data.spark.scan import scan

    try:
        return scan(plan, target, snapshot, aids, settings)
    except EngineError as error:
        return None, [_unknown(expectation, error.message) for expectation in plan.expectations]


def _aids(plan: Plan, contract: Contract, way: Way, settings: Settings, store: "Store") -> Aids:
    return Aids(
        salt_of(settings.root),
        reference_targets(plan, contract, way.references, settings, store),
        int(utc_now().timestamp()),
    )


def _look(
    target: Target, settings: Settings
) -> tuple[Struct, str | None, tuple[FileStatistics, ...] | None, int | None]:
    """A table's schema, snapshot and statistics: from its log, else from Spark."""
    facts = probe(target, settings) if target.format == "iceberg" or target.path else None
    if facts and facts.schema:
        return facts.schema, facts.snapshot, facts.files, facts.committed
    from floe.data.spark.scan import look

    seen = look(target, settings) if facts or target.name else None
    if seen is None:
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    return (*seen, None, None)


def _schema(plan: Plan, actual: Struct, what: str) -> tuple[list[Outcome], Plan]:
    """The schema's outcomes, and the plan without what it makes impossible to judge."""
    found = list(differences(plan.schema, actual))
    outcomes = [_as_drift(outcome) for outcome in schema_outcomes(plan.dataset, found, "silver", what)]
    wrong = tuple(difference.path for difference in found if difference.code != "E532")
    lacking = {member.name for member in plan.schema.members if wrong and _below(path_of(member.name), wrong)}
    names = columns(plan.schema, actual, exact=False)
    lacking |= {member.name for member in plan.schema.members if names.get(member.name) != member.name}
    unknown = [
        _unknown(one, "its column is missing or of another type")
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


def _proved(plan: Plan, files: tuple[FileStatistics, ...] | None) -> list[Outcome]:
    """What the statistics of the table's files decide without reading data."""
    if files is None:
        return []
    rows = _row_count(files)
    return [outcome for one in plan.expectations if (outcome := _by_statistics(one, files, rows))]


def _by_commit(plan: Plan, committed: int | None, now: int) -> list[Outcome]:
    """What the time of the last commit decides."""
    asked = [one for one in plan.expectations if one.age and one.age.kind == "commit"]
    return [aged(one, max(0, now - committed), "metadata") for one in asked] if committed is not None else []


def _unasked(expectation: Expectation) -> Outcome:
    """What rows cannot answer: watched over time by others, or not evaluated."""
    if expectation.watched:
        return replace(_unknown(expectation, expectation.watched), outcome=NOT_GATED, message=expectation.watched)
    return _unknown(expectation, "the time of the last commit is not known here")


def _by_statistics(expectation: Expectation, files: tuple[FileStatistics, ...], rows: int | None) -> Outcome | None:

    if (
        expectation.unit == "percent"
        or (expectation.counts and rows is None)
        or not (expectation.claims or expectation.counts)
    ):
        return None
    counts = [rows] if expectation.counts else [violations(claim, files) for claim in expectation.claims]
    if None in counts:
        return None
    measured = sum(count for count in counts if count)
    kept = holds(expectation.operators, Fraction(measured))
    said = f"{measured:,} rows" if expectation.counts else f"Null in '{expectation.field}' in {measured:,} rows"
    return Outcome(
        id=expectation.id,
        code=expectation.code,
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=PASS if kept else FAIL,
        message="" if kept else said,
        violations=None if expectation.counts else measured,
        actual=measured,
        expected=expectation.expected,
        how="metadata",
        structural=expectation.structural,
    )


def _row_count(files: tuple[FileStatistics, ...] | None) -> int | None:
    if files is None or not all(file.whole and file.rows is not None for file in files):
        return None
    return sum(file.rows or 0 for file in files)


def _unknown(expectation: Expectation, cause: str) -> Outcome:
    return Outcome(
        id=expectation.id,
        code="E580",
        name=expectation.name,
        field=expectation.field,
        severity=expectation.severity,
        outcome=NOT_EVALUATED,
        message=f"'{expectation.name}' of '{expectation.field}' was not evaluated",
        cause=expectation.cause or cause,
        expected=expectation.expected,
    )


def _result(
    plan: Plan, outcomes: tuple[Outcome, ...], rows: int | None, snapshot: str | None, started: float
) -> Result:
    unknown = dict.fromkeys(("queries", "jobs", "scans", "files", "files_read", "bytes_read"))
    return Result(
        contract=plan.contract,
        version=plan.version,
        dataset=plan.dataset,
        checked_at=stamp(utc_now()),
        expectations=outcomes,
        rows=rows,
        snapshot=snapshot,
        cost={**unknown, "seconds": round(time.monotonic() - started, 3)},
    )
