"""E508 sla-promises-disagree."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import fold
from floe.lang.quantity import parse_quantity
from floe.model import Contract, Message, Severity, Sla


@rule("E508", "sla-promises-disagree", Severity.ERROR, value=Contract)
def sla_promises_disagree(contract: Contract) -> Iterator[Message]:
    """One service level is promised twice with different values.

    Why: consumers rely on one of them and the monitor watches the other.

    Fix: keep one, or tell them apart by element or driver.
    """
    first: dict[tuple[str, str, str], Sla] = {}
    for sla in contract.sla:
        key = (fold(sla.property), fold(str(sla.element or "")), fold(str(sla.driver or "")))
        other = first.setdefault(key, sla)
        if other is not sla and _canonical(other) != _canonical(sla):
            yield Message(
                f"Service level '{sla.property}' is promised twice with different values",
                f"first {_written(other)}, then {_written(sla)}",
                "Keep one of the two, or tell them apart by element or driver",
                at=(*sla.at, "value"),
            )


def _canonical(sla: Sla) -> str:
    try:
        return parse_quantity(sla.value, sla.unit).canonical
    except ValueError:
        return _written(sla)


def _written(sla: Sla) -> str:
    return f"{sla.value} {sla.unit}" if sla.unit else str(sla.value)
