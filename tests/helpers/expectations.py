"""Expectations on rows, and plans of them."""

from floe.model import Severity
from floe.model.plan import (
    Check,
    Expectation,
    ForeignKey,
    Plan,
    Reference,
    RowRule,
    UniqueKey,
)
from floe.model.types import Struct


def asked(
    id_: str, *, sql: str = "", keys: tuple[str, ...] = (), target: Reference | None = None, **what
) -> Expectation:
    check: Check = RowRule(sql)
    if keys:
        check = ForeignKey(keys, target) if target else UniqueKey(keys)
    head = {"id": id_, "code": "E556", "name": id_, "field": id_, "severity": Severity.ERROR, "check": check}
    return Expectation(**{**head, **what})


def plan(*expectations: Expectation, key: tuple[str, ...] = ("id",), masked: tuple[str, ...] = ()) -> Plan:
    return Plan(
        contract="shop.orders",
        version="1.0.0",
        dataset="orders",
        schema=Struct(()),
        key=key,
        partition=(),
        masked=frozenset(masked),
        expectations=expectations,
    )
