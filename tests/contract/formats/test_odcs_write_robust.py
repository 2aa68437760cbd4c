"""Whatever a version's own JSON Schema takes, floe writes as valid v3.1 and v3.2."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

import floe
from floe.contract.formats import canonical, read, read_tree
from floe.contract.formats.odcs import validator
from floe.contract.formats.odcs.causes import causes
from floe.contract.formats.odcs.write import write
from floe.model import List, Map, Place, yaml_text
from floe.model.yaml_text import tree as planted

SCHEMAS = Path(floe.__file__).parent / "contract" / "formats" / "odcs" / "schemas"
OLDER = """
apiVersion: v3.0.2
kind: DataContract
id: x
version: 1.0.0
status: active
description: {purpose: p}
team: [{username: a, role: r}]
roles: [{role: r}]
support: [{channel: c, url: u}]
price: {priceAmount: 1}
slaProperties: [{property: latency, value: 4, unit: d}]
servers:
  - {server: l, type: local, path: p, format: f}
  - {server: a, type: athena, stagingDir: d, schema: s}
  - {server: d, type: duckdb, database: d, schema: 5}
customProperties: [{property: a, value: b}]
authoritativeDefinitions: [{url: u, type: t}]
schema:
  - name: t
    quality:
      - {type: library, rule: rowCount, mustBe: 1}
      - {type: sql, query: q, mustBe: 2}
      - {type: text, description: d}
      - {type: custom, engine: e, implementation: i}
    properties:
      - {name: s, logicalType: string, logicalTypeOptions: {minLength: 1}}
      - {name: o, logicalType: object, properties: [{name: p, logicalType: integer}]}
      - {name: a, logicalType: array, items: {logicalType: object, properties: [{name: q, logicalType: date}]}}
      - {name: n, physicalType: int}
"""
NEWER = """
apiVersion: v3.2.0
kind: DataContract
id: x
version: 1.0.0
context: {instructions: careful}
team: {name: n, members: [{username: a, role: r}]}
slaProperties: [{property: latency, value: 4, unit: d}]
servers:
  - {server: l, type: local, path: p, format: f, encoding: e}
  - {server: a, type: athena, schema: s}
  - {server: p, type: postgres, host: h, port: "${PORT}", database: d, schema: s}
  - {server: i, type: iceberg, catalog: c, catalogUrl: u, namespace: n, warehouse: w}
customProperties: [{property: a, value: b, vendor: v}]
schema:
  - name: t
    relationships: [{from: t.s, to: u.v}]
    quality: [{metric: rowCount, mustBe: 1}, {type: sql, query: q, mustBe: 2}]
    properties:
      - {name: s, logicalType: string, enum: [{value: a, label: A}], relationships: [{to: u.v, id: r}]}
      - {name: a, logicalType: array, items: {logicalType: object, properties: [{name: q, logicalType: date}]}}
      - {name: m, logicalType: map, map: {key: {logicalType: string}, value: {logicalType: array}}}
      - {name: v, logicalType: vector, logicalTypeOptions: {dimensions: 3}}
      - {name: k, semanticType: measure, transformLogic: sum(n)}
"""


def names(node: Any) -> set[str]:
    """Every key that a JSON Schema names."""
    if isinstance(node, list):
        return {name for below in node for name in names(below)}
    if not isinstance(node, dict):
        return set()
    own = node.get("properties")
    return {*(own if isinstance(own, dict) else ()), *(name for below in node.values() for name in names(below))}


NAMES = sorted({n for file in SCHEMAS.glob("*.json") for n in names(json.loads(file.read_text()))} - {"apiVersion"})
VALUES: list[Any] = [
    *(None, "text", "a.b", "odd text", 5, -1, True, {}, [], ["a"], [1, 2], [{}], {"a": 1}, "string", "library"),
    *([{"name": "n"}], [{"logicalType": "string"}], {"logicalType": "string"}, [{"to": "a.b"}], [{"value": "x"}]),
    *([{"property": "z", "value": 1}], [{"username": "x"}], [{"url": "u", "type": "t"}], [{"synonym": "x"}]),
    *([{"metric": "rowCount", "mustBe": 1}], [{"type": "text"}]),
]


def mappings(node: Any) -> list[Map]:
    inside = list(node.values()) if isinstance(node, Map) else list(node) if isinstance(node, List) else []
    return [*([node] if isinstance(node, Map) else []), *(found for below in inside for found in mappings(below))]


@pytest.mark.parametrize("base", [OLDER, NEWER], ids=["v3.0", "v3.2"])
@settings(suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_valid_document_is_written_as_valid_ones(base, data):
    tree = yaml_text.parse(base, "a.yaml")
    spots = mappings(tree)
    for _ in range(data.draw(st.integers(0, 2))):
        where = spots[data.draw(st.integers(0, len(spots) - 1))]
        where.put(data.draw(st.sampled_from(NAMES)), planted(data.draw(st.sampled_from(VALUES)), Place("a.yaml", 1, 1)))
    assume(validator(tree["apiVersion"]).is_valid(tree))
    contract, _ = read_tree(tree, "a.yaml")
    assert contract is not None
    for version in ("v3.1.0", "v3.2.0"):
        again, _ = read(write(contract, version), "b.yaml")
        assert again is not None
        assert causes(again.node, version) == []
        assert canonical.differences(contract, again) == []
