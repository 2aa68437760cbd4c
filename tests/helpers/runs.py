"""Runs to record and emit."""

from datetime import UTC, datetime
from typing import Any

from floe.model import Severity
from floe.model.result import FAIL, Outcome, Result

AT = datetime(2026, 11, 16, 12, tzinfo=UTC)
RUN = "0123456789abcdef0123456789abcdef"
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:orders
name: orders
domain: sales
dataProduct: shop
version: 1.2.0
status: active
schema:
  - name: orders
    properties:
      - {name: order_id, physicalType: bigint, logicalType: integer, required: true}
"""


def broken(**given: Any) -> Result:
    one = Outcome(
        id="orders.email:null-value",
        code="E550",
        name="null-value",
        field="orders.email",
        severity=Severity.ERROR,
        outcome=FAIL,
        message="Null in 'orders.email' in 3 rows",
        expected=0,
        actual=3,
        samples=({"email": "ada@acme.com"},),
    )
    head = {"contract": "sales.shop/orders", "version": "1.2.0", "dataset": "orders", "expectations": (one,)}
    cost = {"seconds": 1.5}
    return Result(
        **{**head, "checked_at": "2026-11-16T12:00:00.000Z", "location": "/lake/orders", "cost": cost, **given}
    )
