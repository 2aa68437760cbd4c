"""C11 name reused, and what modes of compatibility ask."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from floe.contract.compat.pairs import FieldPair, Terms, pairs
from floe.model import Contract
from floe.model.change import Change, Compatibility, Impact
from floe.model.contract import Version

MODES = ("none", "backward", "backward_transitive", "forward", "forward_transitive", "full", "full_transitive")
_ADDED = ("field-added", "required-field-added")


def with_reuse(changes: Sequence[Change], earlier: Sequence[Contract]) -> tuple[Change, ...]:
    """Changes in which a field whose name an earlier version used for another type is marked as dangerous (C11)."""
    before = [(contract, dict(_types(contract))) for contract in sorted(earlier, key=_version, reverse=True)]
    return tuple(_reuse(change, before) if change.change in _ADDED else change for change in changes)


def _reuse(change: Change, before: Sequence[tuple[Contract, dict[str, str]]]) -> Change:
    for contract, types in before:
        was = types.get(change.path)
        if was and was != change.new:
            return replace(
                change,
                row="C11",
                dangerous=True,
                reader=Impact.RISK,
                writer=Impact.BREAK if change.writer is Impact.BREAK else Impact.RISK,
                note=f"the name was used for {was} until {contract.version}",
            )
    return change


def _types(contract: Contract) -> Iterator[tuple[str, str]]:
    for pair in pairs(contract, contract, Terms()):
        if isinstance(pair, FieldPair) and pair.new:
            yield pair.path, str(pair.new.type)


def _version(contract: Contract) -> Version:
    return Version.read(contract.version) or Version(0, 0, 0)


def read_out(mode: str, changes: Sequence[Change]) -> Compatibility:
    """What breaks readers of the old version (backward), its writers (forward) or either (full)."""
    side = mode.removesuffix("_transitive")
    asked = {"backward": ("reader",), "forward": ("writer",), "full": ("reader", "writer")}.get(side, ())
    return Compatibility(
        mode, tuple(change for change in changes if Impact.BREAK in [getattr(change, word) for word in asked])
    )
