"""How one service level compares with another: stricter, relaxed, the same in other words, or nobody can tell."""

from typing import Any

from floe.contract.compat.pairs import SlaPair, sla_name
from floe.model import Contract, Sla
from floe.model.service_level import HIGHER, LATER, Measured, direction, measured


def verdict(pair: SlaPair) -> str:
    """`same`, `respelled`, `stricter`, `relaxed` or `unknown`; the value alone, not what it is measured on."""
    assert pair.old is not None
    assert pair.new is not None
    if _written(pair.old) == _written(pair.new):
        return "same"
    one, other = (measured(sla_name(sla), sla.value, sla.unit) for sla in (pair.old, pair.new))
    if one is None or other is None or one[0] != other[0] or _second(pair.old) != _second(pair.new):
        return "unknown"
    return "respelled" if one[1] == other[1] else _judged(pair, one, other)


def _judged(pair: SlaPair, value: Measured, other: Measured) -> str:
    assert pair.old is not None
    assert pair.new is not None
    name = sla_name(pair.new)
    way = direction(name, value[0], pair.contracts.terms.sla_directions)
    if way is None:
        return "unknown"
    if name == "retention" and "regulatory" in (_word(pair.old.driver), _word(pair.new.driver)):
        return "relaxed"
    rises = other[1] > value[1]
    return "stricter" if rises == (way in (HIGHER, LATER)) else "relaxed"


def element_of(sla: Sla, contract: Contract) -> tuple[str, ...]:
    """The columns a service level is measured on: its own, else those the contract names for all."""
    said = sla.element or contract.node.get("slaDefaultElement")
    return tuple(sorted(part.strip() for part in said.split(","))) if isinstance(said, str) else ()


def _word(text: str | None) -> str:
    return (text or "").strip().casefold()


def _written(sla: Sla) -> tuple[Any, ...]:
    return sla.property, sla.value, sla.unit, _second(sla)


def _second(sla: Sla) -> Any:
    """The other end of a service level that is a range."""
    return sla.node.get("valueExt")
