"""Where the standard's text and its JSON Schema differ, and what floe accepts."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from floe.contract.formats.odcs import schemas_at, value_at
from floe.contract.formats.odcs.causes import Cause

_DIMENSIONS = ("ac", "cp", "cf", "cs", "cv", "tm", "uq")
_OPTIONAL = {"postgres": ("port", "schema"), "postgresql": ("port", "schema"), "mysql": ("port",)}
_LOWER = ("mustBeGreaterThan", "mustBeGreaterOrEqualTo")
_UPPER = ("mustBeLessThan", "mustBeLessOrEqualTo")
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}")
_DOTTED = r"[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)+"
_SLASHED = r"/?[A-Za-z_]\w*/[^\s.#/\\@!%&^]+(/[A-Za-z_]\w*/[^\s.#/\\@!%&^]+)*"
_REFERENCE = re.compile(rf"((https?://)?[\w.\-/]+\.ya?ml#)?({_DOTTED}|{_SLASHED})")


def departure(cause: Cause, tree: Any, version: str) -> str | None:
    """Why floe accepts what the JSON Schema refuses: a sentence for people, or nothing to say; None where it refuses."""
    return next((said for accept in _ACCEPTED if (said := accept(cause, tree, version)) is not None), None)


def _version_number(cause: Cause, tree: Any, _version: str) -> str | None:
    """A version written as a number is judged as a version (E521), not as a type."""
    number = isinstance(tree.get("version"), int | Decimal) and not isinstance(tree.get("version"), bool)
    return "" if cause.kind == "type" and cause.path == ("version",) and number else None


def _variable(cause: Cause, tree: Any, version: str) -> str | None:
    """`${PORT}` stands for a value that is known when it is used."""
    value = value_at(tree, cause.path)
    held = version >= "v3.2" and isinstance(value, str) and _VARIABLE.search(value)
    return "" if held and cause.kind not in ("missing", "unknown") else None


def _empty(cause: Cause, tree: Any, version: str) -> str | None:
    """The standard's own text writes `description: null`."""
    return f"'{cause.path[-1]}' is empty and is ignored" if is_empty(cause, tree, version) else None


def is_empty(cause: Cause, tree: Any, version: str) -> bool:
    """Whether all that is wrong is that a key which may be left out has no value."""
    if cause.kind != "type" or not cause.path or value_at(tree, cause.path) is not None:
        return False
    *above, key = cause.path
    required = (sub.get("required", ()) for sub in schemas_at(version, tree, above))
    return isinstance(key, str) and not any(key in keys for keys in required)


def _kinesis_stream(cause: Cause, tree: Any, _version: str) -> str | None:
    server = cause.path[:1] == ("servers",) and value_at(tree, (*cause.path, "type")) == "kinesis"
    return "" if server and cause.key == "stream" and cause.kind in ("unknown", "misplaced") else None


def _server_field(cause: Cause, tree: Any, _version: str) -> str | None:
    if cause.kind != "missing" or cause.path[:1] != ("servers",):
        return None
    kind = value_at(tree, (*cause.path, "type"))
    optional = isinstance(kind, str) and cause.key in _OPTIONAL.get(kind, ())
    return f"'{cause.key}' of a {kind} server is optional in the text of the standard" if optional else None


def _staging_dir(cause: Cause, tree: Any, _version: str) -> str | None:
    """v3.0.0 and v3.0.1 know `stagingDir` of an athena server and ask for `staging_dir`."""
    misnamed = cause.kind == "missing" and cause.path[:1] == ("servers",) and cause.key == "staging_dir"
    server = value_at(tree, cause.path)
    return "" if misnamed and isinstance(server, dict) and "stagingDir" in server else None


def _two_bounds(cause: Cause, _tree: Any, _version: str) -> str | None:
    keys = cause.expected if cause.kind == "several" else ()
    both = len(keys) == 2 and any(key in _LOWER for key in keys) and any(key in _UPPER for key in keys)
    return "" if both else None


def _relationship(cause: Cause, tree: Any, _version: str) -> str | None:
    if "relationships" not in cause.path:
        return None
    if cause.kind == "unknown" and cause.key == "description" and cause.path[-2:-1] == ("relationships",):
        return ""
    value = value_at(tree, cause.path)
    return "" if cause.kind == "pattern" and isinstance(value, str) and _REFERENCE.fullmatch(value) else None


def _dimension(cause: Cause, tree: Any, _version: str) -> str | None:
    short = cause.kind == "enum" and cause.path[-1:] == ("dimension",) and value_at(tree, cause.path)
    return "" if isinstance(short, str) and short in _DIMENSIONS else None


def _no_logical_type(cause: Cause, tree: Any, _version: str) -> str | None:
    """Without a logicalType every condition of the schema is met, so that each contradicts the other."""
    if "logicalTypeOptions" in cause.path and cause.kind != "unknown":
        owner = cause.path[: cause.path.index("logicalTypeOptions")]
        said = "logicalTypeOptions without logicalType"
    elif cause.kind in ("missing", "misplaced") and cause.key in ("map", "items", "properties", "logicalType"):
        owner, said = cause.path, "The property has no logicalType"
    else:
        return None
    node = value_at(tree, owner)
    field = "properties" in owner or "items" in owner
    return said if field and isinstance(node, dict) and "logicalType" not in node else None


_ACCEPTED: tuple[Callable[[Cause, Any, str], str | None], ...] = (
    _version_number,
    _variable,
    _empty,
    _kinesis_stream,
    _server_field,
    _staging_dir,
    _two_bounds,
    _relationship,
    _dimension,
    _no_logical_type,
)
