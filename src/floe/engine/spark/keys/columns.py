"""The columns of a key under names of their own, `floe key 0` and so on."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from floe.lang.sql.literals import quote

# not: fractions, whose zeros and NaN have several forms, and texts that compare by a collation
_HASHED = (
    *("tinyint", "smallint", "int", "bigint", "decimal", "date", "timestamp", "timestamp_ntz"),
    *("string", "boolean", "binary"),
)


def key_names(columns: Sequence[str]) -> list[str]:
    """What the columns of a key are called."""
    return [f"floe key {index}" for index in range(len(columns))]


def key_rows(rows: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The keys of all rows, also of those with a null part."""
    names = zip(columns, key_names(columns), strict=True)
    return rows.selectExpr(*(f"{quote(column)} AS {quote(name)}" for column, name in names))


def whole_keys(rows: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The keys that have no null part."""
    return key_rows(rows.where(is_whole(columns)), columns)


def is_whole(columns: Sequence[str]) -> str:
    """As SQL: no part of a key is null."""
    return " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)


def hashable(rows: DataFrame) -> bool:
    """Whether values of all columns are the same where their hashes are built of the same bytes."""
    return all(type_.split("(")[0] in _HASHED for _, type_ in rows.dtypes)
