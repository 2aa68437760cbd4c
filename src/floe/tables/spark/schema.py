"""Schemas between Spark and floe, CHECK constraints, and tables named by path."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, DataFrameReader, SparkSession, functions as sql
from pyspark.sql.types import StructType

from floe.lang.sql.literals import quote
from floe.lang.type_text import from_spark_json
from floe.model.contract import Target
from floe.model.plan import Expectation, Plan, RowRule
from floe.model.types import Array, Atomic, Family, MapOf, Member, Struct, Text, Type, spark_json


def struct_of(schema: Any) -> Struct:
    """A Spark schema as floe's type."""
    found = from_spark_json(json.loads(schema.json()))
    assert isinstance(found, Struct)
    return found


def struct_type(schema: Struct) -> StructType:
    """Floe's type as a Spark schema to read files with: nullable, and bounded text as plain text."""
    return StructType.fromJson(json.loads(json.dumps(spark_json(readable(schema)))))


def by_name(spark: SparkSession) -> DataFrameReader:
    """A reader for which paths are names, whatever signs they have, and no patterns."""
    return spark.read.option("__globPaths__", "false")


FieldIds = Mapping[tuple[str, ...], int]
"""The Iceberg id of each field, by its path of names."""


def with_field_ids(df: DataFrame, ids: FieldIds) -> DataFrame:
    """The same rows; files written of them carry the ids, by which Iceberg's readers find columns after a rename."""
    described = json.loads(df.schema.json())
    _number(described["fields"], ids, ())
    numbered = StructType.fromJson(described)
    # `to` gives ids to fields inside structs, for these it casts, and leaves the columns themselves as they are
    columns = [sql.col(quote(field.name)).alias(field.name, metadata=field.metadata) for field in numbered]
    return df.to(numbered).select(*columns)


def _number(fields: list[Any], ids: FieldIds, parent: tuple[str, ...]) -> None:
    for field in fields:
        path = (*parent, field["name"])
        field["metadata"] = {**field["metadata"], "parquet.field.id": ids[path]}
        if isinstance(field["type"], dict):
            _number(field["type"]["fields"], ids, path)


def readable(type_: Type) -> Any:
    """The type as files hold it."""
    match type_:
        case Text():
            return Atomic("string")
        case Array(element):
            return Array(readable(element))
        case MapOf(key, value):
            return MapOf(readable(key), readable(value))
        case Struct(members):
            return Struct(tuple(Member(m.name, readable(m.type)) for m in members))
    return type_


def settle(promised: Type, actual: Type | None) -> Type:
    """A type of the contract with every family replaced by the type of the table."""
    match promised, actual:
        case Family(), _ if actual is not None:
            return actual
        case Array(element, nullable), Array(element=other):
            return Array(settle(element, other), nullable)
        case MapOf(key, value, nullable), MapOf(key=other_key, value=other_value):
            return MapOf(settle(key, other_key), settle(value, other_value), nullable)
        case Struct(members), Struct(others):
            types = {other.name.casefold(): other.type for other in others}
            return Struct(
                tuple(Member(m.name, settle(m.type, types.get(m.name.casefold())), m.nullable) for m in members)
            )
    return promised


def ddl(schema: Struct) -> str:
    """The column list of a CREATE TABLE."""
    return ", ".join(f"{quote(m.name)} {sql_type(m.type, not m.nullable)}{_not_null(m, True)}" for m in schema.members)


def _not_null(member: Member, sure: bool) -> str:
    return " NOT NULL" if sure and not member.nullable else ""


def sql_type(type_: Type, sure: bool = False) -> str:
    """Spark SQL text of a type; NOT NULL stands only where everything around is there for sure (Delta refuses rows otherwise)."""
    match type_:
        case Array(element):
            return f"ARRAY<{sql_type(element)}>"
        case MapOf(key, value):
            return f"MAP<{sql_type(key)}, {sql_type(value)}>"
        case Struct(members):
            parts = (
                f"{quote(m.name)}: {sql_type(m.type, sure and not m.nullable)}{_not_null(m, sure)}" for m in members
            )
            return f"STRUCT<{', '.join(parts)}>"
    return str(type_)


PREFIX = "floe_"


@dataclass(frozen=True, slots=True)
class Protection:
    """What became of one rule: `held` by the table, or why not; `violated` where rows in the table break it."""

    id: str
    rule: str
    held: bool
    cause: str = ""
    violated: bool = False


def name_of(expectation: Expectation) -> str:
    """The name of a rule in a table; another text of the rule is another name."""
    rule = expectation.check.sql if isinstance(expectation.check, RowRule) else None
    said = f"{expectation.id} {rule}".encode()
    return PREFIX + hashlib.sha256(said).hexdigest()[:16]


def holdable(plan: Plan) -> list[Expectation]:
    """The expectations that decide about one row without any other."""
    return [
        expectation
        for expectation in plan.expectations
        if isinstance(expectation.check, RowRule) and expectation.gated and dict(expectation.operators) == {"mustBe": 0}
    ]


_ALLOWED = "spark.sql.runSQLOnFiles"


def run_on(spark: SparkSession, target: Target, statement: str) -> DataFrame:
    """Run a statement about a table; what it gives is read from there."""
    if target.name or str(spark.conf.get(_ALLOWED, "true")).lower() != "false" or not hasattr(spark, "_jsparkSession"):
        return spark.sql(statement)
    clone = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
    clone.conf.set(_ALLOWED, "true")
    return clone.sql(statement)
