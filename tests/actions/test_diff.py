"""Diff as an action: the settings act."""

from pathlib import Path

import pytest

from floe.actions.diff import diff
from floe.actions.load.settings import load_settings
from floe.model.change import Bump

_TEXT = """apiVersion: v3.1.0
kind: DataContract
id: urn:test:diff
name: orders
version: {version}
status: active
domain: sales
dataProduct: shop
schema:
  - name: orders
    properties:
      - {{name: amount, logicalType: integer, physicalType: {type}, classification: {label}}}
"""


def _diff(tmp_path: Path, **given: object):
    old = _TEXT.format(version="1.0.0", type="int", label="inner")
    new = _TEXT.format(version="1.1.0", type="bigint", label="outer")
    return diff(old, new, load_settings(given, tmp_path))


@pytest.mark.parametrize(("widening", "bump"), [("major", Bump.MAJOR), ("minor", Bump.MINOR)])
def test_type_widening_says_which_version_a_wider_type_needs(tmp_path: Path, widening: str, bump: Bump):
    assert _diff(tmp_path, **{"compatibility.type_widening": widening}).bump is bump


@pytest.mark.parametrize(("labels", "way"), [(["inner", "outer"], "raised"), (["outer", "inner"], "lowered")])
def test_classifications_say_which_label_is_lower(tmp_path: Path, labels: list[str], way: str):
    result = _diff(tmp_path, classifications=labels)
    (change,) = (change for change in result.changes if change.row == "K13")
    assert change.klass == way


def test_the_shape_that_other_programs_rely_on(tmp_path: Path):
    result = _diff(tmp_path).to_dict()
    assert result["changes"][0] == {
        "change": "type-changed",
        "row": "D1",
        "path": "orders.amount",
        "old": "int",
        "new": "bigint",
        "bump": "MAJOR",
        "reader": "risk",
        "writer": "break",
        "dangerous": True,
        "class": "widening",
        "basis": "given",
        "formats": {"delta": "allowed", "iceberg_v2": "allowed", "iceberg_v3": "allowed", "avro": "allowed"},
        "note": "",
    }
    assert result["breaking_changes"] == [{"type": "field_retyped", "field": "amount", "from": "int", "to": "bigint"}]
