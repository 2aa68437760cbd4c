"""The columns of the tables, with values that keep the rules and values that break them."""

import datetime
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column: its types, a value that keeps every rule, and values that break one of them."""

    type: str
    arrow: pa.DataType
    usual: Any
    odd: tuple[Any, ...]


def _utc(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)


_TENTH, _ABOVE = Decimal("0.1"), Decimal("0.100000000000000001")  # the same number as doubles
_PRICE = pa.struct([("amount", pa.decimal128(38, 18)), ("n", pa.int32()), ("m", pa.int32())])

COLUMNS = {
    "id": Column("bigint", pa.int64(), None, ()),
    "code": Column("string", pa.string(), "A", ("bad 1", None)),
    "raw": Column("string", pa.string(), "raw 9", ("B", None)),
    "amount": Column("decimal(38,18)", pa.decimal128(38, 18), _TENTH, (_ABOVE, None)),
    "v": Column("double", pa.float64(), 14.0, (math.nan, math.inf, 1e-19, 0.5, 7e39, 1e39, 1e300, None)),
    "n": Column("int", pa.int32(), 5, (-1, 500, None)),
    "price": Column(
        "struct<amount:decimal(38,18),n:int,m:int>",
        _PRICE,
        {"amount": _TENTH, "n": 5, "m": -5},
        ({"amount": _ABOVE, "n": 5, "m": -5}, {"amount": _TENTH, "n": -5, "m": 5}, None),
    ),
    # instants that are before or after these dates and local times, depending on the time zone
    "at": Column("timestamp", pa.timestamp("us", "UTC"), _utc("2026-03-03 12:00"), (_utc("2026-03-01 23:30"), None)),
    "wall": Column(
        "timestamp_ntz",
        pa.timestamp("us"),
        datetime.datetime(2026, 3, 2, 12),
        (datetime.datetime(2026, 3, 3, 15), datetime.datetime(2026, 3, 3, 8), None),
    ),
    "day": Column("date", pa.date32(), datetime.date(2026, 3, 2), (datetime.date(2026, 3, 4), None)),
}


def arrow_table(rows: list[Row], types: Mapping[str, str]) -> pa.Table:
    """Rows for writers without Spark."""
    fields = [(name, _arrow(name, type_)) for name, type_ in types.items()]
    return pa.table({name: pa.array([row.get(name) for row in rows], type_) for name, type_ in fields})


def _arrow(name: str, type_: str) -> pa.DataType:
    if type_.startswith("struct"):
        types = {field.name: field.type for field in _PRICE}
        return pa.struct([(member, types[member]) for member in _members(type_)])
    return pa.int64() if type_ == "bigint" else COLUMNS[name].arrow


def _members(type_: str) -> list[str]:
    """The members of a struct in their current order: swap_members renames them."""
    return re.findall(r"(\w+):", type_)


def sql_rows(rows: list[Row], types: Mapping[str, str]) -> str:
    """The same rows as a query."""
    lines = (", ".join(_literal(row.get(name), type_) for name, type_ in types.items()) for row in rows)
    values = ", ".join(f"({line})" for line in lines)
    return f"SELECT * FROM VALUES {values} AS new_rows({', '.join(types)})"


def _literal(value: Any, type_: str) -> str:
    match value:
        case None:
            text = "NULL"
        case datetime.datetime() if value.tzinfo:
            text = f"TIMESTAMP'{value:%Y-%m-%d %H:%M:%S}Z'"
        case datetime.datetime():
            text = f"TIMESTAMP_NTZ'{value:%Y-%m-%d %H:%M:%S}'"
        case datetime.date():
            text = f"DATE'{value}'"
        case dict():
            parts = (
                _literal(value[member], COLUMNS["amount" if member == "amount" else "n"].type)
                for member in _members(type_)
            )
            text = f"struct({', '.join(parts)})"
        case _:
            text = f"'{value}'"
    return f"CAST({text} AS {type_})"
