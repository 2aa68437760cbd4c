"""Whatever a tree holds, reading and linting it gives findings, never a traceback."""

from decimal import Decimal
from pathlib import Path

from hypothesis import HealthCheck, given, settings, strategies as st

from floe.contract.formats import odcs
from floe.contract.lint import RULES
from floe.contract.lint.rule import findings
from floe.model import List, Map, Place, Severity, yaml_text

_ODCS = Path(__file__).parents[2] / "cases" / "odcs"
_SEEDS = [
    yaml_text.parse((_ODCS / name).read_bytes(), name)
    for name in (
        "v3.0.0/all/full-example.odcs.yaml",
        "v3.1.0/all/full-example.odcs.yaml",
        "v3.2.0-dev/all/full-example.odcs.yaml",
        "v3.2.0-dev/schema/map.odcs.yaml",
        "v3.2.0-dev/schema/enum.odcs.yaml",
        "v3.2.0-dev/references/relationships.odcs.yaml",
        "dialects-as-odcs/dialect-b-orders.v3.1.0.odcs.yaml",
    )
]
_AT = Place("seed", 1, 1)
_VALUES = (
    None,
    True,
    0,
    -1,
    10**40,
    Decimal("1.10"),
    "",
    "text",
    "${VAR:-1}",
    "v3.2.0",
    "\x00\u202e",
    "a" * 500,
    "array<",
)


def _copy(node):
    if isinstance(node, Map):
        copy = Map(node.place)
        for key, value in node.items():
            copy.put(key, _copy(value), node.value_places[key], node.key_places[key])
        return copy
    if isinstance(node, List):
        items = List(node.place)
        for value, place in zip(node, node.item_places, strict=True):
            items.add(_copy(value), place)
        return items
    return node


def _containers(node):
    if isinstance(node, Map | List):
        yield node
        for value in node.values() if isinstance(node, Map) else node:
            yield from _containers(value)


def _value(draw):
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return Map(_AT)
    if kind == 1:
        items = List(_AT)
        items.add(draw(st.sampled_from(_VALUES)))
        return items
    return draw(st.sampled_from(_VALUES))


def _mutate(draw, node):
    if isinstance(node, Map):
        key = draw(st.sampled_from([*node, "zebra", "name", "logicalType", "from", "items", "map", "properties"]))
        if key in node and key != "apiVersion" and draw(st.booleans()):
            del node[key]
        elif key != "apiVersion":
            node.put(key, _value(draw), node.place)
    elif node and draw(st.booleans()):
        index = draw(st.integers(0, len(node) - 1))
        node[index] = _value(draw)
    else:
        node.add(_value(draw))


@st.composite
def _trees(draw):
    tree = _copy(draw(st.sampled_from(_SEEDS)))
    for _ in range(draw(st.integers(1, 6))):
        _mutate(draw, draw(st.sampled_from([*_containers(tree)])))
    return tree


@given(_trees())
@settings(deadline=None, suppress_health_check=list(HealthCheck))
def test_a_mutated_example_is_read_and_judged(tree):
    contract, found = odcs.read(tree, "seed")
    assert contract is not None
    assert all(finding.message and finding.place for finding in found)
    assert all(len(finding.message) < 600 for finding in found)
    assert all(finding.severity in Severity for finding in findings(contract, RULES))


@given(st.recursive(st.sampled_from(_VALUES), lambda inner: st.lists(inner, max_size=3), max_leaves=5))
def test_what_is_no_mapping_is_no_contract(value):
    contract, (finding,) = odcs.read(value, "seed")
    assert contract is None
    assert finding.name == "not-a-contract"
