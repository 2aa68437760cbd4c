"""What the standard's own JSON Schema says about a document, in words for people."""

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from floe.model import Finding, Map, Severity, Step, locate

VERSIONS = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0", "v3.2.0")
_UNKNOWN_KEYS = ("AdditionalProperties", "UnevaluatedProperties")


@lru_cache(maxsize=len(VERSIONS))
def _validator(version: str) -> Any:
    import jsonschema_rs  # noqa: PLC0415  (40 ms that --version and runs do not need)

    text = files("floe.contract.formats").joinpath("schemas", f"odcs-{version}.json").read_text("utf-8")
    return jsonschema_rs.validator_for(json.loads(text))


def schema_findings(tree: Map) -> list[Finding]:
    """The deepest causes only: a wrong value makes a schema call its innocent neighbours unexpected."""
    errors = list(_validator(tree["apiVersion"]).iter_errors(tree))
    paths = [tuple(error.instance_path) for error in errors]
    real = [path for path, error in zip(paths, errors, strict=True) if _kind(error) not in _UNKNOWN_KEYS]
    findings = []
    for path, error in zip(paths, errors, strict=True):
        unknown = _kind(error) in _UNKNOWN_KEYS
        if unknown and any(other[: len(path)] == path for other in real):
            continue
        findings += _findings(tree, path, error)
    return list(dict.fromkeys(findings))


def _kind(error: Any) -> str:
    return type(error.kind).__name__.removeprefix("ValidationErrorKind_")


def _findings(tree: Map, path: tuple[Step, ...], error: Any) -> list[Finding]:
    kind = _kind(error)
    if kind in _UNKNOWN_KEYS:
        return [
            Finding(
                "E501",
                "unknown-key",
                Severity.CRITICAL,
                f"Key '{key}' is not part of ODCS {tree['apiVersion']} here",
                suggestion=f"Remove '{key}', or move it to customProperties",
                place=locate(tree, *path, key, key=True),
                path=(*path, key),
            )
            for key in error.kind.unexpected
        ]
    if kind == "Required":
        key = error.kind.property
        return [
            Finding(
                "E501",
                "missing-field",
                Severity.CRITICAL,
                f"Required field '{key}' is missing",
                suggestion=f"Add '{key}'",
                place=locate(tree, *path),
                path=(*path, key),
            )
        ]
    return [
        Finding(
            "E501",
            "invalid-value",
            Severity.CRITICAL,
            error.message,
            suggestion="Use a value the standard allows here",
            place=locate(tree, *path),
            path=path,
        )
    ]
