"""Writes the daily extracts of the shop: the same rows for the same seed and scale; each day has a different problem."""

import argparse
import datetime
import itertools
import random
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]
CHUNK = 50_000  # rows in memory at a time
DAYS = [datetime.date(2026, 11, day) for day in (9, 10, 11, 12, 13)]
TIMESTAMP = pa.timestamp("us", "UTC")
ORDERS = pa.schema(
    [
        ("order_id", pa.int64()),
        ("customer_id", pa.string()),
        ("order_ts", TIMESTAMP),
        ("status", pa.string()),
        ("amount", pa.decimal128(12, 2)),
    ]
)
AMOUNT_AS_TEXT = ORDERS.set(4, pa.field("amount", pa.string()))
WITH_COUPON = ORDERS.append(pa.field("coupon", pa.string()))
CUSTOMERS = pa.schema(
    [("customer_id", pa.string()), ("email", pa.string()), ("country", pa.string()), ("updated_at", TIMESTAMP)]
)
VISITS = pa.schema(
    [
        ("visit_id", pa.string()),
        ("customer_id", pa.string()),
        ("visit_ts", TIMESTAMP),
        ("channel", pa.string()),
        ("pages", pa.int32()),
    ]
)


class Shop:
    """A shop whose every row follows from its number and the seed."""

    def __init__(self, seed: int, scale: int) -> None:
        self.seed = seed
        self.orders_a_day, self.visits_a_day, self.customers = 1000 * scale, 2000 * scale, 200 * scale

    def customer_rows(self) -> Iterator[Row]:
        for number in range(self.customers):
            yield {
                "customer_id": f"C{number:06d}",
                "email": f"customer{number}@mail.example",
                "country": self._dice("customer", number).choice(("DE", "FR", "PT")),
                "updated_at": _midnight(DAYS[0]),
            }

    def visit_rows(self, day: datetime.date) -> Iterator[Row]:
        for number in range(self.visits_a_day):
            dice = self._dice("visit", day, number)
            yield {
                "visit_id": f"{day:%m%d}-{number}",
                "customer_id": self._customer(dice),
                "visit_ts": _moment(day, dice),
                "channel": dice.choice(("mail", "search", "social")),
                "pages": dice.randint(1, 30),
            }

    def order_rows(self, day: datetime.date) -> Iterator[Row]:
        """The day's new orders, and a tenth of the day before that were shipped since."""
        before = day - datetime.timedelta(days=1)
        if before in DAYS:
            yield from (self.order(before, i, status="shipped") for i in range(self.orders_a_day // 10))
        yield from (self.order(day, i) for i in range(self.orders_a_day))

    def order(self, day: datetime.date, number: int, **other: Any) -> Row:
        dice = self._dice("order", day, number)
        row = {
            "order_id": DAYS.index(day) * 10_000_000 + number,
            "customer_id": self._customer(dice),
            "order_ts": _moment(day, dice),
            "status": "placed",
            "amount": Decimal(dice.randint(500, 50_000)) / 100,
        }
        return {**row, **other}

    def _customer(self, dice: random.Random) -> str:
        return f"C{dice.randrange(self.customers):06d}"

    def _dice(self, *what: object) -> random.Random:
        return random.Random(f"{self.seed} {what}")


def _midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime.combine(day, datetime.time(), datetime.UTC)


def _moment(day: datetime.date, dice: random.Random) -> datetime.datetime:
    return _midnight(day) + datetime.timedelta(seconds=dice.randrange(86_400))


def bad(rows: Iterable[Row]) -> Iterator[Row]:
    """Orders of which a few are wrong: each kind once in two hundred rows."""
    for number, row in enumerate(rows):
        match number % 200:
            case 7:
                row["customer_id"] = None
            case 17:
                row["amount"] = -row["amount"]
            case 27:
                row["status"] = "cancelled"
            case 37:
                row["customer_id"] = "guest"
            case 47:
                row["customer_id"] = "C999999"
        yield row


def unseen(rows: Iterable[Row]) -> Iterator[Row]:
    """Visits of which the first saw no page."""
    return ({**row, "pages": 0} if number == 0 else row for number, row in enumerate(rows))


def as_text(rows: Iterable[Row]) -> Iterator[Row]:
    """Orders after the shop's release on Tuesday: amounts became text."""
    return ({**row, "amount": f"{row['amount']} EUR"} for row in rows)


def with_coupon(rows: Iterable[Row]) -> Iterator[Row]:
    """Orders of a shop that knows coupons."""
    return ({**row, "coupon": "WINTER" if row["order_id"] % 5 == 0 else None} for row in rows)


def corrected(shop: Shop) -> Iterator[Row]:
    """Monday's orders once more, in their latest state, with the tax that was forgotten."""
    for number in range(shop.orders_a_day):
        row = shop.order(DAYS[0], number, status="shipped" if number < shop.orders_a_day // 10 else "placed")
        yield {**row, "amount": (row["amount"] * Decimal("1.19")).quantize(Decimal("0.01")), "coupon": None}


def write(path: Path, schema: pa.Schema, rows: Iterator[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema) as writer:
        while chunk := list(itertools.islice(rows, CHUNK)):
            writer.write_table(pa.Table.from_pylist(chunk, schema))


def write_all(folder: Path, seed: int, scale: int) -> None:
    shop = Shop(seed, scale)
    monday, tuesday, wednesday, thursday, friday = DAYS
    write(folder / f"{monday}/customers.parquet", CUSTOMERS, shop.customer_rows())
    write(folder / f"{monday}/orders.parquet", ORDERS, shop.order_rows(monday))
    write(folder / f"{monday}/visits.parquet", VISITS, shop.visit_rows(monday))
    write(folder / f"{tuesday}/orders.parquet", AMOUNT_AS_TEXT, as_text(shop.order_rows(tuesday)))
    write(folder / f"{tuesday}/orders_resent.parquet", ORDERS, shop.order_rows(tuesday))
    write(folder / f"{wednesday}/orders.parquet", ORDERS, bad(shop.order_rows(wednesday)))
    write(folder / f"{wednesday}/visits.parquet", VISITS, unseen(shop.visit_rows(wednesday)))
    write(folder / f"{thursday}/orders.parquet", WITH_COUPON, with_coupon(shop.order_rows(thursday)))
    write(folder / f"{friday}/orders.parquet", WITH_COUPON, with_coupon(shop.order_rows(friday)))
    write(folder / f"backfill/orders_{monday}.parquet", WITH_COUPON, corrected(shop))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--scale", type=int, default=1)
    options = parser.parse_args()
    write_all(options.folder, options.seed, options.scale)


if __name__ == "__main__":
    main()
