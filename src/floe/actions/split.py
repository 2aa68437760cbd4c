"""Split: the rows of a frame that keep a contract, and those that break it with the codes of what they break."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from floe import engine, registry
from floe.actions.load.find import find_contract
from floe.actions.load.settings import load_settings
from floe.actions.verify.references import reference_targets
from floe.actions.verify.table import judge_schema, result_of
from floe.engine.plan import make_plan
from floe.model import Contract, EngineError, TableError, ViolationError
from floe.model.plan import Expectation, Plan
from floe.model.result import FAIL, Outcome, Result, not_evaluated
from floe.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# thresholds under which every row that the rule counts is a violation
_AT_MOST = ("mustBeLessThan", "mustBeLessOrEqualTo")


class Parts(NamedTuple):
    """Rows that break nothing, and rows with one more column, `_floe_codes`."""

    good: "DataFrame"
    bad: "DataFrame"


def split(
    df: "DataFrame",
    contract: str | Path | Contract,
    references: "Mapping[str, str | DataFrame] | None" = None,
    settings: Settings | None = None,
) -> Parts:
    """Good and bad rows of a frame, lazily; ViolationError if a rule on rows cannot be evaluated."""
    from floe.tables.spark.errors import ENGINE_ERRORS, first_line
    from floe.tables.spark.schema import struct_of

    if df.isStreaming:
        raise TableError("The frame is a stream", "Split each batch of it, in df.writeStream.foreachBatch")
    if engine.gate.quarantine.CODES in df.columns:
        raise TableError(
            f"The frame has a column {engine.gate.quarantine.CODES} already",
            f"Drop it first: df.drop('{engine.gate.quarantine.CODES}')",
        )
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    plan = make_plan(found, dataset, settings.classifications)
    schema, rest = judge_schema(plan, struct_of(df.schema), "frame")
    tables, lost = _references(rest, found, references or {}, settings, df.sparkSession)
    unknown = [
        not_evaluated(expectation, cause)
        for expectation in rest.expectations
        if expectation.gated and (cause := _cause(expectation, lost))
    ]
    faults = tuple(outcome for outcome in (*schema, *unknown) if outcome.outcome != "pass" and outcome.code != "E532")
    if faults:
        raise _refusal(result_of(plan, (*schema, *unknown), settings.clock()), faults)
    try:
        parts = Parts(
            *engine.gate.quarantine.split_rows(
                df, [expectation for expectation in rest.expectations if _of_rows(expectation)], None, tables
            )
        )
        parts.bad.columns  # noqa: B018  (Spark Connect resolves names only when asked)
    except ENGINE_ERRORS as error:
        raise EngineError(
            f"Spark cannot tell the rows apart: {first_line(error)}", "See `floe plan` for the SQL of each rule"
        ) from error
    return parts


def _of_rows(expectation: Expectation) -> bool:
    """Whether the rule decides about single rows; a rule that requires a minimum number does not."""
    asked = dict(expectation.operators)
    return (
        expectation.gated
        and bool(expectation.row_rule or expectation.key)
        and (asked == {"mustBe": 0} or set(asked) <= set(_AT_MOST))
    )


def _cause(expectation: Expectation, lost: Mapping[str, str]) -> str | None:
    return expectation.cause or (lost.get(expectation.reference.dataset) if expectation.reference else None)


def _references(
    plan: Plan,
    contract: Contract,
    given: "Mapping[str, str | DataFrame]",
    settings: Settings,
    spark: "SparkSession",
) -> "tuple[dict[str, DataFrame], dict[str, str]]":
    """The rows that keys refer to, by dataset, and why there are none."""
    named = {name: table for name, table in given.items() if isinstance(table, str)}
    store = registry.open_store(settings.registry.url, settings.root)
    tables, lost = engine.spark.scan.read_references(
        spark, reference_targets(plan, contract, named, settings, store), settings
    )
    tables |= {name: table for name, table in given.items() if not isinstance(table, str)}
    for target in (expectation.reference for expectation in plan.expectations if expectation.reference):
        there = tables.get(target.dataset)
        missing = [column for column in target.columns if there is not None and column not in there.columns]
        if missing:
            lost[target.dataset] = f"'{target.dataset}' has no column '{missing[0]}'"
        elif there is None:
            lost.setdefault(target.dataset, f"no table found for '{target.dataset}': pass it by references=")
    return tables, lost


def _refusal(result: Result, faults: tuple[Outcome, ...]) -> ViolationError:
    lines = [
        f"The rows of '{result.dataset}' cannot be told apart: {len(faults)} promises cannot be judged on single rows"
    ]
    lines += [
        f"    FLOE-{outcome.code} {outcome.severity}: {outcome.message}"
        + (f": {outcome.cause}" if outcome.cause else "")
        for outcome in faults[:10]
    ]
    first = next((fault for fault in faults if fault.outcome == FAIL), faults[0])
    return ViolationError("\n".join(lines), result, "Mend the frame, or name what is missing", first.code)
