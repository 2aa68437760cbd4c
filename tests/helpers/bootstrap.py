"""Tables that a first contract is made of."""

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import yaml

UTC = datetime.UTC
EMOJI = "😀 \"q' `b"
SCHEMA = pa.schema(
    [
        pa.field("order_id", pa.int64(), nullable=False),
        ("customer_email", pa.string()),
        ("status", pa.string()),
        ("amount", pa.decimal128(9, 2)),
        ("day", pa.date32()),
        ("ts", pa.timestamp("us", "UTC")),
        ("ntz", pa.timestamp("us")),
        ("score", pa.float64()),
        ("nothing", pa.string()),
        ("blob", pa.binary()),
        ("tags", pa.list_(pa.string())),
        ("attrs", pa.map_(pa.string(), pa.int32())),
        ("who", pa.struct([("first name", pa.string()), ("a.b", pa.int32())])),
        ("odd.name", pa.int32()),
        ("my col", pa.string()),
        (EMOJI, pa.bool_()),
    ]
)


def row(number: int, **changes: Any) -> dict[str, Any]:
    moment = datetime.datetime(2026, 1, number, 1, 2, 3, 456789)
    return {
        "order_id": number,
        "customer_email": f"a{number}@example.org",
        "status": ("no", "it's", "paid")[number % 3],
        "amount": Decimal(number) / 4,
        "day": datetime.date(2026, 1, number),
        "ts": moment.replace(tzinfo=UTC),
        "ntz": moment,
        "score": number / 10,
        "nothing": None,
        "blob": b"x",
        "tags": ["a", None],
        "attrs": [("k", 1)],
        "who": {"first name": "Ann", "a.b": 1},
        "odd.name": number % 3,
        "my col": None if number == 1 else "q",
        EMOJI: True,
    } | changes


def rows(*more: dict[str, Any], schema: pa.Schema = SCHEMA) -> pa.Table:
    return pa.Table.from_pylist([*(row(number) for number in range(1, 9)), *more], schema=schema)


def fields(text: str) -> dict[str, dict[str, Any]]:
    return {field["name"]: field for field in yaml.safe_load(text)["schema"][0]["properties"]}
