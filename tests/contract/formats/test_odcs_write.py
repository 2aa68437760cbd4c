"""Writing ODCS: valid under the target version, readable, and equal when read back."""

from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from floe.contract.formats import canonical, read
from floe.contract.formats.odcs import schema_findings
from floe.contract.formats.odcs.causes import causes
from floe.contract.formats.odcs.write import document, write
from floe.model import Severity, yaml_text
from tests.helpers.odcs_files import CASES, FILES

VERSIONS = ("v3.1.0", "v3.2.0", None)
HEAD = "apiVersion: v3.2.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n"


def contract_of(text: str) -> Any:
    contract, findings = read(text, "a.yaml")
    assert [f.message for f in findings if f.severity is Severity.CRITICAL] == []
    return contract


def properties(contract: Any, version: str) -> Any:
    return document(contract, version)["schema"][0]["properties"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_every_example_survives_writing_and_reading(path, version):
    contract, _ = read(path.read_bytes(), str(path))
    assert contract is not None
    text = write(contract, version)
    again, findings = read(text, "b.yaml")
    assert again is not None
    assert canonical.differences(contract, again) == []
    assert again.api_version == (version or contract.api_version)
    source = contract.node
    if version and not causes(source, source["apiVersion"]):
        assert causes(again.node, version) == []
    assert [f for f in findings if f.severity is Severity.CRITICAL] == []
    assert write(again, version) == text
    assert yaml.safe_load(text)["apiVersion"] == again.api_version


def test_there_and_back_is_the_same_document():
    contract = contract_of((CASES / "odcs/v3.2.0-dev/schema/enum.odcs.yaml").read_text())
    older = contract_of(write(contract, "v3.1.0"))
    assert document(older, "v3.2.0") == contract.node


def test_an_enum_is_a_rule_in_the_older_version():
    contract = contract_of(
        HEAD
        + "schema: [{name: t, properties: [{name: a, logicalType: string, enum: [{value: x}, {value: y, label: Y}]}]}]"
    )
    assert properties(contract, "v3.1.0") == [
        {
            "name": "a",
            "logicalType": "string",
            "quality": [{"metric": "invalidValues", "arguments": {"validValues": ["x", "y"]}, "mustBe": 0}],
            "customProperties": [{"property": "enum", "value": [{"value": "x"}, {"value": "y", "label": "Y"}]}],
        }
    ]


def test_a_rule_with_a_severity_of_its_own_stays_a_rule():
    contract = contract_of(
        HEAD
        + "schema: [{name: t, properties: [{name: a, quality: "
        + "[{metric: invalidValues, arguments: {validValues: [x]}, mustBe: 0, severity: error}]}]}]"
    )
    assert "enum" not in properties(contract, "v3.2.0")[0]


def test_a_map_is_an_object_with_a_physical_type_in_the_older_version():
    contract = contract_of(
        HEAD
        + "schema: [{name: t, properties: [{name: a, logicalType: map, "
        + "map: {key: {logicalType: string}, value: {logicalType: integer, logicalTypeOptions: {format: i32}}}}]}]"
    )
    assert properties(contract, "v3.1.0") == [{"name": "a", "logicalType": "object", "physicalType": "map<string,int>"}]


def test_a_vector_is_an_array_of_numbers_in_the_older_version():
    contract = contract_of(
        HEAD
        + "schema: [{name: t, properties: [{name: a, logicalType: vector, logicalTypeOptions: {dimensions: 3, elementType: float32}}]}]"
    )
    assert properties(contract, "v3.1.0") == [
        {
            "name": "a",
            "logicalType": "array",
            "items": {"logicalType": "number", "logicalTypeOptions": {"format": "f32"}},
            "customProperties": [{"property": "vector", "value": {"dimensions": 3, "elementType": "float32"}}],
        }
    ]
    assert properties(contract_of(write(contract, "v3.1.0")), "v3.2.0") == contract.node["schema"][0]["properties"]


def test_two_operators_become_two_rules():
    contract = contract_of(
        HEAD
        + "schema: [{name: t, quality: [{id: r, metric: rowCount, mustBeGreaterThan: 1, mustBeLessThan: 9, severity: error}]}]"
    )
    assert document(contract)["schema"][0]["quality"] == [
        {"id": "r", "metric": "rowCount", "mustBeGreaterThan": 1, "severity": "error"},
        {"id": "r_2", "metric": "rowCount", "mustBeLessThan": 9, "severity": "error"},
    ]


def test_relationships_are_written_as_the_target_takes_them():
    contract = contract_of(
        HEAD
        + "schema: [{name: t, properties: [{name: a, relationships: [{id: r1, to: b.c, description: why}, {to: x-y.b.c}]}]}]"
    )
    assert properties(contract, "v3.1.0") == [
        {
            "name": "a",
            "relationships": [
                {
                    "to": "b.c",
                    "customProperties": [
                        {"property": "id", "value": "r1"},
                        {"property": "description", "value": "why"},
                    ],
                }
            ],
            "customProperties": [{"property": "relationships", "value": [{"to": "x-y.b.c"}]}],
        }
    ]


def test_what_only_the_newer_version_knows_is_a_custom_property_and_comes_back():
    text = HEAD + (
        "context: be careful\n"
        "customProperties: [{property: color, value: red, vendor: soda}]\n"
        "servers: [{server: s, type: iceberg, catalog: c, catalogUrl: u, namespace: n, warehouse: w}]\n"
        "slaProperties: [{property: freshness, value: 4, unit: h, customProperties: [{property: a, value: b}]}]\n"
        "schema: [{name: t, deprecated: true, synonyms: [{synonym: x}], properties: [{name: a, logicalType: string, deprecated: true}]}]\n"
    )
    contract = contract_of(text)
    older = contract_of(write(contract, "v3.1.0"))
    assert causes(older.node, "v3.1.0") == []
    assert older.custom["context"] == "be careful"
    assert older.datasets[0].custom == {"deprecated": True, "synonyms": [{"synonym": "x"}]}
    newer = document(older, "v3.2.0")
    assert newer["context"] == "be careful"
    assert newer["customProperties"] == [{"property": "color", "value": "red", "vendor": "soda"}]
    assert newer["servers"][0]["type"] == "iceberg"
    assert newer["slaProperties"][0]["customProperties"] == [{"property": "a", "value": "b"}]
    assert newer["schema"][0]["properties"][0]["deprecated"] is True
    assert canonical.equal(contract, contract_of(write(older, "v3.2.0")))


def test_an_older_document_is_written_in_the_words_of_the_newer():
    contract = contract_of(
        "apiVersion: v3.0.2\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n"
        "team: [{username: a, comment: hm}]\n"
        "schema:\n  - name: t\n    quality: [{rule: rowCount, mustBe: 3}, {rule: nullCheck}]\n    properties:\n"
        "      - {name: n, logicalType: integer, logicalTypeOptions: {minimum: 1, exclusiveMinimum: true}}\n"
        "      - {name: d, logicalType: date, physicalType: timestamp}\n"
    )
    tree = document(contract)
    assert tree["team"] == {
        "members": [{"username": "a", "customProperties": [{"property": "comment", "value": "hm"}]}]
    }
    assert tree["schema"][0]["quality"] == [
        {"metric": "rowCount", "mustBe": 3},
        {"type": "custom", "engine": "library", "implementation": {"rule": "nullCheck"}},
    ]
    assert tree["schema"][0]["properties"] == [
        {"name": "n", "logicalType": "integer", "logicalTypeOptions": {"exclusiveMinimum": 1}},
        {"name": "d", "logicalType": "timestamp", "physicalType": "timestamp"},
    ]
    assert schema_findings(tree) == []


OLD = "apiVersion: v3.0.2\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n"


def test_a_port_that_is_a_variable_is_kept_where_the_older_version_has_numbers_only():
    server = {"server": "p", "type": "postgres", "host": "h", "database": "d", "schema": "s", "port": "${PORT}"}
    contract = contract_of(
        HEAD + 'servers: [{server: p, type: postgres, host: h, database: d, schema: s, port: "${PORT}"}]'
    )
    older = document(contract, "v3.1.0")
    assert older["servers"][0]["type"] == "custom"
    assert older["servers"][0]["customProperties"] == [
        {"property": "serverType", "value": "postgres"},
        {"property": "port", "value": "${PORT}"},
    ]
    assert causes(older, "v3.1.0") == []
    assert document(contract_of(write(contract, "v3.1.0")), "v3.2.0")["servers"] == [server]


def test_an_athena_server_without_a_staging_folder_is_valid_in_both():
    contract = contract_of(HEAD + "servers: [{server: a, type: athena, schema: s}]")
    assert causes(document(contract, "v3.1.0"), "v3.1.0") == []
    assert document(contract_of(write(contract, "v3.1.0")), "v3.2.0")["servers"] == [
        {"server": "a", "type": "athena", "schema": "s"}
    ]


def test_what_v3_0_called_or_typed_otherwise_in_servers():
    contract = contract_of(
        "apiVersion: v3.0.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n"
        "servers: [{server: a, type: athena, staging_dir: s3://d, schema: s}, {server: d, type: duckdb, database: f, schema: 5}]\n"
    )
    assert document(contract)["servers"] == [
        {"server": "a", "type": "athena", "stagingDir": "s3://d", "schema": "s"},
        {"server": "d", "type": "duckdb", "database": "f", "schema": "5"},
    ]


def test_a_strange_custom_property_of_v3_0_takes_nothing_else_along():
    contract = contract_of(OLD + "schema: [{name: t, properties: [{name: a, customProperties: [{color: red}]}]}]")
    tree = document(contract)
    assert causes(tree, "v3.1.0") == []
    assert tree["schema"][0]["properties"] == [
        {
            "name": "a",
            "customProperties": [
                {"property": "unnamed", "value": None},
                {"property": "customProperties[0].color", "value": "red"},
            ],
        }
    ]


def test_values_that_only_v3_0_left_open_are_custom_properties():
    contract = contract_of(OLD + "slaProperties: [{property: latency, value: 4, unit: d, schedule: [daily]}]")
    tree = document(contract)
    assert tree["slaProperties"] == [{"property": "latency", "value": 4, "unit": "d"}]
    assert tree["customProperties"] == [{"property": "slaProperties[0].schedule", "value": ["daily"]}]


@pytest.mark.parametrize(
    ("rule", "written"),
    [
        (
            "{type: sql, query: q, mustBe: 2, mustBeLessThan: many}",
            {
                "type": "sql",
                "query": "q",
                "mustBe": 2,
                "customProperties": [{"property": "mustBeLessThan", "value": "many"}],
            },
        ),
        (
            "{type: sql, query: q, mustBeLessThan: many}",
            {"type": "custom", "engine": "sql", "implementation": {"query": "q", "mustBeLessThan": "many"}},
        ),
        (
            "{type: library, rule: rowCount, metric: rows, mustBe: 2}",
            {
                "type": "library",
                "metric": "rowCount",
                "mustBe": 2,
                "customProperties": [{"property": "metric", "value": "rows"}],
            },
        ),
    ],
)
def test_rules_that_only_v3_0_takes_become_valid_ones(rule, written):
    tree = document(contract_of(OLD + f"schema: [{{name: t, quality: [{rule}]}}]"))
    assert tree["schema"][0]["quality"] == [written]
    assert causes(tree, "v3.1.0") == []


def test_two_operators_are_two_rules_in_the_newer_version_too():
    contract = contract_of(
        HEAD + "schema: [{name: t, quality: [{metric: rowCount, mustBeGreaterThan: 1, mustBeLessThan: 9}]}]"
    )
    assert document(contract, "v3.2.0")["schema"][0]["quality"] == [
        {"metric": "rowCount", "mustBeGreaterThan": 1},
        {"metric": "rowCount", "mustBeLessThan": 9},
    ]


def test_a_version_that_is_a_number_is_written_as_text():
    contract = contract_of(HEAD.replace("1.0.0", "2.10"))
    assert document(contract, "v3.1.0")["version"] == document(contract, "v3.2.0")["version"] == "2.10"


def test_the_version_read_is_kept_on_request():
    contract = contract_of("apiVersion: v3.0.2\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n")
    assert write(contract, None).startswith("apiVersion: v3.0.2\nkind: DataContract\n")


def test_other_versions_are_refused():
    contract = contract_of(HEAD)
    with pytest.raises(ValueError, match=r"floe writes ODCS v3\.1\.0 and v3\.2\.0"):
        write(contract, "v2.0.0")


def test_the_text_is_in_the_order_of_the_standard():
    text = write(
        contract_of(
            "version: 1.0.0\nstatus: active\nid: x\nkind: DataContract\napiVersion: v3.1.0\nname: orders\ntags: [a]\n"
        )
    )
    assert text == (
        "apiVersion: v3.1.0\nkind: DataContract\nid: x\nname: orders\nversion: 1.0.0\nstatus: active\n\ntags:\n  - a\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "yes",
        "on",
        "y",
        "1.10",
        "010",
        "0o10",
        "0x1F",
        "1e3",
        "2026-01-03",
        "12:30:00",
        "1_000",
        "null",
        "~",
        "",
        "true",
        " x",
        "#a",
        "a: b",
        "- a",
        "=",
        "<<",
        "1.",
        ".5",
        "+1",
        ".inf",
        "NaN",
        "a\nb",
        "a\n",
        "\n",
        " a\nb",
        "a \nb",
        "tab\there",
        "\u2028",
        "a\x85b\n",
        "a\r\nb",
        "é",
        "\U0001f600",
        "${VAR:-x}",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "'",
        '"',
        "\x07",
    ],
)
def test_text_stays_text_for_every_reader(text):
    written = yaml_text.dump({"a": text, text or "empty": [text]})
    assert yaml.safe_load(written)["a"] == text
    assert yaml_text.parse(written, "a.yaml") == {"a": text, text or "empty": [text]}


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT | st.decimals(allow_nan=False, allow_infinity=False),
        lambda below: st.lists(below, max_size=3) | st.dictionaries(TEXT, below, max_size=3),
        max_leaves=8,
    )
)
def test_any_tree_reads_back_as_it_was(tree):
    assert yaml_text.parse(yaml_text.dump({"a": tree}), "a.yaml") == {"a": tree}


def test_numbers_are_written_exactly():
    text = yaml_text.dump({"a": Decimal("0.01"), "b": Decimal("1E+3"), "c": Decimal("1E-60"), "d": 10**30})
    assert text == f"a: 0.01\nb: 1000\nc: 1.0E-60\nd: {10**30}\n"


@pytest.mark.parametrize("version", ["v3.0.2", "v3.1.0", "v3.2.0"])
@pytest.mark.parametrize("target", ["v3.1.0", "v3.2.0"])
def test_keys_without_a_value_are_not_written(version, target):
    text = (
        f"apiVersion: {version}\nkind: DataContract\nid: x\nname: x\nversion: 1.0.0\nstatus: active\ntags:\n"
        "schema:\n  - name: t\n    description: null\n    quality:\n"
        "    properties:\n      - {name: a, logicalType: string, classification: null}\n"
        "customProperties: [{property: default, value: null}]\n"
    )
    contract = contract_of(text)
    written = write(contract, target)
    assert written.count("null") == 1
    assert "value: null" in written
    again, findings = read(written, "x.yaml")
    assert findings == []
    assert again
    assert canonical.equal(contract, again)
