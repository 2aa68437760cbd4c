"""A property in one form: its type however it is described, and nothing said that holds anyway."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from floe.contract.formats.options import said
from floe.lang.type_text import parse_type
from floe.model.types import SECOND_DIGITS, Array, Atomic, Family, MapOf, Struct, Type

# children -> what they make of a property
_SHAPES = {"properties": ("object", Struct), "items": ("array", Array), "map": ("map", MapOf)}
# logical types that name one type, whatever the version
_EXACT = ("string", "boolean", "timestamp", "time")


def in_one_form(node: Mapping[str, Any]) -> dict[str, Any]:
    """The property with its type as children or as a canonical name; its children stay as they are."""
    out = dict(node)
    if out.get("primaryKey") is True:
        out.pop("required", None)
    if "physicalName" in out and out["physicalName"] == out.get("name"):
        del out["physicalName"]
    if isinstance(options := out.get("logicalTypeOptions"), dict):
        out["logicalTypeOptions"] = said(options)
    _typed(out)
    return out


def words(text: str | None) -> str:
    """A type that cannot be read, by its words."""
    return "".join((text or "").lower().split())


def _typed(out: dict[str, Any]) -> None:
    """Write the type of a property in its one form: children, else a canonical physical type."""
    logical = out.get("logicalType")
    physical = out["physicalType"] if isinstance(out.get("physicalType"), str) else ""
    read = _read(physical) if physical else None
    if shape := _shape(out):
        name, class_ = shape
        out.setdefault("logicalType", name)
        if isinstance(read, class_) or read == Family(name):
            del out["physicalType"]
    elif isinstance(read, Struct | Array | MapOf):
        del out["physicalType"]
        out.update(_described(read))
    elif physical:
        out["physicalType"] = _name(physical)
        if logical in _EXACT and out["physicalType"] == logical:
            del out["logicalType"]
    elif _names_one_type(out):
        out["physicalType"] = out.pop("logicalType")


def _shape(node: Mapping[str, Any]) -> tuple[str, type[Struct | Array | MapOf]] | None:
    """What its children make of a property."""
    return next((_SHAPES[key] for key in _SHAPES if isinstance(node.get(key), dict | list) and node[key]), None)


def _names_one_type(node: Mapping[str, Any]) -> bool:
    """Whether the logical type by itself says which type is meant; a timestamp with a time zone option is of two."""
    logical = node.get("logicalType")
    if logical == "timestamp":
        return "timezone" not in (node.get("logicalTypeOptions") or {})
    return logical in _EXACT


@lru_cache(maxsize=4096)
def _read(text: str) -> Type | None:
    if "${" in text:
        return None
    try:
        return parse_type(text)
    except ValueError:
        return None


def _name(text: str) -> str:
    """The one name of a type that has no parts."""
    read = _read(text)
    return words(text) if read is None else spelled(read)


def spelled(type_: Type) -> str:
    """A type as text, with the number that Spark does not keep."""
    if not isinstance(type_, Atomic) or type_.size in (None, SECOND_DIGITS):
        return str(type_)
    return f"{type_}({type_.size}){' fixed' if type_.fixed else ''}"


def _described(type_: Struct | Array | MapOf) -> dict[str, Any]:
    """The parts of a type as properties."""
    match type_:
        case Struct(members):
            below = [{"name": member.name, **_part(member.type, member.nullable)} for member in members]
            return {"logicalType": "object", "properties": below}
        case Array(element, nullable):
            return {"logicalType": "array", "items": _part(element, nullable)}
        case MapOf(key, value, nullable):
            return {"logicalType": "map", "map": {"key": _part(key, True), "value": _part(value, nullable)}}


def _part(type_: Type, nullable: bool) -> dict[str, Any]:
    own = _described(type_) if isinstance(type_, Struct | Array | MapOf) else {"physicalType": spelled(type_)}
    return {**own, **({} if nullable else {"required": True})}
