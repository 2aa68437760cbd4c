"""Why a document breaks the standard's JSON Schema: the deepest causes, each once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from floe.contract.formats.odcs import known_keys, schema_along, validator, value_at
from floe.model import Step

_UNKNOWN = ("AdditionalProperties", "UnevaluatedProperties")
_CHOICES = ("AnyOf", "OneOfNotValid")


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong: where, of what kind, and what the schema asks for.

    `path` leads to the wrong value; for a key that is missing or should not be there, to its container.
    """

    kind: str
    path: tuple[Step, ...]
    key: str = ""
    expected: tuple[Any, ...] = ()


def causes(tree: Any, version: str) -> list[Cause]:
    """What breaks the schema of a version; innocent neighbours of a wrong value are left out."""
    errors = list(validator(version).iter_errors(tree))
    if not errors:
        return []
    plain = (error for error in errors if _kind(error) not in _UNKNOWN)
    real = [_as_written(cause, tree) for error in plain for cause in _explained(error, version)]
    strange = (error for error in errors if _kind(error) in _UNKNOWN)
    explained = prefixes(cause.path for cause in real)
    unknown = [cause for error in strange for cause in _unknown(error, explained, tree, version)]
    return _without_consequences(list(dict.fromkeys([*real, *unknown])))


def _without_consequences(found: Sequence[Cause]) -> list[Cause]:
    """The causes that no other one explains."""
    inside = prefixes(cause.path for cause in found if cause.kind != "several")
    mistyped = {cause.path for cause in found if cause.kind == "type"}
    above = prefixes(cause.path[:-1] for cause in found if cause.path)
    return [cause for cause in found if not _follows(cause, inside, mistyped, above)]


def prefixes(paths: Iterable[tuple[Step, ...]]) -> set[tuple[Step, ...]]:
    """Every place that one of the paths leads to or through."""
    return {path[:length] for path in paths for length in range(len(path) + 1)}


def _kind(error: Any) -> str:
    return type(error.kind).__name__.removeprefix("ValidationErrorKind_")


def _explained(error: Any, version: str) -> list[Cause]:
    kind = _kind(error)
    if kind in _CHOICES:
        branches = [_all(branch, version) for branch in error.kind.context]
        return _nearest(tuple(error.instance_path), branches)
    if kind == "OneOfMultipleValid":
        return [_several(error, version)]
    return [_plain(error, kind)]


def _all(errors: Iterable[Any], version: str) -> list[Cause]:
    return [
        cause
        for error in errors
        for cause in (_unexpected(error) if _kind(error) in _UNKNOWN else _explained(error, version))
    ]


def _unexpected(error: Any) -> list[Cause]:
    return [Cause("unknown", tuple(error.instance_path), key) for key in error.kind.unexpected]


def _plain(error: Any, kind: str) -> Cause:
    """An error that is its own cause."""
    path, about = tuple(error.instance_path), error.kind
    match kind:
        case "Required":
            return Cause("missing", path, about.property)
        case "Type":
            return Cause("type", path, expected=tuple(about.types))
        case "Enum":
            return Cause("enum", path, expected=tuple(map(str, about.options)))
        case "Constant":
            return Cause("enum", path, expected=(str(about.expected_value),))
        case "Not" if list(about.schema) == ["required"] and len(about.schema["required"]) == 1:
            return Cause("forbidden", path, about.schema["required"][0])
        case "Pattern":
            return Cause("pattern", path, expected=(about.pattern,))
    limit = next((getattr(about, name) for name in ("limit", "multiple_of") if hasattr(about, name)), None)
    return Cause(kind, path, expected=() if limit is None else (limit,))


def _several(error: Any, version: str) -> Cause:
    """A value that fits several forms of which one is allowed; the keys that make it fit."""
    forms = schema_along(version, list(error.evaluation_path))
    fitting = [form for form, context in zip(forms, error.kind.context, strict=True) if not context]
    keys = tuple(key for form in fitting for key in form.get("required", ()))
    return Cause("several", tuple(error.instance_path), expected=keys)


def _as_written(cause: Cause, tree: Any) -> Cause:
    """Keys that exclude one another, in the order of the file."""
    if cause.kind != "several":
        return cause
    node = value_at(tree, cause.path)
    written = node if isinstance(node, dict) else ()
    return replace(cause, expected=tuple(key for key in written if key in cause.expected))


def _nearest(path: tuple[Step, ...], branches: Sequence[list[Cause]]) -> list[Cause]:
    """The causes in the form that the value comes closest to; what all forms say alike is said once."""
    typed = [branch for branch in branches if not _at(branch, "type", path)]
    if not typed:
        return [_merged(path, "type", branches)]
    present = [branch for branch in typed if not _at(branch, "missing", path)]
    if not present:
        return typed[0] if len(typed) == 1 else [_none_of(path, typed)]
    if all(len(branch) == 1 and _at(branch, "pattern", path) for branch in present):
        return [_merged(path, "pattern", present)]
    return max(present, key=_depth)


def _at(branch: Sequence[Cause], kind: str, path: tuple[Step, ...]) -> list[Cause]:
    """The causes of a kind at just this place."""
    return [cause for cause in branch if cause.kind == kind and cause.path == path]


def _depth(branch: Sequence[Cause]) -> int:
    return max((len(cause.path) for cause in branch), default=0)


def _none_of(path: tuple[Step, ...], branches: Sequence[list[Cause]]) -> Cause:
    """A mapping with none of the keys that its forms require."""
    missing = [cause.key for branch in branches for cause in branch if cause.kind == "missing"]
    return Cause("none-of", path, expected=tuple(dict.fromkeys(missing)))


def _merged(path: tuple[Step, ...], kind: str, branches: Sequence[list[Cause]]) -> Cause:
    expected: list[Any] = []
    for branch in branches:
        for cause in _at(branch, kind, path):
            expected += cause.expected
    return Cause(kind, path, expected=tuple(dict.fromkeys(expected)))


def _unknown(error: Any, explained: set[tuple[Step, ...]], tree: Any, version: str) -> Iterator[Cause]:
    """The keys that nothing at this place knows; known ones only where no other cause explains the error."""
    path = tuple(error.instance_path)
    known = set(known_keys(version, tree, path, every=True))
    for key in error.kind.unexpected:
        if key not in known:
            yield Cause("unknown", path, key)
        elif path not in explained:
            yield Cause("misplaced", path, key)


def _follows(
    cause: Cause, inside: set[tuple[Step, ...]], mistyped: set[tuple[Step, ...]], above: set[tuple[Step, ...]]
) -> bool:
    """Whether another cause at the same place, or one further down, already explains this one."""
    if cause.kind == "several":
        return not cause.expected and cause.path in inside
    if cause.kind == "enum":
        return cause.path in mistyped
    return cause.kind == "misplaced" and ((*cause.path, cause.key) in inside or cause.path in above)
