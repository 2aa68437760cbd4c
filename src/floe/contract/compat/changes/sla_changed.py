"""F1 to F7: service levels stricter, relaxed, added, removed, respelled, measured elsewhere, described otherwise."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import SlaPair
from floe.contract.compat.parts import differing
from floe.contract.compat.service_level import element_of, verdict
from floe.model import Sla
from floe.model.change import Bump, Impact

_JUDGED = ("property", "value", "valueExt", "unit", "element")


@change("sla-stricter", "F1", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.RISK, value=SlaPair, basis="given")
def sla_stricter(pair: SlaPair) -> Iterator[Delta]:
    """A service level is stricter.

    Why: consumers gain; the producer has to meet it from now on.

    Fix: raise the MINOR version.
    """
    yield from _values(pair, "stricter")


@change("sla-relaxed", "F2", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=SlaPair, basis="given")
def sla_relaxed(pair: SlaPair) -> Iterator[Delta]:
    """A service level is weaker, or a regulatory retention changed.

    Why: consumers depend on the old value.

    Fix: keep the old value, or publish a MAJOR version with a migration text.
    """
    yield from _values(pair, "relaxed")


@change("sla-added", "F3", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.RISK, value=SlaPair)
def sla_added(pair: SlaPair) -> Iterator[Delta]:
    """A service level is new.

    Why: consumers gain a guarantee; the producer has to meet it from now on.

    Fix: raise the MINOR version.
    """
    if pair.new and not pair.old:
        yield Delta(new=_shown(pair.new), about=pair.new)


@change("sla-removed", "F3", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=SlaPair)
def sla_removed(pair: SlaPair) -> Iterator[Delta]:
    """A service level was removed.

    Why: consumers depend on the guarantee.

    Fix: keep it, or publish a MAJOR version with a migration text.
    """
    if pair.old and not pair.new:
        yield Delta(old=_shown(pair.old), about=pair.old)


@change("sla-respelled", "F4", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=SlaPair)
def sla_respelled(pair: SlaPair) -> Iterator[Delta]:
    """A service level has the same value in another unit or spelling.

    Why: 24h, 1d and PT24H are equal values, but the document changed.

    Fix: raise the PATCH version.
    """
    yield from _values(pair, "respelled")


@change("sla-element-changed", "F5", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=SlaPair)
def sla_element_changed(pair: SlaPair) -> Iterator[Delta]:
    """A service level is measured on another column.

    Why: the same number describes something else, and the old column has no service level any more.

    Fix: keep the element and add a second service level, or publish a MAJOR version.
    """
    if not (pair.old and pair.new):
        return
    old, new = element_of(pair.old, pair.contracts.old), element_of(pair.new, pair.contracts.new)
    if old != new:
        yield Delta(path="element", old=", ".join(old) or None, new=", ".join(new) or None, about=pair.new)


@change("sla-note-changed", "F6", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=SlaPair)
def sla_note_changed(pair: SlaPair) -> Iterator[Delta]:
    """The driver, description, schedule or another note of a service level changed.

    Why: notes do not change the value.

    Fix: raise the PATCH version.
    """
    if pair.old and pair.new:
        for part in differing(pair.old.node, pair.new.node, "slaProperties", _JUDGED):
            yield Delta(path=part.path, old=part.old, new=part.new, about=pair.new)


@change("sla-changed", "F7", bump=Bump.MAJOR, reader=Impact.RISK, writer=Impact.RISK, value=SlaPair)
def sla_changed(pair: SlaPair) -> Iterator[Delta]:
    """The value of a service level changed, and floe cannot decide whether it is stricter or weaker.

    Why: the direction of its name is unknown, or the units of the two values cannot be compared.

    Fix: use a name and unit of the standard, or set the direction in the manifest, compatibility: {sla_directions:
    {rowsPerHour: higher}}.
    """
    yield from _values(pair, "unknown", "direction unknown")


def _values(pair: SlaPair, wanted: str, note: str = "") -> Iterator[Delta]:
    if pair.old and pair.new and verdict(pair) == wanted:
        yield Delta(old=_shown(pair.old), new=_shown(pair.new), note=note, about=pair.new)


def _shown(sla: Sla) -> str:
    second = sla.node.get("valueExt")
    text = f"{sla.value}" if second is None else f"{sla.value} to {second}"
    return f"{text} {sla.unit}" if sla.unit else text
