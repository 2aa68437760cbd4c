"""The official schemas and floe's own, as one judge of events."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs

import floe
from tests.conftest import ROOT

CASES = ROOT / "tests" / "cases" / "openlineage"
OWN = Path(floe.__file__).parent / "events" / "openlineage" / "schemas"


def _schemas() -> Iterator[dict[str, Any]]:
    for path in (*CASES.glob("*.json"), *OWN.glob("*.json")):
        yield json.loads(path.read_text())


_REGISTRY = jsonschema_rs.Registry([(schema["$id"], schema) for schema in _schemas()])


def _faults(schema: str, value: Any) -> list[str]:
    judge = jsonschema_rs.validator_for({"$ref": schema}, registry=_REGISTRY, validate_formats=True)
    return [f"{schema}: {error.message} at {error.instance_path}" for error in judge.iter_errors(value)]


def _facets(node: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(node, list):
        for below in node:
            yield from _facets(below)
    elif isinstance(node, dict):
        if "_schemaURL" in node:
            yield node
        for below in node.values():
            yield from _facets(below)


def faults(event: Mapping[str, Any]) -> list[str]:
    """What is wrong with an event, judged by the schema it names, and with each facet, by the one that names."""
    found = _faults(event["schemaURL"], event)
    for facet in _facets(event):
        found += _faults(facet["_schemaURL"], facet)
    return found
