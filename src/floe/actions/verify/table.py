"""Check a plan on a table: by metadata where possible, else by reading rows."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from floe import engine, registry, tables
from floe.engine.incremental.verify import VerifyContext, verify_incrementally
from floe.engine.metadata.proof import (
    AHEAD,
    ages,
    bounds_of,
    budgets,
    files_are_clustered,
    null_counts,
    prove,
    row_count,
)
from floe.engine.metadata.schema import columns, differences, drift, path_of, schema_outcomes
from floe.engine.plan.expectations import regex_columns
from floe.lang.secret import with_variables_hidden, with_variables_revealed
from floe.model import Severity, TableCause, TableError
from floe.model.age import age_outcome, format_duration
from floe.model.contract import Target
from floe.model.plan import (
    CommitAge,
    Expectation,
    FileStatistics,
    ForeignKey,
    MonitorOnly,
    Plan,
    RowRule,
    RowScope,
    VerifyInputs,
)
from floe.model.result import NOT_GATED, Outcome, Result, not_evaluated
from floe.model.types import Struct
from floe.settings import Settings
from floe.system.clock import stamp
from floe.tables import TableFacts, probe, reader_of

if TYPE_CHECKING:
    from floe.registry import Store

COSTS = ("queries", "jobs", "scans", "files", "files_read", "bytes_read")
Progress = Callable[[str], None]
Files = tuple[FileStatistics, ...] | None


@dataclass(frozen=True, slots=True)
class EarlierRuns:
    """The facts of earlier runs on a table."""

    store: "Store"
    table_id: str
    now: datetime

    def uid(self, location: str) -> str | None:
        """The identity of the table at a place at its last check; None if unknown."""
        if self.unknown:
            return None
        for result in self.store.seen(self.table_id, ("test", "monitor")):
            if result.get("location") == with_variables_hidden(location) and result.get("table_uid"):
                return with_variables_revealed(str(result["table_uid"]))
        return None

    @property
    def unknown(self) -> bool:
        """Whether the registry cannot be reached."""
        return isinstance(self.store, registry.offline.Offline)

    def spent(self, within: int) -> float | None:
        """The duration of recent runs in seconds; None if unknown."""
        if self.unknown:
            return None
        since = stamp(self.now - timedelta(seconds=within))
        return self.store.seconds_since(self.table_id, since)


def judge_table(
    plan: Plan, target: Target, settings: Settings, aids: VerifyInputs, past: EarlierRuns, progress: Progress
) -> Result:
    """The outcomes of a plan on a table: by its metadata where possible, else by reading rows."""
    started = time.monotonic()
    seen = read_metadata(target, settings)
    assert seen.schema
    schema, rest = judge_schema(plan, seen.schema, "table")
    schema += drift(plan, seen, past.uid(seen.location))
    files = None if aids.scope else seen.files  # statistics are about whole files, not about a part of the rows
    by_id = {outcome.id: outcome for outcome in _without_rows(rest, seen, files, aids, past)}
    left = tuple(expectation for expectation in rest.expectations if expectation.id not in by_id)
    rows = None if files is None else row_count(files)
    cost: dict[str, Any] = dict.fromkeys(COSTS, 0)
    read: dict[str, Any] | None = None
    if left:
        progress(f"reading rows for {len(left)} promises")
        judged = verify_incrementally(_reading(replace(rest, expectations=left), target, settings, aids, seen, past))
        by_id |= {outcome.id: outcome for outcome in judged.outcomes}
        rows = rows if judged.rows is None else judged.rows
        cost, read = judged.cost, judged.read
    outcomes = [by_id[expectation.id] for expectation in rest.expectations]
    cost = {**cost, "files": None if seen.files is None else len(seen.files), **seconds_since(started)}
    return replace(
        result_of(plan, (*schema, *outcomes), settings.clock(), rows, seen.snapshot, cost),
        location=with_variables_hidden(seen.location),
        table_uid=with_variables_hidden(seen.uid),
        schema=seen.schema,
        nulls=None if files is None else null_counts(files),
        committed_at=None if seen.committed is None else stamp(datetime.fromtimestamp(seen.committed, UTC)),
        read=read,
    )


def _without_rows(plan: Plan, seen: TableFacts, files: Files, aids: VerifyInputs, past: EarlierRuns) -> list[Outcome]:
    """What metadata decides, and what no reading of rows could."""
    outcomes = [] if files is None else prove(plan.expectations, files)
    outcomes += ages(plan.expectations, files, aids.now)
    outcomes += _by_commit(plan, seen.committed, aids.now)
    outcomes += budgets(plan.expectations, seen.files, past.spent)
    return outcomes + _not_by_rows(plan, {outcome.id for outcome in outcomes}, aids.scope)


def _reading(
    plan: Plan, target: Target, settings: Settings, aids: VerifyInputs, seen: TableFacts, past: EarlierRuns
) -> VerifyContext:
    """How rows are read for the expectations that are left, with what metadata knows of them already."""
    files = None if aids.scope else seen.files
    key_columns = {name for expectation in plan.expectations for name in expectation.key}
    counted = None if files is None or _filtered_wrongly(plan, seen) else row_count(files)
    known = aids._replace(
        rows=counted,
        loose=seen.loose,
        bounds=bounds_of(files or ()),
        clustered=files_are_clustered(files or (), key_columns),
        common=tables.frequent_values.frequent_values(target, seen, regex_columns(plan.expectations, plan.masked)),
    )
    pinned = reader_of(target).spark_target(target, seen, settings)
    return VerifyContext(plan, target, pinned, seen, files, known, settings, past.store)


def _by_commit(plan: Plan, committed: int | None, now: int) -> list[Outcome]:
    """What the time of the last commit decides; one that is dated in the future has no age, and may be of any."""
    by_commit = [expectation for expectation in plan.expectations if isinstance(expectation.check, CommitAge)]
    if committed is None:
        return []
    if committed > now + AHEAD:
        at = stamp(datetime.fromtimestamp(committed, UTC))
        why = f"the last commit is dated {at}, {format_duration(committed - now)} ahead of this clock (clock skew)"
        return [replace(not_evaluated(expectation, why), age=now - committed) for expectation in by_commit]
    return [age_outcome(expectation, now - committed, "metadata") for expectation in by_commit]


def _not_by_rows(plan: Plan, decided: set[str], scope: RowScope | None) -> list[Outcome]:
    """Expectations that rows, or a part of them, cannot answer: monitored over time, or not evaluated."""
    found = []
    for expectation in plan.expectations:
        if expectation.id in decided:
            continue
        if isinstance(expectation.check, MonitorOnly):
            why = expectation.check.why
            found.append(replace(not_evaluated(expectation, why), outcome=NOT_GATED, message=why))
        elif not expectation.counts_rows:
            found.append(not_evaluated(expectation, "the time of the last commit is not known here"))
        elif scope and not _of_single_rows(expectation):
            why = f"it is about the whole table, and only a part was read ({scope.said})"
            found.append(not_evaluated(expectation, why))
    return found


def _of_single_rows(expectation: Expectation) -> bool:
    """Whether each row breaks it or not, whatever other rows there are."""
    return isinstance(expectation.check, RowRule | ForeignKey) and dict(expectation.operators) == {"mustBe": 0}


def _filtered_wrongly(plan: Plan, seen: TableFacts) -> bool:
    """Whether a filter for bad rows could skip files of them by wrong statistics: then all rows are counted."""
    row_rules = [expectation for expectation in plan.expectations if expectation.row_rule]
    return bool(seen.loose) and any(
        not expectation.columns or seen.loose & set(expectation.columns) for expectation in row_rules
    )


def read_metadata(target: Target, settings: Settings) -> TableFacts:
    """A table's schema, snapshot and statistics: from its log, else from Spark."""
    if not reader_of(target).needs_spark(target):
        facts = probe(target, settings)
    else:
        seen = engine.spark.scan.read_schema(target, settings)
        facts = TableFacts(str(target), seen[1], str(target), (), schema=seen[0]) if seen else None
    if facts is None:
        raise TableError(
            f"The table {target} does not exist",
            "Write it first, or name another with --table",
            cause=TableCause.MISSING,
        )
    return facts


