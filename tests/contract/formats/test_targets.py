"""Every target against a file written by hand, and every schema format there and back."""

import json

import pytest
import yaml

from floe.actions.convert import convert, convert_each
from floe.contract.formats import odcs, read
from floe.contract.formats.foreign import documents
from floe.contract.formats.foreign.table import closed
from floe.contract.formats.foreign.targets import NAMES
from floe.model import Contract, FloeError
from floe.model.types import Struct
from tests.helpers.conversions import CASES, ORDERS

EXAMPLES = sorted(
    path for path in (CASES / "odcs").rglob("*.yaml") if "negative" not in str(path) and path.name != "b-changes.yaml"
)
SUFFIXES = {"spark-ddl": ".sql", "spark-json": ".json", "json-schema": ".json", "avro": ".avsc"}


def expected(name: str) -> str:
    return (CASES / "convert" / f"orders.{name}").read_text("utf-8")


def read_back(text: str, target: str) -> Contract:
    found = documents.read(text.encode(), f"table{SUFFIXES[target]}")
    assert found is not None
    contract, findings = odcs.read(found.trees[0][1], "back")
    assert findings == []
    assert contract is not None
    return contract


def schemas(contract: Contract, target: str) -> list[Struct]:
    """What a target has to give back: it closes families, except JSON Schema, which has them."""
    given = [dataset.schema for dataset in contract.datasets if dataset.fields]
    return given if target == "json-schema" else [closed(schema) for schema in given]  # type: ignore[misc]  # a struct stays one


@pytest.mark.parametrize("name", ["spark-ddl.sql", "markdown.md"])
def test_text_is_as_written_by_hand(name):
    text = convert(ORDERS, name.rsplit(".", 1)[0]).text
    assert text.replace("\u00a0", " ") == expected(name)


@pytest.mark.parametrize("target", ["spark-json", "json-schema", "avro"])
def test_json_is_as_written_by_hand(target):
    assert json.loads(convert(ORDERS, target).text) == json.loads(expected(f"{target}.json"))


def test_dbt_is_as_written_by_hand():
    assert yaml.safe_load(convert(ORDERS, "dbt").text) == yaml.safe_load(expected("dbt.yml"))


@pytest.mark.parametrize("target", NAMES)
def test_what_a_target_cannot_hold_is_listed(target):
    listed = yaml.safe_load(expected("lost.yaml"))[target]
    assert sorted(map(str, convert(ORDERS, target).lost)) == sorted(listed)


@pytest.mark.parametrize("target", SUFFIXES)
def test_every_example_reads_back_with_an_equal_schema(target):
    for path in EXAMPLES:
        contract, _ = read(path.read_bytes(), str(path))
        assert contract is not None
        wanted = schemas(contract, target)
        if not wanted:
            continue
        texts = [result.text for result in convert_each(path, target)]
        got = [dataset.schema for text in texts for dataset in read_back(text, target).datasets]
        assert got == wanted, path


@pytest.mark.parametrize("target", ["odcs", "odcs-3.2", "markdown", "html"])
def test_every_example_can_be_written(target):
    for path in EXAMPLES:
        assert convert(path, target).text


def test_every_example_with_columns_can_be_written_for_dbt():
    for path in EXAMPLES:
        contract, _ = read(path.read_bytes(), str(path))
        assert contract is not None
        if any(dataset.fields for dataset in contract.datasets):
            assert yaml.safe_load(convert(contract, "dbt").text)["models"]


def test_a_contract_without_columns_is_no_schema():
    text = "apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n"
    with pytest.raises(FloeError, match="describes no columns"):
        convert(text, "avro")


def test_a_loaded_contract_converts_like_its_file():
    contract, _ = read(ORDERS.read_bytes(), str(ORDERS))
    assert contract is not None
    assert convert(contract, "avro") == convert(ORDERS, "avro")


def test_yaml_text_converts_like_its_file():
    assert convert(ORDERS.read_text("utf-8"), "avro").text == convert(ORDERS, "avro").text
