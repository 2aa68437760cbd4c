"""Bronze: what comes is captured as it comes, whatever its schema, with where and when it came from."""

from collections.abc import Iterator

from pyspark.sql import Column, DataFrame, SparkSession, functions as sql

from floe.lang.sql.literals import quote
from floe.model import TableError
from floe.model.contract import Target
from floe.model.types import Array, Atomic, MapOf, Member, Struct, Type, schema_hash
from floe.tables.formats import writable
from floe.tables.spark.schema import sql_type, struct_of
from floe.tables.state import State

META = (
    Member("_ingest_ts", Atomic("timestamp"), True),
    Member("_ingest_date", Atomic("date"), True),
    Member("_source_file", Atomic("string"), True),
    Member("_row_hash", Atomic("string"), True),
    Member("_schema_hash", Atomic("string"), True),
)


def captured(df: DataFrame, target: Target, state: State | None) -> tuple[Struct, list[Column], tuple[str, ...]]:
    """The schema to capture with, the columns of the batch under their names there, and what the table lacks."""
    observed = struct_of(df.schema)
    there = {member.name.casefold(): member for member in state.schema.members} if state else {}
    data = [_placed(target, member, there) for member in observed.members]
    members = (*data, *META)
    columns = [
        sql.col(quote(member.name)).alias(place.name) for member, place in zip(observed.members, data, strict=True)
    ]
    lacking = tuple(_lacking(target, members, there)) if state else ()
    return Struct(members), [*columns, *_meta(observed)], lacking


def captured_schema(spark: SparkSession, target: Target) -> Struct:
    """The columns that came into a Bronze table so far."""
    table = writable(target)
    if not table.exists(spark, target):
        raise TableError(f"The table {target} does not exist", "Write a batch to it first (floe.enforce)")
    ours = {member.name for member in META}
    return Struct(tuple(member for member in table.state(spark, target).schema.members if member.name not in ours))


def _placed(target: Target, member: Member, there: dict[str, Member]) -> Member:
    """The column for a value: its name, or a second name if the first one has another type."""
    kept = _nullable(writable(target).stored(member.type))
    known = there.get(member.name.casefold())
    if known is None or _nullable(known.type) == kept:
        return Member(known.name if known else member.name, _nullable(member.type), True)
    suffix = "".join(char if char.isalnum() else "_" for char in str(kept)).strip("_")
    return Member(f"{member.name}__{suffix}", _nullable(member.type), True)


def _nullable(type_: Type) -> Type:
    match type_:
        case Struct(members):
            return Struct(tuple(Member(m.name, _nullable(m.type), True) for m in members))
        case Array(element):
            return Array(_nullable(element), True)
        case MapOf(key, value):
            return MapOf(_nullable(key), _nullable(value), True)
    return type_


def _lacking(target: Target, members: tuple[Member, ...], there: dict[str, Member]) -> Iterator[str]:
    for member in members:
        if member.name.casefold() not in there:
            kind = sql_type(writable(target).stored(member.type))
            yield f"ALTER TABLE {target.sql} ADD COLUMNS ({quote(member.name)} {kind})"


def _meta(observed: Struct) -> list[Column]:
    """When a row came, from which file, what it was, and the schema it came with."""
    names = sorted(member.name for member in observed.members)
    row = sql.to_json(sql.struct(*(sql.col(quote(name)) for name in names)))
    values = (
        sql.current_timestamp(),
        sql.current_date(),
        sql.nullif(sql.input_file_name(), sql.lit("")),
        sql.sha2(row, 256),
        sql.lit(schema_hash(observed)),
    )
    return [value.alias(member.name) for value, member in zip(values, META, strict=True)]
