"""All changes between two versions of a contract."""

from collections import defaultdict
from collections.abc import Iterator
from typing import get_args

from floe.contract.compat.explained import explained
from floe.contract.compat.kind import ChangeKind, Delta
from floe.contract.compat.pairs import FieldPair, Pair, Terms, pairs
from floe.contract.compat.same_version import in_one_form
from floe.contract.formats import canonical
from floe.contract.lint.rules.secret import without_secrets
from floe.model import Contract
from floe.model.change import Change, Impact

# the sections whose rows may fire where nothing but the form of a document differs
_SPELLED = ("A", "G")


def changes(old: Contract, new: Contract, kinds: tuple[ChangeKind, ...], terms: Terms | None = None) -> list[Change]:
    """What a new version changes, worst first; nothing where only order, comments or aliases differ (row A1)."""
    by_pair: defaultdict[type, list[ChangeKind]] = defaultdict(list)
    for kind in sorted(kinds, key=lambda kind: kind.last):
        for each_one in get_args(kind.value) or (kind.value,):
            by_pair[each_one].append(kind)
    both = pairs(*in_one_form(old, new), terms or Terms())
    found = [change for pair in both if not _as_before(pair) for change in _found(pair, by_pair[type(pair)])]
    if found and all(item.row[0] in _SPELLED for item in found) and _alike(old, new):
        return []
    return sorted(found, key=lambda value: (-value.bump, value.path, value.change))


def _alike(old: Contract, new: Contract) -> bool:
    return (
        (old.api_version, old.name, old.domain, old.product) == (new.api_version, new.name, new.domain, new.product)
    ) and canonical.alike(old, new)


def _as_before(pair: Pair) -> bool:
    """Whether a field is the same to the letter, which most fields of a wide table are."""
    if not isinstance(pair, FieldPair) or not (both := pair.both):
        return False
    old, new = both
    return (old.type, old.required, old.column) == (new.type, new.required, new.column) and old.node == new.node


def _found(pair: Pair, kinds: list[ChangeKind]) -> Iterator[Change]:
    told: set[str] = set()
    for kind in kinds:
        for delta in kind.ask(pair):
            if not (kind.last and explained(delta.path or "", told)):
                yield _change(kind, pair, delta)
            if not kind.last:
                told |= {kind.name, delta.path or delta.note}


def _key(kind: ChangeKind, pair: Pair, delta: Delta) -> str:
    """The name of the key that both values stand under; a column is called what it likes, but for its default."""
    if kind.name == "default-changed":
        return pair.path.rsplit(".", 1)[-1]
    return (delta.path or "").rsplit(".", 1)[-1]


def _change(kind: ChangeKind, pair: Pair, delta: Delta) -> Change:
    reader, writer = delta.reader or kind.reader, delta.writer or kind.writer
    key = _key(kind, pair, delta)
    return Change(
        change=kind.name,
        row=delta.row or kind.row,
        path=without_secrets(".".join(part for part in (pair.path, delta.path or "") if part)),
        old=without_secrets(delta.old, key),
        new=without_secrets(delta.new, key),
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
