"""Single checks of a table or frame (freshness, quality, schema drift …), answered by what `floe test` does."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import tables
from floe.actions.diff.schemas import SchemaComparisonResult, comparison
from floe.actions.diff.table import schema_changes
from floe.actions.load.find import find_contract
from floe.actions.load.settings import load_settings
from floe.actions.verify import verify_frame, verify_some
from floe.actions.verify.references import store_or_offline
from floe.actions.verify.table import probe_table, read_metadata, result_of
from floe.engine.metadata.schema import differences, schema_outcomes
from floe.engine.plan import make_plan
from floe.model import Contract, ContractError, Dataset, EngineError, Severity, TableError, ViolationError
from floe.model.contract import Target
from floe.model.plan import CommitAge, Expectation, MonitorOnly, Plan, RowAge, UniqueKey
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result
from floe.model.service_level import level_name
from floe.model.types import schema_hash as hash_of
from floe.model.violation_type import violation_type
from floe.settings import Settings
from floe.system.clock import stamp
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

Connection = Any  # a SparkSession, a table's name or a path
Source = str | Path | Contract
_WORST = (FAIL, NOT_EVALUATED, PASS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractViolation:
    """A failed expectation, or one that was not evaluated (`violation_type` is then not_evaluated)."""

    rule_type: str
    severity: str
    message: str
    column: str
    actual_value: Any
    expected_value: Any
    contract_name: str
    contract_version: str
    violation_type: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationResult:
    """What a frame breaks; `passed` where nothing critical is broken, a single warning does not fail it."""

    contract_name: str
    contract_version: str
    passed: bool
    violations: tuple[ContractViolation, ...]
    checked_at: str
    data_sample_size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SLACheckResult:
    """The outcome of one expectation; one that was not evaluated has not passed, and its cause is the message."""

    name: str
    id: str
    outcome: str
    expected: Any
    actual: Any
    message: str
    checked_at: str
    violation: ContractViolation | None = None

    @property
    def passed(self) -> bool:
        """Whether it was evaluated and passed."""
        return self.outcome == PASS


class ContractEnforcer:
    """Holds frames to one contract and changes nothing; `floe.enforce` is what writes."""

    def __init__(self, contract: Source, settings: Settings | None = None) -> None:
        self.settings = settings or load_settings()
        self.contract, self.dataset = find_contract(contract, self.settings)

    def validate(self, df: "DataFrame") -> ValidationResult:
        """The result of `floe.verify` for a frame."""
        result = verify_frame(df, self.contract, self.dataset, self.settings)
        wrong = tuple(violation_of(outcome, result) for outcome in (*result.failed, *result.not_evaluated))
        return ValidationResult(
            contract_name=result.contract,
            contract_version=result.version,
            passed=not any(contract_violation.severity == str(Severity.CRITICAL) for contract_violation in wrong),
            violations=wrong,
            checked_at=result.checked_at,
            data_sample_size=result.rows,
        )


def check_freshness(
    contract: Source,
    connection: Connection,
    timestamp_column: str | None = None,
    settings: Settings | None = None,
) -> SLACheckResult:
    """Whether a table is as fresh as its contract requires; the worst of several levels."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    if timestamp_column:
        moved = [
            replace(level, element=f"{dataset.name}.{timestamp_column}")
            if level_name(level.property) == "freshness"
            else level
            for level in found.sla
        ]
        found = replace(found, sla=tuple(moved))
    result = verify_some(found, dataset, _way(connection), settings, _is_freshness)
    ids = {expectation.id for expectation in make_plan(found, dataset).expectations if _is_freshness(expectation)}
    checks = [_check(outcome, result) for outcome in result.expectations if outcome.id in ids]
    nothing = f"{found.identity} promises no freshness"
    return (
        min(checks, key=lambda slacheck_result: _WORST.index(slacheck_result.outcome))
        if checks
        else _unknown("freshness", dataset, nothing, settings.clock())
    )


def check_availability(contract: Source, connection: Connection, settings: Settings | None = None) -> SLACheckResult:
    """Whether a table can be read now: one probe of its metadata and one row, not the share of a month."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    promised = next((level for level in found.sla if level_name(level.property) == "availability"), None)
    try:
        probe_table(_target(found, dataset, connection, settings), settings)
    except EngineError as error:
        return _unknown("availability", dataset, error.message, settings.clock())
    except TableError as error:
        broken = Outcome(
            id=f"{dataset.name}:sla.availability",
            code="E561",
            name="unavailable",
            field=dataset.name,
            severity=Severity.ERROR,
            outcome=FAIL,
            message=error.message,
            expected="readable",
            actual="not readable",
        )
        return _check(broken, result_of(make_plan(found, dataset), (broken,), settings.clock()))
    said = f"readable now; {promised.value} {promised.unit or ''} is promised over time" if promised else "readable now"
    readable = _unknown("availability", dataset, said.replace("  ", " "), settings.clock())
    return replace(readable, outcome=PASS, actual="readable", expected="readable")


def check_quality(contract: Source, connection: Connection, settings: Settings | None = None) -> list[SLACheckResult]:
    """The outcomes of all expectations on the rows of a table: schema facts, rules, references, keys."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    result = verify_some(found, dataset, _way(connection), settings, _is_quality)
    ids = {expectation.id for expectation in make_plan(found, dataset).expectations if _is_quality(expectation)}
    return [_check(outcome, result) for outcome in result.expectations if outcome.id in ids]


