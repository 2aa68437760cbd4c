"""The write gate: stage once, judge what was staged, then append just that or nothing."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from floe.data.plan.schema import Difference, columns, differences, schema_outcomes
from floe.data.plan.sql import quote
from floe.data.spark.measure import Scene, measure
from floe.data.spark.schema import settle, struct_of, struct_type
from floe.data.spark.write import TABLES, read_all
from floe.model import ContractError, EngineError, TableError
from floe.model.decision import Verdict
from floe.model.outcome import unmeasured
from floe.model.plan import Plan
from floe.model.result import Outcome
from floe.model.table import Target
from floe.model.types import Atomic, Member, Struct, Text, is_physical

_LACKING = (
    "DATA_SOURCE_NOT_FOUND",
    "Failed to find the data source",
    "CATALOG_NOT_FOUND",
    "Cannot find catalog plugin",
    "requires a single-part namespace",
)
_HOW = "Start it with the jars and settings of Delta and Iceberg (`floe doctor`), or use floe's own session by `floe enforce`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Everything a gate needs besides the rows."""

    plan: Plan
    target: Target
    layer: str
    staging: Path
    salt: str
    properties: dict[str, str]
    references: Mapping[str, Target]
    decide: Callable[[tuple[Outcome, ...]], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What happened at the gate."""

    outcomes: tuple[Outcome, ...]
    verdict: Verdict
    rows: int | None = None
    written: int = 0
    created: bool = False
    before: str | None = None
    after: str | None = None
    location: str = ""
    notes: tuple[str, ...] = ()


def append(df: DataFrame, gate: Gate) -> Passage:
    """Append a batch through the gate; TableError where the engine could not do it."""
    try:
        return _append(df, gate)
    except (PySparkException, Py4JError) as error:
        text = first_line(error)
        if any(word in text for word in _LACKING):
            raise EngineError(f"This Spark session cannot reach {gate.target.format} tables: {text}", _HOW) from error
        raise TableError(
            f"Spark could not finish the batch: {text}", "Nothing was published; mend the cause and repeat"
        ) from error
    finally:
        shutil.rmtree(gate.staging, ignore_errors=True)


def first_line(error: Exception) -> str:
    """What went wrong, without the stack."""
    text = error.java_exception.getMessage() if isinstance(error, Py4JJavaError) else _message(error)
    return next(
        (line.strip() for line in (text or type(error).__name__).splitlines() if line.strip()), type(error).__name__
    )[:400]


def _message(error: Exception) -> str:
    try:
        return (error.getMessage() if isinstance(error, PySparkException) else None) or str(error)
    except Py4JError:  # Spark knows no text for an error of Delta's or Iceberg's; they bring their own
        return str(error)


def _append(df: DataFrame, gate: Gate) -> Passage:
    spark, table = df.sparkSession, TABLES[gate.target.format]
    there = table.exists(spark, gate.target)
    current = struct_of(table.read(spark, gate.target).schema) if there else None
    before = table.snapshot(spark, gate.target) if there else None
    if current is None and not is_physical(gate.plan.schema):
        raise _open_types(gate.plan)
    found, schema, notes = _schema_gate(df, gate, current)
    if found:
        skipped = [unmeasured(e, "the schema does not match") for e in gate.plan.expectations if e.gated]
        outcomes = (*found, *skipped)
        return Passage(outcomes=outcomes, verdict=gate.decide(outcomes), before=before, after=before, notes=notes)
    staged = _stage(df, gate, schema)
    existing = table.read(spark, gate.target) if there and before is not None else None
    others = read_all(spark, gate.references)
    rows, measured = measure(Scene(rows=staged, plan=gate.plan, salt=gate.salt, existing=existing, references=others))
    outcomes = (*schema_outcomes(gate.plan.dataset, [], gate.layer), *measured)
    verdict = gate.decide(outcomes)
    passage = Passage(outcomes=outcomes, verdict=verdict, rows=rows, before=before, after=before, notes=notes)
    return passage if verdict is Verdict.REFUSE else _publish(staged, gate, schema, passage, there)


def _publish(staged: DataFrame, gate: Gate, schema: Struct, passage: Passage, there: bool) -> Passage:
    spark, table = staged.sparkSession, TABLES[gate.target.format]
    if there:
        _carry(spark, gate)
    else:
        table.create(spark, gate.target, schema, gate.plan.partition, gate.properties)
    if passage.rows:
        try:
            table.append(staged, gate.target)
        except Exception:
            if not there:
                table.drop(spark, gate.target)
            raise
    return Passage(
        outcomes=passage.outcomes,
        verdict=passage.verdict,
        rows=passage.rows,
        written=passage.rows or 0,
        created=not there,
        before=passage.before,
        after=table.snapshot(spark, gate.target),
        location=table.location(spark, gate.target),
        notes=passage.notes,
    )


def _carry(spark: Any, gate: Gate) -> None:
    """Let the table say which contract holds it, where it does not say so yet."""
    said = {row["key"]: row["value"] for row in spark.sql(f"SHOW TBLPROPERTIES {gate.target.sql}").collect()}
    missing = {key: value for key, value in gate.properties.items() if said.get(key) != value}
    if missing:
        pairs = ", ".join(f"'{key}' = '{value}'" for key, value in missing.items())
        spark.sql(f"ALTER TABLE {gate.target.sql} SET TBLPROPERTIES ({pairs})")


def _schema_gate(df: DataFrame, gate: Gate, current: Struct | None) -> tuple[list[Outcome], Struct, tuple[str, ...]]:
    """The faults of batch and table against the contract, the schema to write, and what was forgiven."""
    promised, exact = gate.plan.schema, gate.layer == "gold"
    batch = struct_of(df.schema)
    found = _outcomes(gate, list(differences(promised, batch, exact)), "batch")
    if current is not None:
        stored = TABLES[gate.target.format].stored(promised)
        found += _outcomes(gate, list(differences(stored, current, exact)), "table")
    schema = settle(settle(promised, current), batch)
    assert isinstance(schema, Struct)
    if current is not None and not found:
        found = _outcomes(gate, list(differences(TABLES[gate.target.format].stored(schema), current)), "table")
    names = columns(promised, batch, exact)
    notes = tuple(
        f"Column '{actual}' of the batch is written as '{name}'" for name, actual in names.items() if actual != name
    )
    return found, schema, notes


def _outcomes(gate: Gate, found: list[Difference], what: str) -> list[Outcome]:
    return schema_outcomes(gate.plan.dataset, found, gate.layer, what) if found else []


def _stage(df: DataFrame, gate: Gate, schema: Struct) -> DataFrame:
    """Write the batch once, and read back just those files: what is judged is what is written."""
    names = columns(gate.plan.schema, struct_of(df.schema), gate.layer == "gold")
    ordered = df.select(*(_kept(m, names[m.name], gate).alias(m.name) for m in gate.plan.schema.members))
    ordered.write.mode("errorifexists").parquet(str(gate.staging))
    return df.sparkSession.read.schema(struct_type(schema)).parquet(str(gate.staging))


def _kept(member: Member, name: str, gate: Gate) -> Column:
    """A column of the batch as the table will keep it."""
    column = sql.col(quote(name))
    text = member.type == Atomic("string") or isinstance(member.type, Text)
    return TABLES[gate.target.format].partition_value(column) if text and member.name in gate.plan.partition else column


def _open_types(plan: Plan) -> ContractError:
    names = ", ".join(f"'{m.name}' ({m.type})" for m in plan.schema.members if not is_physical(m.type))
    return ContractError(
        f"A table cannot be created from logical types alone: {names}",
        "Add physicalType to these fields, e.g. bigint or decimal(12,2)",
        "E503",
    )
