"""Dialects A, B, C and the Data Contract Specification, read as ODCS."""

from pathlib import Path
from typing import Any

import pytest

from floe.contract.formats import canonical, read
from floe.contract.formats.odcs.causes import causes
from floe.model import Severity, locate, yaml_text

CASES = Path(__file__).parents[2] / "cases"
PAIRS = {
    "a-customers.datacontract": "dialect-a-customers",
    "b-orders": "dialect-b-orders",
    "c-gold-customer_features": "dialect-c-gold-customer_features",
    "c-silver-orders_clean": "dialect-c-silver-orders_clean",
}
ROWS = yaml_text.parse((CASES / "dialects" / "rows.yaml").read_bytes(), "rows.yaml")


def contract_in(path: Path) -> Any:
    contract, findings = read(path.read_bytes(), str(path))
    assert [finding for finding in findings if finding.severity >= Severity.WARNING] == []
    return contract


def part(tree: Any, path: str) -> Any:
    for word in path.replace("]", "").replace("[", ".").split("."):
        tree = tree[int(word)] if word.isdigit() else tree.get(word)
    return tree


@pytest.mark.parametrize(("dialect", "odcs"), PAIRS.items())
def test_a_dialect_and_its_odcs_form_are_equal_contracts(dialect, odcs):
    one = contract_in(CASES / "odcs" / "dialects" / f"{dialect}.yaml")
    other = contract_in(CASES / "odcs" / "dialects-as-odcs" / f"{odcs}.v3.1.0.odcs.yaml")
    assert canonical.differences(one, other) == []
    assert canonical.equal(one, other)
    assert one.format == f"dialect {dialect[0].upper()}"
    assert other.format == "odcs"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["title"])
def test_rows(row):
    contract, findings = read(text_of(row["given"]), "a.yaml")
    assert [finding.message for finding in findings if finding.severity >= Severity.ERROR] == []
    assert contract is not None
    assert {path: part(contract.node, path) for path in row["parts"]} == row["parts"]


def text_of(given: Any) -> str:
    """The document of a case as text, in flow style so that nothing is re-typed."""
    if isinstance(given, dict):
        return "{" + ", ".join(f"{text_of(key)}: {text_of(value)}" for key, value in given.items()) + "}"
    if isinstance(given, list):
        return "[" + ", ".join(map(text_of, given)) + "]"
    if isinstance(given, str):
        return "'" + given.replace("'", "''") + "'"
    return "null" if given is None else str(given).lower()


@pytest.mark.parametrize("name", ["full-a", "full-b", "full-c", "full-dcs"])
def test_a_full_document_is_valid_odcs(name):
    contract = contract_in(CASES / "dialects" / f"{name}.yaml")
    assert causes(contract.node, "v3.1.0") == []


def test_values_keep_their_place_in_the_users_file():
    path = CASES / "odcs" / "dialects" / "a-customers.datacontract.yaml"
    contract = contract_in(path)
    email = contract.datasets[0].fields[1]
    assert locate(email.node, "classification") == (str(path), 27, 25)
    assert locate(email.node, "logicalTypeOptions", "format") == (str(path), 26, 17)
    assert locate(contract.node, "slaProperties", 0, "value") == (str(path), 37, 12)
    assert locate(contract.node, "dataProduct", key=True) == (str(path), 8, 1)


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "said"),
    [
        ("name: o\nversion: 1.0.0\nmodels: [1]\n", "E502", 1, 1, "a dbt schema file"),
        ("name: o\nversion: 1.0.0\nmodels: soon\n", "E501", 3, 9, "'models' is text where a mapping is expected"),
        ("name: o\nversion: 1.0.0\nmodels:\n  t:\n    elements:\n      a: 5\n", "E501", 6, 10, "'a' is a number"),
        (
            "name: o\nversion: 1.0.0\nmodels:\n  t:\n    elements:\n      a: {type: int, required: maybe}\n",
            "E501",
            6,
            32,
            "'required' is the text 'maybe', expected true or false",
        ),
        (
            "table_id: orders\nschema_version: 1\ncolumns: []\n",
            "E501",
            1,
            11,
            "does not have the form layer.domain.table",
        ),
        ("table_id: ../../etc.a.b\nschema_version: 1\n", "E501", 1, 11, "does not have the form layer.domain.table"),
        ("table_id: silver.a.b\ncolumns: []\n", "E501", 1, 1, "Required field 'schema_version' is missing"),
        ("table_id: silver.a.b\nschema_version: 1.5\n", "E501", 2, 17, "a whole number is expected"),
        ("table_id: silver.a.b\nschema_version: 1\ncolumns:\n  - {name: x}\n", "E501", 4, 5, "Required field 'type'"),
        (
            "table_id: silver.a.b\nschema_version: 1\ncolumns: [{name: x, type: int}]\nprimary_keys: [y]\n",
            "E508",
            4,
            16,
            "'primary_keys' names column 'y', which the table does not have",
        ),
        (
            "metadata: {name: o, version: 1.0.0}\nschema: {fields: [{name: x, type: int}]}\n"
            "quality:\n  rules:\n    - {type: not_null, columns: [y]}\n",
            "E508",
            5,
            7,
            "A quality rule names column 'y', which the schema does not have",
        ),
        ("metadata: 5\nschema: {fields: []}\n", "E501", 1, 11, "'metadata' is a number where a mapping is expected"),
    ],
)
def test_what_is_wrong_is_found_at_its_place(text, code, line, column, said):
    _, findings = read(text, "a.yaml")
    found = [(f.code, f.place.line, f.place.column) for f in findings if f.place and said in f.message]
    assert found == [(code, line, column)]


