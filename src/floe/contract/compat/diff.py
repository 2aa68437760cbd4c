"""All changes between two versions of a contract."""

from collections import defaultdict

from floe.contract.compat.change import Delta, Kind
from floe.contract.compat.pairs import Pair, Terms, pairs
from floe.model import Contract
from floe.model.change import Change, Impact


def changes(old: Contract, new: Contract, kinds: tuple[Kind, ...], terms: Terms | None = None) -> list[Change]:
    """What a new version changes, worst first."""
    by_pair: defaultdict[type, list[Kind]] = defaultdict(list)
    for kind in kinds:
        by_pair[kind.each].append(kind)
    found = [
        _change(kind, pair, delta)
        for pair in pairs(old, new, terms or Terms())
        for kind in by_pair[type(pair)]
        for delta in kind.ask(pair)
    ]
    return sorted(found, key=lambda one: (-one.bump, one.path, one.change))


def _change(kind: Kind, pair: Pair, delta: Delta) -> Change:
    reader, writer = delta.reader or kind.reader, delta.writer or kind.writer
    return Change(
        change=kind.name,
        row=delta.row or kind.row,
        path=".".join(part for part in (pair.path, delta.path or "") if part),
        old=delta.old,
        new=delta.new,
        bump=kind.bump if delta.bump is None else delta.bump,
        reader=reader,
        writer=writer,
        basis=kind.basis,
        dangerous=delta.dangerous or Impact.RISK in (reader, writer),
        klass=delta.klass,
        formats=delta.formats,
        note=delta.note,
        place=delta.about.node.place if delta.about else None,
        more=delta.more,
    )
