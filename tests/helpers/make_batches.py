"""Writes the demo's batches: a good one, and five that break the contract in one way each."""

import datetime
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema(
    [
        ("order_id", pa.int64()),
        ("customer_id", pa.string()),
        ("order_ts", pa.timestamp("us", "UTC")),
        ("status", pa.string()),
        ("amount", pa.decimal128(14, 2)),
        ("ship_to", pa.struct([("country", pa.string()), ("city", pa.string())])),
    ]
)
CITIES = (("DE", "Berlin"), ("FR", "Lyon"), ("PT", "Porto"))
NOON = datetime.datetime(2026, 11, 14, 12, tzinfo=datetime.UTC)


def order(number: int) -> dict[str, object]:
    country, city = CITIES[number % 3]
    return {
        "order_id": number,
        "customer_id": f"C{number % 40:03d}",
        "order_ts": NOON + datetime.timedelta(minutes=number),
        "status": ("placed", "shipped", "returned")[number % 3],
        "amount": Decimal(number % 90 + 10) + Decimal("0.90"),
        "ship_to": {"country": country, "city": city} if number % 10 else None,
    }


def orders(first: int, count: int) -> list[dict[str, object]]:
    return [order(number) for number in range(first, first + count)]


def write(folder: Path) -> None:
    good = pa.Table.from_pylist(orders(1, 1000), SCHEMA)
    more = pa.Table.from_pylist(orders(1001, 100), SCHEMA)
    key_null = orders(1001, 100)
    key_null[7]["order_id"] = None
    key_twice = orders(1001, 100)
    key_twice[7]["order_id"] = 1001
    broken = {
        "1_amount_is_text": more.set_column(4, "amount", more["amount"].cast(pa.string())),
        "2_customer_missing": more.drop_columns(["customer_id"]),
        "3_coupon_extra": more.append_column("coupon", pa.array(["WELCOME"] * more.num_rows)),
        "4_key_null": pa.Table.from_pylist(key_null, SCHEMA),
        "5_key_twice": pa.Table.from_pylist(key_twice, SCHEMA),
    }
    (folder / "broken").mkdir(parents=True, exist_ok=True)
    pq.write_table(good, folder / "good.parquet")
    for name, table in broken.items():
        pq.write_table(table, folder / "broken" / f"{name}.parquet")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
