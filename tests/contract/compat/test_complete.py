"""Every difference between two documents is named by a change, whatever is changed in an example contract."""

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.contract.formats import canonical, read
from floe.contract.formats.odcs import step
from floe.lang.json_text import dumps, plain
from floe.model import Severity, yaml_text

_CASES = Path(__file__).parents[2] / "cases" / "odcs"
_FILES = sorted(path for folder in ("v3.*", "dialects-as-odcs") for path in _CASES.glob(f"{folder}/**/*.yaml"))
_FIXED = ("apiVersion", "kind", "version")
_NAMES = ("name", "id", "physicalName", "server", "property", "role", "element", "driver")
_VALUES: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["x", "1h", "99%", "", "string", "int", "read", True, False, None, 0, 7, [], {}, ["a"]]),
    st.text(max_size=5),
)


def _tree(path):
    return json.loads(dumps(yaml_text.parse(path.read_text(), path.name)))


def _readable():
    found = []
    for path in _FILES:
        contract, _ = read(path.read_text(), path.name)
        if contract and contract.format == "odcs" and path.stat().st_size < 20_000:
            found.append(path)
    return found


_EXAMPLES = _readable()


def _spots(node, at=()):
    """Every place below the root that can be changed."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        if at or key not in _FIXED:
            yield (*at, key)
            yield from _spots(value, (*at, key))


def _at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


@dataclass(frozen=True)
class Mutation:
    """An example contract before and after, and where it was changed."""

    old: dict = field(repr=False)
    new: dict = field(repr=False)
    spot: tuple
    before: str
    after: str


@st.composite
def _mutations(draw, names=True):
    """An example, the same with one part changed, taken away, doubled or added, and where."""
    return draw(_mutated(_tree(draw(st.sampled_from(_EXAMPLES))), names))


@st.composite
def _mutated(draw, tree, names):
    spots = [spot for spot in _spots(tree) if names or spot[-1] not in _NAMES]
    spot = draw(st.sampled_from(spots))
    new = copy.deepcopy(tree)
    holder, key = _at(new, spot[:-1]), spot[-1]
    match draw(st.sampled_from(["set", "set", "drop", "add", "reverse"])):
        case "set":
            holder[key] = draw(_VALUES)
        case "drop":
            del holder[key]
        case "add" if isinstance(holder[key], dict):
            added = draw(st.sampled_from(["description", "tags", "unit", "required", "unknownKey", "severity"]))
            # an unknown key that is empty says nothing
            holder[key].setdefault(added, draw(_VALUES.filter(lambda value: value not in (None, [], {}))))
        case "reverse" if isinstance(holder[key], list):
            holder[key].reverse()
    after = holder.get(key) if isinstance(holder, dict) else holder
    return Mutation(tree, new, spot, repr(_at(tree, spot))[:200], repr(after)[:200])


def _contracts(*trees):
    return [read(json.dumps(tree), "a.yaml")[0] for tree in trees]


def _part_named(tree, spot):
    """The path of the part of a contract that a place in its document belongs to."""
    match spot:
        case ("schema", int(index), *_) if isinstance(dataset := _entry(tree, "schema", index), dict):
            return step(str(dataset.get("name") or dataset.get("physicalName") or f"schema[{index}]"))
        case ("schema", *_):
            # the list itself: its tables are named one by one
            return ""
    return str(spot[0])


def _entry(tree, key, index):
    listed = tree.get(key)
    return listed[index] if isinstance(listed, list) and index < len(listed) else None


def _lies_under(path, found):
    """Whether a change names a part, something in it, or what it stands in."""
    return any(
        not path or one == path or one.startswith((f"{path}.", f"{path}[")) or path.startswith(f"{one}.")
        for one in found
    )


def _judged_elsewhere(old, new):
    """Whether types or the order of columns changed, as long as no kind of change is there that judges them.

    Two columns of one name (E508) cannot be told apart.
    """
    rows = {kind.row for kind in CHANGES}
    olds, news = ({(d.name, f.path): f.type for d in one.datasets for f in d.walk()} for one in (old, new))
    typed = any(olds[key] != news[key] for key in olds.keys() & news.keys())
    ordered = [key for key in olds if key in news] == [key for key in news if key in olds]
    twice = any(len({f.path for f in d.walk()}) < len(list(d.walk())) for one in (old, new) for d in one.datasets)
    return twice or (typed and not any(row.startswith("D") for row in rows)) or (not ordered and "C6" not in rows)


@given(_mutations())
def test_every_difference_is_named_by_a_change_of_that_part(mutation):
    old, new = _contracts(mutation.old, mutation.new)
    if not (old and new) or _judged_elsewhere(old, new):
        return
    found = {change.path for change in changes(old, new, CHANGES)}
    if canonical.differences(old, new):
        assert found
        both = [_part_named(tree, mutation.spot) for tree in (mutation.old, mutation.new)]
        assert any(_lies_under(part, found) for part in both), (both, found)
    elif canonical.content_hash(old) == canonical.content_hash(new):
        assert found == set()


@given(_mutations(names=False))
def test_there_and_back_name_the_same_paths(mutation):
    old, new = _contracts(mutation.old, mutation.new)
    if old and new:
        there, back = (changes(*pair, CHANGES) for pair in ((old, new), (new, old)))
        assert {change.path for change in there} == {change.path for change in back}


@pytest.mark.parametrize("path", _EXAMPLES, ids=lambda path: path.name)
def test_a_contract_does_not_differ_from_itself(path):
    tree = _tree(path)
    turned = {key: tree[key] for key in reversed(tree)} | {"version": "99.0.0"}
    old, new = _contracts(tree, turned)
    assert changes(old, new, CHANGES) == []


@st.composite
def _twice(draw):
    """An example, the same with one mutation, and that with a second one."""
    first = draw(_mutations(names=False))
    return first, draw(_mutated(first.new, names=False))


def _sound(tree):
    """The contract, unless floe diff would refuse it."""
    contract, found = read(json.dumps(tree), "a.yaml")
    return None if any(finding.severity >= Severity.ERROR for finding in found) else contract


def _said_of(old, new):
    """All that the changes say, with the parts that were added or taken away as they are."""
    found = changes(old, new, CHANGES)
    return [(one.change, one.path, dumps(plain(one.old)), dumps(plain(one.new)), one.note) for one in found]


_PARTS_COME_AND_GO = ("-added", "-removed")


@given(_twice())
def test_the_changes_tell_one_new_contract_from_every_other(pair):
    """From the old contract and the changes the new one follows: another new one has other changes.

    A part that is new or gone is named as a whole, so what differs inside one is not asked about.
    """
    first, second = pair
    contracts = [_sound(tree) for tree in (first.old, first.new, second.new)]
    if not all(contracts):
        return
    old, half, new = contracts
    if "''" in (second.before, second.after):
        return  # an empty text is none
    if not changes(half, new, CHANGES) or _judged_elsewhere(old, half) or _judged_elsewhere(old, new):
        return
    one, other = _said_of(old, half), _said_of(old, new)
    if any(name == "identity-changed" for name, *_ in one):
        return  # another contract (E524)
    gone = [path for name, path, *_ in one if name.endswith(_PARTS_COME_AND_GO)]
    if gone and _lies_under(_part_named(second.new, second.spot), gone):
        return
    assert one != other, (first.spot, second.spot)
