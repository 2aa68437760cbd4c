"""dbt's files: what is written is accepted by dbt, and what dbt writes becomes contracts."""

import json
import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest
import yaml

from floe.actions.convert import convert, convert_each
from floe.contract.formats import read
from floe.contract.formats.foreign.table import sayable
from floe.model import Contract, FloeError
from tests.helpers.conversions import CASES, ORDERS

MANIFEST = CASES / "convert" / "manifest.json"
HOSTILE = CASES / "convert" / "hostile.odcs.yaml"


def contract(model: str) -> Contract:
    made, findings = read(convert(MANIFEST, model=model).text, model)
    assert [finding.message for finding in findings] == []
    assert made is not None
    return made


def test_a_model_with_meta_becomes_a_contract():
    made = contract("customers")
    assert (made.identity, made.status) == ("sales.default/customers:2.3.0", "active")
    assert made.node["team"] == {"members": [{"username": "crm@shop.example", "role": "owner"}]}
    dataset = made.datasets[0]
    assert dataset.physical_name == "memory.main.customers"
    assert [part.column for part in dataset.primary_key] == ["customer_id"]
    email = dataset.fields[1]
    assert (email.classification, email.required, email.node["tags"]) == ("pii", False, ["contact"])
    assert [(rule.metric, rule.severity) for rule in email.rules] == [("nullValues", "warning")]


def test_constraints_tests_and_source_freshness_become_promises():
    made = contract("orders")
    dataset = made.datasets[0]
    parts = {part.column: part for part in dataset.fields}
    assert [part.column for part in dataset.primary_key] == ["order_id", "line"]
    assert parts["customer_id"].relationships[0].target == ("customers.customer_id",)
    assert parts["status"].values == ("open", "shipped", "closed")
    assert dict(parts["amount"].options) == {"minimum": 0, "exclusiveMaximum": 100000}
    # in DuckDB, which the manifest names, a plain timestamp has no zone
    assert str(parts["loaded_at"].type) == "timestamp_ntz"
    assert parts["loaded_at"].rules[0].implementation == {"test": "positive_age"}
    assert [(sla.property, sla.value, sla.unit, sla.element) for sla in made.sla] == [
        ("freshness", 1, "d", "orders.loaded_at")
    ]
    assert made.custom == {"cost_centre": 4711}


def test_where_a_contract_is_enforced_its_constraints_say_what_is_required():
    number, line, *_ = contract("orders").datasets[0].fields
    assert (number.required, number.rules, line.required) == (True, (), True)
    customer = contract("customers").datasets[0].fields[0]
    assert (customer.required, customer.unique, customer.rules) == (True, False, ())


def test_where_none_is_enforced_hard_tests_say_it():
    manifest = json.loads(MANIFEST.read_text("utf-8"))
    model = manifest["nodes"]["model.shop.customers"]
    model["config"]["contract"] = {"enforced": False}
    del model["columns"]["customer_id"]["constraints"]
    made, _ = read(convert(json.dumps(manifest, indent=1), model="customers").text, "x")
    assert made is not None
    customer = made.datasets[0].fields[0]
    assert (customer.required, customer.unique, customer.rules) == (True, True, ())


def test_a_source_can_be_asked_for():
    assert contract("raw.orders").datasets[0].physical_name == "memory.raw.orders"


def test_several_models_need_a_name():
    with pytest.raises(FloeError, match="2 contracts: orders, customers") as caught:
        convert(MANIFEST)
    assert "--model" in caught.value.suggestion


def test_an_unknown_model_is_answered_with_the_models():
    with pytest.raises(FloeError, match="no model 'order'") as caught:
        convert(MANIFEST, model="order")
    assert caught.value.suggestion == "It has customers, orders"


def test_every_model_converts_by_itself():
    assert [result.file_name for result in convert_each(MANIFEST)] == ["orders.odcs.yaml", "customers.odcs.yaml"]


def test_references_never_run_in_a_circle():
    models = yaml.safe_load(convert(HOSTILE, "dbt").text)["models"]
    constraints = [
        one["type"] for model in models for column in model["columns"] for one in column.get("constraints", ())
    ]
    assert constraints.count("foreign_key") == 1  # a refers to b and b to a; the test of both stays


def test_text_that_looks_like_a_template_is_kept_from_being_one():
    model = yaml.safe_load(convert(HOSTILE, "dbt").text)["models"][0]
    assert model["description"] == "{% raw %}{{ doc('missing') }}{% endraw %}"


@pytest.fixture(scope="module")
def dbt(tmp_path_factory):
    """dbt in an environment of its own, for it pins what others need newer; DBT_FOR_TESTS names one that exists."""
    if given := os.environ.get("DBT_FOR_TESTS"):
        return Path(given)
    home = tmp_path_factory.mktemp("dbt")
    venv.create(home, with_pip=True)
    pip = [str(home / "bin" / "pip"), "install", "-q", "dbt-core==1.11.16", "dbt-duckdb"]
    subprocess.run(pip, check=True)
    return home / "bin" / "dbt"


def parse(dbt: Path, project: Path) -> str:
    environment = {**os.environ, "DBT_PROFILES_DIR": str(project), "DO_NOT_TRACK": "1"}
    done = subprocess.run(
        [str(dbt), "parse"], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.soak
@pytest.mark.parametrize(
    "source", [ORDERS, HOSTILE, CASES / "odcs/v3.1.0/all/full-example.odcs.yaml"], ids=lambda p: p.stem
)
def test_dbt_accepts_what_is_written_and_the_schema_comes_back(dbt, source, tmp_path):
    shutil.copytree(CASES / "convert" / "dbt_project", tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "models")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "schema.yml").write_text(convert(source, "dbt").text, "utf-8")
    given, _ = read(source.read_bytes(), str(source))
    assert given is not None
    for dataset in given.datasets:
        (tmp_path / "models" / f"{dataset.name}.sql").write_text("select 1 as one\n", "utf-8")
    said = parse(dbt, tmp_path)
    assert "Deprecat" not in said
    for dataset in given.datasets:
        text = convert(tmp_path / "target" / "manifest.json", model=dataset.name).text
        made, _ = read(text, "x")
        assert made is not None
        assert made.datasets[0].schema == sayable(dataset.schema)


@pytest.mark.soak
def test_the_sample_manifest_is_what_dbt_writes(dbt, tmp_path):
    shutil.copytree(CASES / "convert" / "dbt_project", tmp_path, dirs_exist_ok=True)
    parse(dbt, tmp_path)
    for model in ("orders", "customers", "raw.orders"):
        fresh = convert(tmp_path / "target" / "manifest.json", model=model).text
        assert fresh == convert(MANIFEST, model=model).text
