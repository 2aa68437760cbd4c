"""Contracts and rows of the tables that gates write to."""

from floe.tables.formats import readable
from tests.conftest import Lake


def read(spark, lake: Lake):
    return readable(lake.target).read(spark, lake.target)


def rows_of(spark, lake: Lake) -> list[tuple]:
    found = read(spark, lake).orderBy("order_id").collect()
    return [(row.order_id, row.status, str(row.amount)) for row in found]


def partitioned(lake: Lake) -> None:
    lake.contract("        primaryKey: true\n        primaryKeyPosition: 1\n", "        primaryKey: true\n")
    text = lake.contract().read_text()
    lake.contract().write_text(
        text.replace(
            "      - name: status\n",
            "      - name: status\n        partitioned: true\n        partitionKeyPosition: 1\n",
        )
    )


def quarantining(lake: Lake) -> None:
    lake.contract(
        "    customProperties:\n", "    customProperties:\n      - property: onViolation\n        value: quarantine\n"
    )
