"""CREATE TABLE as Spark SQL reads it."""

import json
import re
from collections.abc import Sequence

from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.table import Column, SchemaTable, closed_table
from floe.model.types import Array, MapOf, Struct, quoted as plain_quoted

HOLDS = frozenset({"descriptions", "dataset description", "partitioning", "physical name"})
HEAD = "-- Spark SQL"
# Spark's DDL cannot say that an element is never null; a property can, and floe reads it back
NEVER_NULL = "floe.never_null"
RESERVED = re.compile(
    r"all|and|anti|any|array|as|at|authorization|both|by|case|cast|check|collate|column|comment|"
    r"constraint|create|cross|cube|current|current_date|current_time|current_timestamp|current_user|delete|"
    r"describe|distinct|drop|else|end|escape|except|exists|external|false|fetch|filter|for|foreign|"
    r"from|full|function|global|grant|group|grouping|having|in|inner|insert|intersect|interval|into|"
    r"is|join|key|lateral|leading|left|like|limit|local|map|natural|no|not|null|of|offset|on|only|"
    r"or|order|out|outer|overlaps|partition|position|primary|range|references|revoke|right|rollback|"
    r"rollup|row|rows|select|semi|session_user|set|some|start|struct|table|tablesample|then|time|to|"
    r"trailing|true|truncate|union|unique|unknown|update|user|using|values|when|where|window|with",
    re.IGNORECASE,
)


def write(tables: Sequence[tuple[SchemaTable, Sequence[str]]]) -> str:
    """One CREATE TABLE per table; each comes with the names of its partition columns."""
    return "\n\n".join([HEAD, *(_create(closed_table(table), partition) for table, partition in tables)]) + "\n"


def notes(tables: Sequence[tuple[SchemaTable, Sequence[str]]]) -> tuple[LostParts, ...]:
    """What Spark itself will not hold of the text."""
    where = [f"{table.name}.{part.path}" for table, _ in tables for part in _never_null(table)]
    what = f"elements that are never null (kept as the property {NEVER_NULL})"
    return (LostParts(what, tuple(where)),) if where else ()


def _never_null(table: SchemaTable) -> list[Column]:
    return [part for part in table.walk() if not part.nullable and part.path.endswith(("[]", "{}"))]


def _create(table: SchemaTable, partition: Sequence[str]) -> str:
    rows = ",\n".join(f"  {_column(column)}" for column in table.columns)
    text = f"CREATE TABLE {_name(table)} (\n{rows}\n)"
    if partition:
        text += f"\nPARTITIONED BY ({', '.join(map(quoted, partition))})"
    if table.description:
        text += f"\nCOMMENT {_literal(table.description)}"
    if paths := [part.path for part in _never_null(table)]:
        text += f"\nTBLPROPERTIES ({_literal(NEVER_NULL)} = {_literal(json.dumps(paths))})"
    return text + ";"


def quoted(name: str) -> str:
    """A name that no SQL parser takes for a word of its own.

    >>> quoted("id"), quoted("order")
    ('id', '`order`')
    """
    return f"`{name}`" if RESERVED.fullmatch(name) else plain_quoted(name)


def _name(table: SchemaTable) -> str:
    return ".".join(quoted(part) for part in (table.physical_name or table.name).split("."))


def _column(column: Column, between: str = " ") -> str:
    null = "" if column.nullable else " NOT NULL"
    comment = f" COMMENT {_literal(column.description)}" if column.description else ""
    return f"{quoted(column.name)}{between}{_type(column)}{null}{comment}"


def _type(column: Column) -> str:
    match column.type:
        case Struct():
            return f"STRUCT<{', '.join(_column(part, ': ') for part in column.parts)}>"
        case Array():
            return f"ARRAY<{_type(column.parts[0])}>"
        case MapOf():
            return f"MAP<{', '.join(map(_type, column.parts))}>"
    return str(column.type).upper()


def _literal(text: str) -> str:
    """A string of Spark SQL; its backslashes escape, as Spark reads them by default."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"
