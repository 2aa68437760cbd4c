"""One form for all spellings of a contract and its types: what equality, differences and hashes are taken over."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from floe.contract.formats.odcs.fit import comparable
from floe.contract.formats.options import said
from floe.lang.json_text import plain
from floe.lang.quantity import parse_quantity
from floe.lang.type_text import parse_type
from floe.model import Contract, Map
from floe.model.service_level import SPELLINGS
from floe.model.types import SECOND_DIGITS, Array, Atomic, Family, MapOf, Struct, Type
from floe.model.yaml_text import maps

_LIFECYCLE = ("deprecation", "lifecycleState")
_FLAGS = ("required", "unique", "primaryKey", "partitioned", "criticalDataElement")
_ORDERED = ("properties", "examples", "from", "to", "transformSourceObjects", *("mustBeBetween", "mustNotBeBetween"))
_RAW = ("arguments", "implementation", "examples")
_SCALARS = (str, int, float)
_POSITIONS = (("primaryKey", "primaryKeyPosition"), ("partitioned", "partitionKeyPosition"))


def equal(contract: Contract, other: Contract) -> bool:
    """Whether two contracts promise the same, whatever version, dialect or spelling they are written in."""
    return same_promises(contract.node, other.node)


def same_promises(entry: Map, other: Map) -> bool:
    """Whether two ODCS trees promise the same."""
    return _json(_form(entry, _EQUALITY)) == _json(_form(other, _EQUALITY))


def differences(contract: Contract, other: Contract) -> list[str]:
    """Where two contracts differ, as paths with both values; empty where they are equal."""
    return list(_differences(_form(contract.node, _EQUALITY), _form(other.node, _EQUALITY), ""))


def alike(contract: Contract, other: Contract) -> bool:
    """Whether two documents of one apiVersion say the same in the same spellings, whatever version they declare."""
    forms = [_form(contract.node, _WHOLE) for contract in (contract, other)]
    for form in forms:
        form.pop("version", None)
    return _json(forms[0]) == _json(forms[1])


def part(node: dict[str, Any], key: str, without: Collection[str] = ()) -> dict[str, Any]:
    """One mapping of a document in its one form, spellings kept, without some of its keys."""
    normal = _normal(node, key, _WHOLE).items()
    form = {name: _node(value, name, _WHOLE) for name, value in normal if name not in without}
    return {name: value for name, value in form.items() if value not in (None, {}, [])}


def content_hash(contract: Contract, form: Map | None = None) -> str:
    """The hash of a contract's document, without its lifecycle: `sha256:` and 64 hexadecimal digits.

    Args:
        contract: what to hash.
        form: its document as `comparable` makes it, where that is known.
    """
    text = _json(_form(contract.node, _HASH, form))
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class _Purpose:
    """What counts: a hash keeps spellings and made names and leaves out the lifecycle, equality the reverse."""

    spellings: bool
    lifecycle: bool


_EQUALITY = _Purpose(spellings=False, lifecycle=True)
_HASH = _Purpose(spellings=True, lifecycle=False)
_WHOLE = _Purpose(spellings=True, lifecycle=True)


def _form(document: Map, purpose: _Purpose, known: Map | None = None) -> dict[str, Any]:
    tree = dict(comparable(document) if known is None else known)
    if purpose.spellings:
        tree["apiVersion"] = document["apiVersion"]
    else:
        del tree["apiVersion"]
    if not purpose.lifecycle:
        _without_lifecycle(tree)
    form: dict[str, Any] = _node(tree, "root", purpose)
    return form


def _without_lifecycle(tree: dict[str, Any]) -> None:
    tree.pop("status", None)
    custom, definitions = maps(tree.get("customProperties")), maps(tree.get("authoritativeDefinitions"))
    tree["customProperties"] = [entry for entry in custom if entry.get("property") not in _LIFECYCLE]
    # a migration guide is said when a contract is deprecated
    tree["authoritativeDefinitions"] = [entry for entry in definitions if entry.get("type") != "migrationGuide"]


def _node(value: Any, key: str, purpose: _Purpose) -> Any:
    """A part of the document in its one form; empty parts are no parts."""
    if isinstance(value, str):
        return value
    if key in _RAW:
        return plain(_delay(value) if not purpose.spellings and key == "implementation" else value)
    if key == "customProperties" and isinstance(value, list):
        return _custom(value)
    if isinstance(value, dict):
        below = {name: _node(part, name, purpose) for name, part in _normal(value, key, purpose).items()}
        return {name: part for name, part in below.items() if part or isinstance(part, _SCALARS)}
    if isinstance(value, list):
        items = [_node(each_one, key, purpose) for each_one in _positioned(value, key)]
        return items if key in _ORDERED else sorted(items, key=_json)
    return plain(value)


def _custom(entries: list[Any]) -> Any:
    """Custom properties by their names, in whatever order they stand."""
    out: dict[str, Any] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        name = str(entry.get("property"))
        value = _deprecation(entry.get("value")) if name == "deprecation" else entry.get("value")
        rest = {key: part for key, part in entry.items() if key not in ("property", "value")}
        out.setdefault(name, []).append(plain({"value": value, **rest}))
    return {name: values[0] if len(values) == 1 else values for name, values in out.items()}


def _deprecation(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {{"sunset_date": "sunsetDate"}.get(key, key): part for key, part in value.items()}


def _normal(node: dict[str, Any], key: str, purpose: _Purpose) -> dict[str, Any]:
    out = {name: value for name, value in node.items() if not (name in _FLAGS and value is False)}
    match key:
        case "schema" | "properties" | "items":
            out = _property(out, key, purpose)
        case "map":
            out = _map(out)
        case "quality":
            _rule(out, purpose)
        case "slaProperties":
            _level(out, purpose)
        case "relationships":
            out.setdefault("type", "foreignKey")
    return out


def _map(node: dict[str, Any]) -> dict[str, Any]:
    """The parts of a map, which are properties; its key is never null."""
    out = {name: in_one_form(part) if isinstance(part, dict) else part for name, part in node.items()}
    if isinstance(out.get("key"), dict):
        out["key"].pop("required", None)
    return out


def _property(node: dict[str, Any], key: str, purpose: _Purpose) -> dict[str, Any]:
    out = dict(node) if key == "schema" else in_one_form(node)
    if key == "schema" and out.get("logicalType") == "object":
        del out["logicalType"]
    if not purpose.spellings and "id" in out and out["id"] == out.get("name"):
        del out["id"]
    for flag, position in _POSITIONS:
        if out.get(flag) is not True:
            out.pop(position, None)
    return out


def _positioned(items: list[Any], key: str) -> list[Any]:
    """Properties whose key and partition columns know their position, counted from one."""
    if key != "properties":
        return items
    out = list(items)
    for flag, position in _POSITIONS:
        for rank, index in enumerate(_ranked(items, flag, position), 1):
            out[index] = {**out[index], position: rank}
    return out


def _ranked(items: list[Any], flag: str, position: str) -> list[int]:
    """The places of the columns of a key, in its order; one that does not say its position is where it stands."""
    found = [index for index, item in enumerate(items) if isinstance(item, dict) and item.get(flag) is True]
    # as the model reads them: a key counts its columns, a partition does not
    unsaid = {index: number if flag == "primaryKey" else 1 for number, index in enumerate(found, 1)}
    return sorted(found, key=lambda index: _whole(items[index].get(position)) or unsaid[index])


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _rule(out: dict[str, Any], purpose: _Purpose) -> None:
    if out.get("type") == "library":
        del out["type"]
    if not purpose.spellings:
        out.pop("id", None)
        out.pop("dimension", None)
        if out.get("unit") in ("%", "pct"):
            out["unit"] = "percent"


def _level(out: dict[str, Any], purpose: _Purpose) -> None:
    if purpose.spellings:
        return
    out.pop("id", None)
    out["property"] = SPELLINGS.get(str(out.get("property")), out.get("property"))
    try:
        read = parse_quantity(out.get("value"), out.get("unit"))
    except ValueError:
        return
    if read.rest:
        out.setdefault("description", out["value"])
    if read.unit:
        out["value"] = read.canonical
        out.pop("unit", None)


def _delay(implementation: Any) -> Any:
    """The longest delay of floe's freshness rule, whatever unit it is written in."""
    match implementation:
        case {"freshness": {"maxDelay": delay, **rest}, **others}:
            try:
                return {**others, "freshness": {**rest, "maxDelay": parse_quantity(delay).canonical}}
            except ValueError:
                return implementation
    return implementation


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _differences(value: Any, other: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict) and isinstance(other, dict):
        for key in sorted({*value, *other}):
            yield from _differences(value.get(key), other.get(key), f"{path}.{key}" if path else key)
    elif isinstance(value, list) and isinstance(other, list):
        for index in range(max(len(value), len(other))):
            left, right = (side[index] if index < len(side) else None for side in (value, other))
            yield from _differences(left, right, f"{path}[{index}]")
    elif _json(value) != _json(other):
        yield f"{path}: {_shown(value)} is not {_shown(other)}"


def _shown(value: Any) -> str:
    text = "nothing" if value is None else _json(value)
    return text if len(text) <= 80 else text[:79] + "…"


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