def probe_table(target: Target, settings: Settings) -> None:
    """Read a table's metadata and one row; TableError if that fails, EngineError if it cannot be tried."""
    seen = read_metadata(target, settings)
    engine.spark.scan.first_row(reader_of(target).spark_target(target, seen, settings), seen.snapshot, settings)


def judge_schema(plan: Plan, actual: Struct, what: str) -> tuple[list[Outcome], Plan]:
    """The outcomes of the schema, and the plan without expectations that it makes impossible."""
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
    """An extra column is not a violation in a table that is only read."""
    return replace(outcome, severity=Severity.INFO) if outcome.code == "E532" else outcome


def result_of(
    plan: Plan,
    outcomes: tuple[Outcome, ...],
    at: datetime,
    rows: int | None = None,
    snapshot: str | None = None,
    cost: Mapping[str, Any] | None = None,
) -> Result:
    """The result of a plan at a point in time."""
    return Result(
        contract=plan.contract,
        version=plan.version,
        dataset=plan.dataset,
        checked_at=stamp(at),
        expectations=outcomes,
        rows=rows,
        snapshot=snapshot,
        cost={key: (cost or {}).get(key) for key in (*COSTS, "seconds")},
    )


def seconds_since(started: float) -> dict[str, float]:
    """The seconds since a moment of the monotonic clock, as part of a cost."""
    return {"seconds": round(time.monotonic() - started, 3)}
