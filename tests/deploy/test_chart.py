"""The Helm chart by its text and its schema of values; helm renders it in test_tools.py."""

import json
import re
from typing import Any

import jsonschema_rs
import pytest
import yaml

import floe
from tests.helpers.deploying import DEPLOY, accepted

CHART = DEPLOY / "helm" / "floe"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = jsonschema_rs.validator_for(json.loads((CHART / "values.schema.json").read_text()))
TEMPLATES = {path.name: path.read_text() for path in (CHART / "templates").iterdir()}
SECRET = {"registry": {"existingSecret": "floe-registry", "key": "url"}}


def test_the_version_is_that_of_floe():
    assert yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"] == floe.__version__


def test_the_values_with_a_secret_are_valid():
    assert SCHEMA.is_valid({**VALUES, **SECRET})


@pytest.mark.parametrize(
    "wrong",
    [
        {"registry": VALUES["registry"]},
        {"registry": {**SECRET["registry"], "url": "postgresql://floe:password@db/floe"}},
        {"image": {"repository": "floe", "tag": "latest"}},
        {"monitor": {"replicas": 0}},
        {"monitor": {"variant": "fat"}},
        {"server": {"enabled": True, "tables": []}},
        {"sevrer": {}},
    ],
    ids=str,
)
def test_wrong_values_are_refused(wrong: dict[str, Any]):
    assert not SCHEMA.is_valid({**VALUES, **SECRET, **wrong})


def test_templates_use_values_that_exist():
    used = {path for text in TEMPLATES.values() for path in re.findall(r"\.Values\.([\w.]+)", text)}
    assert len(used) > 20
    for path in used:
        node: Any = VALUES
        for key in path.split("."):
            assert key in node, path
            node = node[key]


def test_floe_accepts_the_arguments_of_its_containers():
    lines = [line for text in TEMPLATES.values() for line in re.findall(r"- args: (\[.*\])$", text, re.MULTILINE)]
    ranges = re.compile(r"\{\{ range [^}]*\}\}, \{\{ quote \. \}\}\{\{ end \}\}")
    read = [accepted(yaml.safe_load(ranges.sub(", silver.sales.orders", line))) for line in lines]
    assert len(read) == 3
    ports = {options.port for options in read if "port" in options}
    assert ports == {int(port) for text in TEMPLATES.values() for port in re.findall(r"containerPort: (\d+)", text)}
