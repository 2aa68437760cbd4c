"""Batches of orders for tests: rows one can count by eye."""

import datetime
from decimal import Decimal

COLUMNS = (
    "order_id bigint, customer_id string, order_ts timestamp, status string, amount decimal(14,2), "
    "ship_to struct<country:string,city:string>"
)
NOON = datetime.datetime(2026, 11, 14, 12, tzinfo=datetime.UTC)


def order(number: int | None, **other: object) -> dict[str, object]:
    row = {
        "order_id": number,
        "customer_id": "C1",
        "order_ts": NOON,
        "status": "placed",
        "amount": Decimal("9.90"),
        "ship_to": {"country": "DE", "city": "Berlin"},
    }
    return {**row, **other}


def frame(spark, *rows: dict[str, object], columns: str = COLUMNS):
    return spark.createDataFrame(list(rows), columns)
