"""Contracts as ODCS text."""

from typing import Any

from floe.contract.formats.canonical import same_promises
from floe.contract.formats.odcs import VERSIONS, schema_findings, validator
from floe.contract.formats.odcs.fit import comparable, fitted, without_empty
from floe.contract.formats.odcs.forms import FREE
from floe.contract.formats.odcs.upgrade import raised
from floe.model import Contract, Map, Severity, yaml_text
from floe.model.yaml_text import copy

DEFAULT_VERSION = "v3.1.0"
_ROOT = (
    *("apiVersion", "kind", "id", "name", "version", "status", "tenant", "domain", "dataProduct", "tags"),
    *("description", "context", "authoritativeDefinitions", "servers", "schema", "slaDefaultElement"),
    *("slaProperties", "price", "team", "roles", "support", "customProperties", "contractCreatedTs"),
)
# one order for all other mappings: what it is, its type, its promises, then the rest
_ORDER = (
    *("id", "server", "username", "channel", "role", "property", "name", "value", "type", "metric", "rule"),
    *("physicalName", "businessName", "semanticType", "logicalType", "physicalType", "logicalTypeOptions", "items"),
    *("map", "key", "enum", "label", "description", "purpose", "usage", "limitations", "deprecated", "synonyms"),
    *("required", "unique", "primaryKey", "primaryKeyPosition", "partitioned", "partitionKeyPosition"),
    *("classification", "criticalDataElement", "encryptedName", "dataGranularityDescription"),
    *("transformSourceObjects", "transformLogic", "transformDescription", "examples", "tags"),
    *("from", "to", "engine", "implementation", "query", "arguments", "mustBe", "mustNotBe"),
    *("valueExt", "unit", "element", "driver", "environment", "tool", "scope", "url"),
    *("dimension", "severity", "relationships", "properties", "quality", "members"),
    *("authoritativeDefinitions", "customProperties"),
)


def write(contract: Contract, version: str | None = DEFAULT_VERSION) -> str:
    """The contract as YAML of an ODCS version, v3.1.0 or v3.2.0; None keeps the version it was read in."""
    return yaml_text.dump(_ordered(document(contract, version), _ROOT))


def document(contract: Contract, version: str | None = DEFAULT_VERSION) -> Map:
    """The contract as a tree of an ODCS version."""
    target = version or contract.api_version
    if target == contract.api_version and target != DEFAULT_VERSION and _stays(contract, version):
        return without_empty(copy(contract.node))
    if target not in ("v3.1.0", "v3.2.0"):
        raise ValueError(f"floe writes ODCS v3.1.0 and v3.2.0, not '{version}'; it reads {', '.join(VERSIONS)}")
    lower = comparable(contract.node)
    return lower if target == DEFAULT_VERSION else _newer(lower)


def _stays(contract: Contract, version: str | None) -> bool:
    """Whether a document can be written as it was read: on request, or where its own JSON Schema takes it."""
    return version is None or validator(contract.api_version).is_valid(contract.node)


def _newer(lower: Map) -> Map:
    """v3.2, with its own words where they say the same and are valid, else with those of v3.1."""
    newer = raised(lower)
    critical = any(finding.severity is Severity.CRITICAL for finding in schema_findings(newer))
    if same_promises(newer, lower) and not critical:
        return newer
    plain: Map = copy(lower)
    plain["apiVersion"] = "v3.2.0"
    return fitted(plain, values=True)


def _ordered(node: Any, order: tuple[str, ...] = _ORDER) -> Any:
    if isinstance(node, list):
        return [_ordered(value) for value in node]
    if not isinstance(node, dict):
        return node
    rank = {key: index for index, key in enumerate(order)}
    keys = sorted(node, key=lambda key: rank.get(key, len(rank)))
    return {key: _free(node[key]) if key in FREE else _ordered(node[key]) for key in keys}


def _free(value: Any) -> Any:
    """What users fill freely stays in their order; the entries of customProperties begin with their name."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and "property" in item for item in value):
        return [
            {key: each_item[key] for key in sorted(each_item, key=_ENTRY.index)}
            if set(each_item) <= set(_ENTRY)
            else each_item
            for each_item in value
        ]
    return value


_ENTRY = ("id", "property", "value", "description", "vendor")