@pytest.mark.parametrize(
    ("text", "what", "advice"),
    [
        (
            "metadata: {dbt_schema_version: https://x/v12.json}\nnodes: {}",
            "a dbt manifest",
            "floe convert a.yaml --to odcs",
        ),
        ("version: 2\nmodels:\n  - name: orders", "a dbt schema file", "dbt parse"),
        ("name: shop\nprofile: shop\nmodels: {shop: {}}", "a dbt project file", "target/manifest.json"),
        ("type: record\nname: Order\nfields: []", "an Avro schema", "floe convert a.yaml --to odcs"),
        ("$schema: http://json-schema.org/draft-07/schema#", "a JSON Schema", "floe convert a.yaml --to odcs"),
        ("type: object\nproperties: {a: {type: string}}", "a JSON Schema", "floe convert a.yaml --to odcs"),
        ("type: struct\nfields: []", "a Spark schema", "floe convert a.yaml --to odcs"),
        ("openapi: 3.1.0\npaths: {}", "an OpenAPI description", "JSON Schema"),
        ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}", "a Kubernetes manifest", "Pass a data contract"),
        ("data_contracts: {enforcement: warn}", "floe's platform file (manifest.yaml)", "floe doctor"),
        ("metadata: {name: p}\noutput_ports: []", "a floe product file (floe.yaml)", "floe compile"),
        ("breaking_changes: []", "a list of changes", "changes.yaml"),
    ],
)
def test_what_is_no_contract_is_named_for_what_it_is(text, what, advice):
    contract, [finding] = read(text, "a.yaml")
    assert contract is None
    assert (finding.code, finding.message) == ("E502", f"The document is {what}, not a data contract")
    assert advice in finding.suggestion
    assert finding.place == ("a.yaml", 1, 1)


@pytest.mark.parametrize(("text", "said"), [("", "empty"), ("- 1", "a list"), ("hello", "plain text")])
def test_what_is_no_mapping_is_no_contract(text, said):
    contract, [finding] = read(text, "a.yaml")
    assert contract is None
    assert (finding.code, finding.message) == ("E501", f"The document is {said}, not a contract")


def test_an_unknown_version_without_other_signs_is_unsupported():
    _, [finding] = read("apiVersion: v2.2.2\nkind: DataContract\n", "a.yaml")
    assert (finding.code, finding.name) == ("E502", "unsupported-version")


def test_dialects_are_recognised_before_the_version_is_judged():
    contract, findings = read(
        "apiVersion: v9\nname: o\nversion: 1.0.0\nmodels: {t: {elements: {a: {type: int}}}}\n", "a.yaml"
    )
    assert contract is not None
    assert (contract.api_version, contract.format, findings) == ("v3.1.0", "dialect A", [])


def test_a_definition_that_refers_to_itself_is_no_loop():
    text = (
        "dataContractSpecification: 1.0.0\nid: x\ninfo: {title: t, version: 1.0.0}\n"
        "definitions: {a: {type: record, fields: {b: {$ref: '#/definitions/a'}}}}\n"
        "models: {m: {fields: {x: {$ref: '#/definitions/a'}}}}\n"
    )
    contract, _ = read(text, "a.yaml")
    assert contract is not None
    assert contract.datasets[0].fields[0].fields[0].name == "b"


def test_deep_nesting_is_read():
    depth = 80
    nested = "{type: struct, elements: {a: " * depth + "{type: string}" + "}}" * depth
    contract, findings = read(f"name: o\nversion: 1.0.0\nmodels: {{t: {{elements: {{a: {nested}}}}}}}\n", "a.yaml")
    assert contract is not None
    assert findings == []
    assert canonical.content_hash(contract)
