"""The JSON Schemas of ODCS by version, and what one knows at a place of a document, found through references and conditions."""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from floe.model import Finding, Map, Step

VERSIONS = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0", "v3.2.0")
_SCHEMAS = Path(__file__).parent / "schemas"
_FORKS = ("allOf", "anyOf", "oneOf")


@lru_cache(maxsize=len(VERSIONS))
def schema(version: str) -> dict[str, Any]:
    """The JSON Schema of a version of the standard."""
    loaded: dict[str, Any] = json.loads((_SCHEMAS / f"odcs-{version}.json").read_bytes())
    return loaded


@lru_cache(maxsize=len(VERSIONS))
def validator(version: str) -> Any:
    """The compiled JSON Schema of a version."""
    import jsonschema_rs  # noqa: PLC0415  (40 ms that --version and runs do not need)

    return jsonschema_rs.validator_for(schema(version))


def known_keys(version: str, tree: Any, path: Sequence[Step], *, every: bool = False) -> list[str]:
    """The keys the schema knows in the mapping at a path; with `every`, those of unmet conditions too."""
    names = (name for sub in schemas_at(version, tree, path, every=every) for name in sub.get("properties", ()))
    return list(dict.fromkeys(names))


def schemas_at(version: str, tree: Any, path: Sequence[Step], *, every: bool = False) -> list[dict[str, Any]]:
    """The subschemas that speak about the value at a path."""
    root = schema(version)
    return _walk(list(_expand(root, root, tree, every)), root, tree, path, every)


def _walk(
    found: list[dict[str, Any]], root: dict[str, Any], value: Any, path: Sequence[Step], every: bool
) -> list[dict[str, Any]]:
    for step in path:
        value = value_at(value, (step,))
        found = [sub for row in found for child in _children(row, step) for sub in _expand(child, root, value, every)]
    return found


def schema_along(version: str, evaluated: Sequence[Step]) -> Any:
    """The piece of schema that an evaluation path ends at, references followed."""
    root = schema(version)
    piece: Any = root
    for step in evaluated:
        piece = _resolve(piece["$ref"], root) if step == "$ref" else piece[step]
    return piece


def condition_values(version: str, tree: Any, path: Sequence[Step], key: str) -> list[str]:
    """The conditions (`type: postgres`) under which the schema knows a key of the mapping at a path."""
    root = schema(version)
    found: list[str] = []
    for back in range(min(2, len(path) + 1)):
        outer, inner = path[: len(path) - back], path[len(path) - back :]
        value = value_at(tree, outer)
        for fork in [fork for row in schemas_at(version, tree, outer) for fork in row.get("allOf", ())]:
            then = _walk(list(_expand(fork.get("then", {}), root, value, False)), root, value, inner, False)
            if any(key in sub.get("properties", ()) for sub in then):
                found += _constants(fork.get("if", {}))
    return list(dict.fromkeys(found))


def _constants(condition: dict[str, Any]) -> list[str]:
    own = [
        f"{name}: {value}"
        for name, sub in condition.get("properties", {}).items()
        for value in (sub.get("enum") or [sub.get("const")])
        if value is not None
    ]
    return own + [text for sub in condition.get("anyOf", ()) for text in _constants(sub)]


def value_at(tree: Any, path: Sequence[Step]) -> Any:
    """The value at a path; None where the path ends early."""
    for step in path:
        inside = (isinstance(tree, dict) and step in tree) or (
            isinstance(tree, list) and isinstance(step, int) and step < len(tree)
        )
        tree = tree[step] if inside else None
    return tree


def _children(sub: dict[str, Any], step: Step) -> Iterator[dict[str, Any]]:
    keys = ("items",) if isinstance(step, int) else ("additionalProperties", "unevaluatedProperties")
    named = sub.get("properties", {}).get(step) if isinstance(step, str) else None
    for child in [named] if named is not None else [sub.get(key) for key in keys]:
        if isinstance(child, dict):
            yield child


def _expand(sub: dict[str, Any], root: dict[str, Any], value: Any, every: bool) -> Iterator[dict[str, Any]]:
    """A subschema and all that it refers to, for a value."""
    yield sub
    if "$ref" in sub:
        yield from _expand(_resolve(sub["$ref"], root), root, value, every)
    for fork in _FORKS:
        for branch in sub.get(fork, ()):
            yield from _expand(branch, root, value, every)
    if "if" in sub:
        met = every or _condition(id(sub["if"]), json.dumps(sub["if"])).is_valid(value)
        if "then" in sub and met:
            yield from _expand(sub["then"], root, value, every)
        if "else" in sub and (every or not met):
            yield from _expand(sub["else"], root, value, every)


@lru_cache(maxsize=1024)
def _condition(_identity: int, text: str) -> Any:
    import jsonschema_rs  # noqa: PLC0415  (as above)

    return jsonschema_rs.validator_for(json.loads(text))


def _resolve(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    piece: Any = root
    for step in reference.removeprefix("#/").split("/"):
        piece = piece[step]
    resolved: dict[str, Any] = piece
    return resolved


__all__ = ["VERSIONS", "refusal", "schema_findings"]


def schema_findings(tree: Map) -> list[Finding]:
    """The deepest causes only, each once, at its place and in the order of the file."""
    if validator(tree["apiVersion"]).is_valid(tree):
        return []
    from floe.contract.formats.odcs.findings import broken  # noqa: PLC0415  (10 ms that a sound contract does not need)

    return broken(tree)


def refusal(tree: Any, source: str) -> Finding:
    """Why a document is no contract in a version that floe reads."""
    from floe.contract.formats.odcs.findings import not_a_contract, unsupported  # noqa: PLC0415  (as above)

    return unsupported(tree) if isinstance(tree, Map) else not_a_contract(tree, source)
