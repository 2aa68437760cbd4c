"""E508 sla-promises-disagree."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import fold
from floe.lang.quantity import parse_quantity
from floe.model import Contract, Message, Severity, Sla


@rule("E508", "sla-promises-disagree", Severity.ERROR, value=Contract)
def sla_promises_disagree(contract: Contract) -> Iterator[Message]:
    """A service level is given twice with different values.

    Why: consumers may expect one value while the monitor checks the other.

    Fix: keep one of them, or give them different elements or drivers.
    """
    first: dict[tuple[str, str, str], Sla] = {}
    for sla in contract.sla:
        key = (fold(sla.property), fold(str(sla.element or "")), fold(str(sla.driver or "")))
        other = first.setdefault(key, sla)
        if other is not sla and _canonical(other) != _canonical(sla):
            yield Message(
                f"Service level '{sla.property}' is given twice with different values",
                f"first {_written(other)}, then {_written(sla)}",
                "Keep one of the two, or give them different elements or drivers",
                at=(*sla.at, "value"),
            )


def _canonical(sla: Sla) -> str:
    try:
        return parse_quantity(sla.value, sla.unit).canonical
    except ValueError:
        return _written(sla)


def _written(sla: Sla) -> str:
    return f"{sla.value} {sla.unit}" if sla.unit else str(sla.value)
