"""Columns that are read row by row, whatever statistics say of them.

Spark skips files by the statistics of their columns, and answers count, min and max from them: Delta by its log, Iceberg
by its manifests, Parquet by its footers. Some statistics are not those of the values that readers see. delta-rs writes
bounds of decimals as doubles. No writer but Spark counts NaN, which Spark holds to be greater than every number. Iceberg
tables may hold files of others whose columns were renamed since (`TableFacts.loose`). A query that filters by such a
column, or asks for its maximum, then gets a wrong result without an error.

So such a column is read through an expression that gives the same value, but is no column to those optimisers. Filters
and aggregates on other columns still go down to the files. It costs a comparison per value.
"""

from collections.abc import Collection

from pyspark.sql import DataFrame, functions as sql

from floe.lang.sql.literals import quote
from floe.model import TableError
from floe.model.contract import Target
from floe.model.types import Array, Atomic, Decimal, MapOf, Struct, Type
from floe.settings import Settings
from floe.tables import probe, reader_of
from floe.tables.spark.schema import struct_of

_DIGITS = 15  # of decimals that a double holds exactly


def without_statistics(rows: DataFrame, names: Collection[str]) -> DataFrame:
    """The same rows; nothing is skipped by these columns, and nothing is answered without reading them."""
    if not names:
        return rows
    members = {member.name: member for member in struct_of(rows.schema).members}
    return rows.select(
        *(
            sql.expr(_opaque(quote(name), member.type)).alias(name) if name in names else sql.col(quote(name))
            for name, member in members.items()
        )
    )


def without_loose_statistics(rows: DataFrame, target: Target, settings: Settings) -> DataFrame:
    """The rows of a table; nothing is skipped by columns of which its log may hold wrong statistics."""
    try:
        facts = None if reader_of(target).needs_spark(target) else probe(target, settings)
    except TableError:
        facts = None
    return without_statistics(rows, facts.loose if facts else uncertain_columns(rows))


def uncertain_columns(rows: DataFrame) -> set[str]:
    """The columns whose statistics some writer gets wrong, whoever wrote them."""
    return {member.name for member in struct_of(rows.schema).members if _uncertain(member.type)}


def _uncertain(type_: Type) -> bool:
    match type_:
        case Atomic("float" | "double"):
            return True
        case Decimal(precision):
            return precision > _DIGITS
        case Struct(members):
            return any(_uncertain(member.type) for member in members)
    return False


def _opaque(column: str, type_: Type) -> str:
    """The same value; what has no order, or may have none inside, is taken out of a list of one."""
    nested = isinstance(type_, Struct | Array | MapOf) or type_ == Atomic("variant")
    return f"element_at(array({column}), 1)" if nested else f"greatest({column}, {column})"
