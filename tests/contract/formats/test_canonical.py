"""Equality, differences and the content hash."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from floe.contract.formats import canonical, read
from floe.model import yaml_text

CASES = Path(__file__).parents[2] / "cases" / "odcs"
BASE = """\
apiVersion: v3.1.0
kind: DataContract
id: x
version: 1.0.0
status: active
tags: [a, b]
slaProperties: [{property: freshness, value: 24, unit: h}]
schema:
  - name: t
    properties:
      - {name: a, logicalType: integer, physicalType: INTEGER, required: true}
      - {name: b, logicalType: string}
    quality:
      - {metric: rowCount, mustBe: 1.50}
      - {type: sql, query: SELECT 1, mustBe: 0}
customProperties: [{property: layer, value: silver}, {property: x, value: [1, 2]}]
"""


def contract_of(text: str) -> Any:
    contract, _ = read(text, "a.yaml")
    assert contract is not None
    return contract


def changed(old: str, new: str) -> Any:
    assert old in BASE
    return contract_of(BASE.replace(old, new))


SAME = [
    ("INTEGER", "int"),
    ("tags: [a, b]", "tags: [b, a]"),
    ("mustBe: 1.50", "mustBe: 1.5"),
    ("required: true}", "required: true, unique: false}"),
    ("{metric: rowCount", "{type: library, metric: rowCount"),
    ("id: x\nversion: 1.0.0\n", "version: 1.0.0\nid: x\n# a comment\n"),
    (
        "[{property: layer, value: silver}, {property: x, value: [1, 2]}]",
        "[{property: x, value: [1, 2]}, {property: layer, value: silver}]",
    ),
    ("tags: [a, b]\n", "tags: [a, b]\nroles: []\n"),
]
LIFECYCLE = [
    ("status: active", "status: deprecated"),
    ("customProperties: [", "customProperties: [{property: deprecation, value: {announced: '2026-01-01'}}, "),
    ("customProperties: [", "customProperties: [{property: lifecycleState, value: sunset}, "),
    ("tags: [a, b]\n", "tags: [a, b]\nauthoritativeDefinitions: [{type: migrationGuide, url: u}]\n"),
]
SPELLING = [
    ("apiVersion: v3.1.0", "apiVersion: v3.2.0"),
    ("value: 24, unit: h", "value: 1, unit: d"),
    ("value: 24, unit: h", "value: P1D"),
    ("value: 24, unit: h", "value: 24, unit: hours"),
    ("{metric: rowCount", "{id: r, dimension: coverage, metric: rowCount"),
    ("{name: b, logicalType", "{id: b, name: b, logicalType"),
]
CHANGES = [
    ("INTEGER", "bigint"),
    ("value: 24, unit: h", "value: 25, unit: h"),
    ("SELECT 1", "SELECT  1"),
    ("mustBe: 1.50", "mustBe: 1.51"),
    ("required: true}", "required: false}"),
    ("[1, 2]", "[2, 1]"),
    ("value: silver", "value: gold"),
    ("{name: b, logicalType: string}", "{name: b, logicalType: string, description: d}"),
    ("{name: b, logicalType", "{id: other, name: b, logicalType"),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_says_the_same_is_equal_and_has_one_hash(old, new):
    one, other = contract_of(BASE), changed(old, new)
    assert canonical.differences(one, other) == []
    assert canonical.content_hash(one) == canonical.content_hash(other)


@pytest.mark.parametrize(("old", "new"), LIFECYCLE)
def test_the_lifecycle_is_outside_the_hash_and_part_of_equality(old, new):
    one, other = contract_of(BASE), changed(old, new)
    assert canonical.content_hash(one) == canonical.content_hash(other)
    assert not canonical.equal(one, other)


@pytest.mark.parametrize(("old", "new"), SPELLING)
def test_spellings_count_in_the_hash_only(old, new):
    one, other = contract_of(BASE), changed(old, new)
    assert canonical.differences(one, other) == []
    assert canonical.equal(one, other)
    assert canonical.content_hash(one) != canonical.content_hash(other)


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_changes_count_in_both(old, new):
    one, other = contract_of(BASE), changed(old, new)
    assert not canonical.equal(one, other)
    assert canonical.differences(one, other)
    assert canonical.content_hash(one) != canonical.content_hash(other)


def test_the_order_of_fields_and_enums_counts():
    lines = BASE.splitlines(keepends=True)
    swapped = "".join([*lines[:10], lines[11], lines[10], *lines[12:]])
    assert not canonical.equal(contract_of(BASE), contract_of(swapped))
    with_values = "logicalType: string, quality: [{metric: invalidValues, arguments: {validValues: %s}, mustBe: 0}]}"
    one, other = (changed("logicalType: string}", with_values % values) for values in ("[x, y]", "[y, x]"))
    assert not canonical.equal(one, other)


def test_a_missing_status_is_active():
    assert canonical.equal(contract_of(BASE), changed("status: active\n", ""))


def test_text_and_number_differ():
    assert not canonical.equal(contract_of(BASE), changed("[1, 2]", "['1', 2]"))
    assert not canonical.equal(contract_of(BASE), changed("[1, 2]", "[true, 2]"))


def test_differences_name_the_path_and_both_values():
    assert canonical.differences(contract_of(BASE), changed("id: x", "id: y")) == ['id: "x" is not "y"']
    assert canonical.differences(contract_of(BASE), changed("tags: [a, b]\n", "")) == ['tags: ["a","b"] is not nothing']


def test_byte_marks_and_line_ends_are_no_part_of_the_hash():
    data = BASE.encode()
    windows, marked = data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data
    hashes = {
        canonical.content_hash(contract)
        for contract, _ in (read(d, "a.yaml") for d in (data, windows, marked))
        if contract
    }
    assert len(hashes) == 1


@given(st.randoms(use_true_random=False))
def test_key_order_anywhere_is_no_part_of_the_hash(random):
    path = CASES / "v3.1.0" / "all" / "full-example.odcs.yaml"
    tree = yaml_text.parse(path.read_bytes(), "a.yaml")

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            keys = list(value)
            random.shuffle(keys)
            return {key: shuffled(value[key]) for key in keys}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    one, other = contract_of(path.read_text()), contract_of(yaml_text.dump(shuffled(tree)))
    assert canonical.content_hash(one) == canonical.content_hash(other)
    assert canonical.equal(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "{name: a, physicalType: int, primaryKey: true}",
            "{name: a, physicalType: int, primaryKey: true, required: true}",
        ),
        (
            "{name: a, physicalType: int}",
            "{name: a, physicalType: INTEGER, physicalName: a, unique: false, required: false}",
        ),
        (
            "{name: a, physicalType: int, primaryKey: true}",
            "{name: a, physicalType: int, primaryKey: true, primaryKeyPosition: 7}",
        ),
        (
            "{name: a, physicalType: date, partitioned: true}",
            "{name: a, physicalType: date, partitioned: true, partitionKeyPosition: 3}",
        ),
        (
            "{name: a, physicalType: 'struct<x:int>'}",
            "{name: a, logicalType: object, properties: [{name: x, physicalType: INT}]}",
        ),
        ("{name: a, physicalType: 'array<struct<x:int>>'}", "{name: a, items: {physicalType: 'struct<x: int>'}}"),
        (
            "{name: a, logicalType: timestamp}",
            "{name: a, physicalType: timestamp, logicalTypeOptions: {timezone: true}}",
        ),
        ("{name: a, physicalType: 'made up'}", "{name: a, physicalType: 'Made  UP'}"),
        (
            "{name: a, logicalType: number, logicalTypeOptions: {minimum: 5}}",
            "{name: a, logicalType: number, logicalTypeOptions: {minimum: 5.0, exclusiveMinimum: 3}}",
        ),
    ],
)
def test_a_field_that_says_the_same_has_the_same_hash(one, other):
    first, second = (contract_of(BASE.replace("{name: b, logicalType: string}", field)) for field in (one, other))
    assert canonical.content_hash(first) == canonical.content_hash(second)
    assert canonical.equal(first, second)
    assert canonical.differences(first, second) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("{name: a, physicalType: 'struct<x:int,y:int>'}", "{name: a, physicalType: 'struct<y:int,x:int>'}"),
        ("{name: a, physicalType: 'array<int>'}", "{name: a, physicalType: 'array<int not null>'}"),
        (
            "{name: a, physicalType: timestamp}",
            "{name: a, logicalType: timestamp, logicalTypeOptions: {timezone: false}}",
        ),
        ("{name: a, physicalType: 'timestamp(3)'}", "{name: a, physicalType: timestamp}"),
        ("{name: a, physicalType: int, physicalName: b}", "{name: a, physicalType: int}"),
        ("{name: a, logicalTypeOptions: {minimum: 1}}", "{name: a, logicalTypeOptions: {exclusiveMinimum: 1}}"),
        ("{name: a, logicalTypeOptions: {multipleOf: 1}}", "{name: a, logicalTypeOptions: {multipleOf: true}}"),
    ],
)
def test_a_field_that_says_something_else_has_another_hash(one, other):
    first, second = (contract_of(BASE.replace("{name: b, logicalType: string}", field)) for field in (one, other))
    assert canonical.content_hash(first) != canonical.content_hash(second)
