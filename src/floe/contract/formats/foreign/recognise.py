"""Documents that are no contracts, named for what they are."""

from collections.abc import Callable
from typing import Any

from floe.model import Finding, List, Map, Severity, locate

Test = Callable[[Map], bool]
_CONVERT = "Turn it into a contract with `floe convert {file} --to odcs`"
_PORTS = ("output_ports", "input_ports", "transforms")


def _has(*keys: str) -> Test:
    return lambda tree: all(key in tree for key in keys)


def _dbt_schema(tree: Map) -> bool:
    lists = (tree.get(key) for key in ("models", "sources", "seeds", "snapshots"))
    return any(isinstance(value, List) for value in lists) and "dataContractSpecification" not in tree


def _dbt_manifest(tree: Map) -> bool:
    metadata: Any = tree.get("metadata")
    return isinstance(metadata, Map) and "dbt_schema_version" in metadata


def _json_schema(tree: Map) -> bool:
    return "$schema" in tree or (tree.get("type") == "object" and isinstance(tree.get("properties"), Map))


# What a document is, how one can tell, and what to do with it; the first that fits is said.
FOREIGN: tuple[tuple[str, Test, str], ...] = (
    ("a dbt manifest", _dbt_manifest, _CONVERT),
    (
        "a dbt project file",
        _has("name", "profile", "models"),
        "Pass the contracts, or target/manifest.json of the project",
    ),
    ("a dbt project file", _has("config-version"), "Pass the contracts, or target/manifest.json of the project"),
    (
        "a dbt schema file",
        _dbt_schema,
        "Run `dbt parse` and convert target/manifest.json: `floe convert target/manifest.json --to odcs`",
    ),
    (
        "an OpenAPI description",
        _has("openapi"),
        "Pass a data contract; the schemas of an API can be converted as JSON Schema files",
    ),
    (
        "an OpenAPI description",
        _has("swagger"),
        "Pass a data contract; the schemas of an API can be converted as JSON Schema files",
    ),
    (
        "an AsyncAPI description",
        _has("asyncapi"),
        "Pass a data contract; its payload schemas can be converted as Avro or JSON Schema files",
    ),
    ("a Spark schema", lambda tree: tree.get("type") == "struct" and "fields" in tree, _CONVERT),
    ("an Avro schema", lambda tree: tree.get("type") == "record" and "fields" in tree, _CONVERT),
    ("a JSON Schema", _json_schema, _CONVERT),
    (
        "floe's platform file (manifest.yaml)",
        _has("data_contracts"),
        "floe reads it as settings; `floe doctor` shows them",
    ),
    (
        "a floe product file (floe.yaml)",
        lambda tree: "metadata" in tree and any(key in tree for key in _PORTS),
        "Generate contracts from its ports with `floe compile`",
    ),
    (
        "a list of changes",
        lambda tree: "breaking_changes" in tree or "compatible_changes" in tree,
        "Save it as changes.yaml in the folder of the contract; `floe diff` reads its migration texts",
    ),
    (
        "an Open Data Product file",
        lambda tree: tree.get("kind") == "DataProduct",
        "Pass the contracts that its ports refer to",
    ),
    (
        "a Kubernetes manifest",
        lambda tree: (
            {"apiVersion", "kind"} <= set(tree)
            and tree.get("kind") != "DataContract"
            and ("metadata" in tree or "spec" in tree)
        ),
        "Pass a data contract instead",
    ),
)


def finding(tree: Map, source: str) -> Finding | None:
    """What the document is, where one can tell that it is no contract."""
    for what, test, advice in FOREIGN:
        if test(tree):
            return Finding(
                "E502",
                "not-odcs",
                Severity.CRITICAL,
                f"The document is {what}, not a data contract",
                "floe reads ODCS v3.0.0 to v3.2.0, the dialects A, B and C, and the Data Contract Specification",
                advice.format(file=source),
                locate(tree),
            )
    return None
