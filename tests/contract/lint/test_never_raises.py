"""Whatever odd values a contract holds, lint says something and raises nothing."""

import copy
from decimal import Decimal
from pathlib import Path

from hypothesis import HealthCheck, given, settings, strategies as st

from floe.contract.formats import read_tree
from floe.contract.lint import RULES
from floe.contract.lint.rule import findings, folder_findings
from floe.model import List, Map, Place, yaml_text

_ODCS = Path(__file__).parents[2] / "cases" / "odcs"
_NAMES = (
    "v3.1.0/all/full-example.odcs.yaml",
    "v3.2.0-dev/schema/measures-and-dimensions.odcs.yaml",
    "v3.2.0-dev/references/relationships.odcs.yaml",
    "v3.2.0-dev/schema/map.odcs.yaml",
    "v3.0.2/quality/column-custom.odcs.yaml",
    "dialects-as-odcs/dialect-a-customers.v3.1.0.odcs.yaml",
    "dialects-as-odcs/dialect-b-orders.v3.1.0.odcs.yaml",
    "dialects-as-odcs/dialect-c-gold-customer_features.v3.1.0.odcs.yaml",
    "dialects/a-customers.datacontract.yaml",
    "dialects/b-orders.yaml",
    "dialects/c-silver-orders_clean.yaml",
)
_TREES = [yaml_text.parse((_ODCS / name).read_bytes(), name) for name in _NAMES]
_HERE = Place("odd.yaml", 1, 1)


def _list(*values):
    made = List(_HERE)
    for value in values:
        made.add(value, _HERE)
    return made


def _map(**values):
    made = Map(_HERE)
    for key, value in values.items():
        made.put(key, value, _HERE, _HERE)
    return made


_ODD = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        10**40,
        Decimal("1.50"),
        Decimal("1E+999"),
        "",
        " ",
        "a.b.c",
        "#",
        "../..#x",
        "${VAR}",
        "P",
        "PT",
        "99.9%",
        "2026-02-30",
        "\u202e\u200b\x00",
        "(a+)+$",
        "[",
        "select",
        "E508",
        "rowCount",
        "x" * 5000,
        _list(),
        _list(None),
        _list(_list()),
        _list("a", 1, None),
        _map(),
        _map(property=None, value=_map()),
        _map(name=_list(), type=3),
        _list(_map(property="measures", value=_list(_map(), 3))),
        _list(_map(property="deprecation", value="soon")),
        _list(_map(to=_list(_map()))),
    ]
) | st.text(max_size=8)


def _spots(node, spots):
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for step, value in items:
        spots.append((node, step))
        if isinstance(value, dict | list):
            _spots(value, spots)
    return spots


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_odd_values_anywhere_raise_nothing(data):
    tree = copy.deepcopy(data.draw(st.sampled_from(_TREES)))
    for _ in range(data.draw(st.integers(1, 3))):
        node, step = data.draw(st.sampled_from(_spots(tree, [])))
        node[step] = copy.deepcopy(data.draw(_ODD))
    contract, found = read_tree(tree, "odd.yaml")
    if contract:
        found += findings(contract, RULES)
        found += folder_findings([contract, *_CONTRACTS], RULES)
    for finding in found:
        finding.to_dict()


_CONTRACTS = [contract for tree in _TREES if (contract := read_tree(tree, "x.yaml")[0])]