def check_breaking_changes(
    contract: Source, connection: Connection, settings: Settings | None = None
) -> list[ContractViolation]:
    """The differences between a table's schema and the contract, or that it could not be read."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    result = verify_some(found, dataset, _way(connection), settings, lambda _: False)
    wrong = [outcome for outcome in result.failed if outcome.severity >= Severity.ERROR]
    return [violation_of(outcome, result) for outcome in (*wrong, *result.not_evaluated)]


def detect_schema_drift(
    contract: Source, connection: Connection, settings: Settings | None = None
) -> SchemaComparisonResult:
    """The differences of a table to its contract; TableError if it cannot be read."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    seen = read_metadata(_target(found, dataset, connection, settings), settings)
    return comparison(schema_changes(replace(found, datasets=(dataset,)), seen.schema))


def schema_hash(struct_type: "StructType") -> str:
    """The hash that gates keep of a schema: `sha256:` over its canonical JSON."""
    return hash_of(tables.spark.schema.struct_of(struct_type))


def validate_schema(df: "DataFrame", contract: Source, strict: bool, settings: Settings | None = None) -> None:
    """Raise ViolationError if columns or types differ; `strict` also compares order, letter case and extra columns."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    wrong = [
        difference
        for difference in differences(dataset.schema, tables.spark.schema.struct_of(df.schema), strict)
        if strict or difference.code != "E532"
    ]
    outcomes = schema_outcomes(dataset.name, wrong, "gold" if strict else "silver", "frame")
    _refuse(result_of(make_plan(found, dataset), tuple(outcomes), settings.clock()))


def validate_keys(df: "DataFrame", contract: Source, settings: Settings | None = None) -> None:
    """Raise ViolationError if a key is duplicated, or a part of the primary key is null or was not evaluated."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    plan = make_plan(found, dataset)
    if not any(_is_key(expectation, plan) for expectation in plan.expectations):
        raise ContractError(
            f"'{dataset.name}' has no key to judge", "Add primaryKey: true or unique: true to its key columns", "E501"
        )
    result = verify_frame(df, found, dataset, settings, lambda expectation: _is_key(expectation, plan))
    # other schema differences do not affect keys; if a column of a key is missing, the key was not evaluated
    of_keys = tuple(outcome for outcome in result.expectations if not outcome.code.startswith("E53"))
    _refuse(replace(result, expectations=of_keys))


def _refuse(result: Result) -> None:
    wrong = [*(outcome for outcome in result.failed if outcome.severity >= Severity.ERROR), *result.not_evaluated]
    if wrong:
        lines = [f"The frame breaks {result.contract}:{result.version} ({result.dataset})"]
        lines += [
            f"    FLOE-{outcome.code} {outcome.severity}: {outcome.message}{f': {outcome.cause}' if outcome.cause else ''}"
            for outcome in wrong[:10]
        ]
        raise ViolationError("\n".join(lines), result, "Mend the frame at its source", wrong[0].code)


def _is_freshness(expectation: Expectation) -> bool:
    return expectation.name == "stale-data" or level_name(expectation.name) == "freshness"


def _is_quality(expectation: Expectation) -> bool:
    return (
        not expectation.level
        and not isinstance(expectation.check, MonitorOnly | RowAge | CommitAge)
        and not _is_freshness(expectation)
    )


def _is_key(expectation: Expectation, plan: Plan) -> bool:
    if expectation.key:
        return isinstance(expectation.check, UniqueKey)
    return expectation.name == "null-value" and bool(expectation.columns) and set(expectation.columns) <= set(plan.key)


def _way(connection: Connection) -> TableSelector:
    """A session finds the table by the contract; a name or path is the table."""
    if isinstance(connection, Path) or (isinstance(connection, str) and Path(connection).exists()):
        return TableSelector(table=str(Path(connection).resolve()))
    return TableSelector(table=connection) if isinstance(connection, str) else TableSelector()


def _target(contract: Contract, dataset: Dataset, connection: Connection, settings: Settings) -> Target:
    table_id = contract.table_id(dataset) or dataset.name
    known = store_or_offline(settings).table(table_id)
    return find_target(settings, contract, dataset, _way(connection), known)


def _check(outcome: Outcome, result: Result) -> SLACheckResult:
    return SLACheckResult(
        name=outcome.name,
        id=outcome.id,
        outcome=outcome.outcome,
        expected=outcome.expected,
        actual=outcome.actual,
        message=outcome.cause or outcome.message,
        checked_at=result.checked_at,
        violation=violation_of(outcome, result) if outcome.outcome in (FAIL, NOT_EVALUATED) else None,
    )


def _unknown(name: str, dataset: Dataset, cause: str, at: datetime) -> SLACheckResult:
    return SLACheckResult(
        name=name,
        id=f"{dataset.name}:sla.{name}",
        outcome=NOT_EVALUATED,
        expected=None,
        actual=None,
        message=cause,
        checked_at=stamp(at),
    )


def violation_of(outcome: Outcome, result: Result) -> ContractViolation:
    """An outcome as the plugin's callers see it."""
    return ContractViolation(
        rule_type=outcome.name,
        severity=str(outcome.severity),
        message=f"{outcome.message}: {outcome.cause}" if outcome.cause else outcome.message,
        column=outcome.field.removeprefix(f"{result.dataset}."),
        actual_value=outcome.actual,
        expected_value=outcome.expected,
        contract_name=result.contract,
        contract_version=result.version,
        violation_type=violation_type(outcome.code),
        code=f"FLOE-{outcome.code}",
    )
