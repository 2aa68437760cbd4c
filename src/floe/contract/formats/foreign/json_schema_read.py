"""JSON Schema of any draft as columns."""

from collections.abc import Mapping
from typing import Any

from floe.contract.formats.foreign.json_schema import ATOMIC, KEY_TYPE, SPARK_TYPE
from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.table import Column, SchemaTable, struct_of
from floe.contract.formats.foreign.unreadable import unknown_type, unreadable
from floe.contract.formats.odcs import step
from floe.lang.type_text import parse_type
from floe.model import Map, Place
from floe.model.types import Array, Atomic, Family, MapOf, Text, Type

_FORMATS: dict[str, Type] = {
    **{str(facts["format"]): Atomic(name) for name, facts in ATOMIC.items() if "format" in facts},
    "time": Atomic("time"),
    "local-date-time": Atomic("timestamp_ntz"),
    "decimal": Family("decimal"),
}
_FORMATTED = {
    "string": ("date", "timestamp", "timestamp_ntz", "time", "interval"),
    "number": ("float", "double", "decimal"),
}
_BY_TYPE: dict[str, Type] = {
    "string": Atomic("string"),
    "boolean": Atomic("boolean"),
    "integer": Family("integer"),
    "number": Family("number"),
    "null": Atomic("void"),
}
_OPTIONS = ("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "multipleOf")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minProperties", "maxProperties")
_READ = frozenset(
    {*_OPTIONS, *_BOUNDS, "$schema", "$id", "id", "$defs", "definitions", "$ref", "$anchor", "$comment", "title"}
    | {"description", "type", "format", "enum", "const", "properties", "required", "items", "additionalProperties"}
    | {"allOf", "anyOf", "oneOf", "default", "examples", "contentEncoding", "nullable", SPARK_TYPE, KEY_TYPE}
)
_MOST = 100_000
Trail = frozenset[str]  # the references that are being followed


def recognises(tree: Any) -> bool:
    """Whether a tree is a JSON Schema."""
    if not isinstance(tree, Map) or "apiVersion" in tree:
        return False
    declared = str(tree.get("$schema", ""))
    return "json-schema.org" in declared or (tree.get("type") == "object" and "properties" in tree) or "$defs" in tree


def read(tree: Map, name: str) -> tuple[SchemaTable, tuple[LostParts, ...]]:
    """The columns of the objects a schema describes, and the keywords ODCS has no place for."""
    reading = _JsonSchemaReader(tree)
    try:
        table = reading.table(name)
    except RecursionError:
        raise unreadable("The JSON Schema is nested too deep to be read", tree.place) from None
    lost = tuple(LostParts(f"keyword {word}", tuple(where)) for word, where in reading.lost.items())
    return table, lost


class _JsonSchemaReader:
    """Reads one document; remembers what ODCS cannot say."""

    def __init__(self, tree: Map) -> None:
        self.tree = tree
        self.lost: dict[str, list[str]] = {}
        self.count = 0

    def table(self, name: str) -> SchemaTable:
        root, trail = self.merged(self.tree, frozenset())
        if root.get("type") == "array" and isinstance(root.get("items"), Mapping):
            root, trail = self.merged(root["items"], trail)  # a file of rows
        if not isinstance(root.get("properties"), Mapping):
            raise unreadable(
                "The JSON Schema describes no object with properties",
                self.tree.place,
                suggestion="Give the schema of one row: type object, with properties",
            )
        self._unread(root, "the root")
        return SchemaTable(
            name=str(root.get("title") or self.tree.get("title") or name),
            description=root.get("description"),
            columns=self._members(root, "", trail),
            place=self.tree.place,
        )

    def _members(self, node: Mapping[str, Any], prefix: str, trail: Trail) -> tuple[Column, ...]:
        required = node.get("required")
        names = required if isinstance(required, list) else ()
        return tuple(
            self._column(name, below, f"{prefix}{step(name)}", trail, name in names)
            for name, below in node["properties"].items()
        )

    def _column(self, name: str, given: Any, path: str, trail: Trail, required: bool = True) -> Column:
        self.count += 1
        if self.count > _MOST:
            raise unreadable(f"More than {_MOST:,} columns after resolving references", self.tree.place)
        node, trail = self.merged(given, trail, path)
        self._unread(node, path)
        kinds = _kinds(node)
        type_, parts = self._type(node, [kind for kind in kinds if kind != "null"] or kinds, path, trail)
        return Column(
            name=name,
            type=type_,
            path=path,
            nullable=not required or "null" in kinds or node.get("nullable") is True,
            description=node.get("description") or node.get("title"),
            values=_values(node),
            options=_options(node, type_),
            facts=_facts(node),
            parts=parts,
            place=self._place(given),
        )

    def _unread(self, node: Mapping[str, Any], path: str) -> None:
        for key in node:
            if key not in _READ:
                self.lost.setdefault(key, []).append(path)

    def _type(
        self, node: Mapping[str, Any], kinds: list[str], path: str, trail: Trail
    ) -> tuple[Type, tuple[Column, ...]]:
        if isinstance(text := node.get(SPARK_TYPE), str):
            return self._parsed(text, path, node), ()
        match kinds:
            case ["object"]:
                return self._object(node, path, trail)
            case ["array"] if not isinstance(node.get("items"), Mapping):
                return Family("array"), ()
            case ["array"]:
                element = self._column("", node["items"], f"{path}[]", trail)
                return Array(element.type, element.nullable), (element,)
            case [kind] if kind in _BY_TYPE:
                return _leaf(kind, node), ()
        if set(kinds) == {"integer", "number"}:
            return Family("number"), ()
        if kinds:
            self.lost.setdefault("type with alternatives", []).append(path)
        return Family("any"), ()

    def _object(self, node: Mapping[str, Any], path: str, trail: Trail) -> tuple[Type, tuple[Column, ...]]:
        if isinstance(node.get("properties"), Mapping):
            parts = self._members(node, f"{path}.", trail)
            return struct_of(parts), parts
        if isinstance(values := node.get("additionalProperties"), Mapping):
            key_type = self._parsed(str(node.get(KEY_TYPE, "string")), path, node)
            key = Column(name="", type=key_type, path=path + "{key}", nullable=False, place=self._place(node))
            value = self._column("", values, path + "{}", trail)
            return MapOf(key.type, value.type, value.nullable), (key, value)
        return Family("object"), ()

    def _parsed(self, text: str, path: str, node: Any) -> Type:
        try:
            return parse_type(text)
        except ValueError as error:
            raise unknown_type(path, str(error), self._place(node)) from None

    def _place(self, node: Any) -> Place:
        place = getattr(node, "place", None)
        return place if isinstance(place, Place) else self.tree.place

    def merged(self, given: Any, trail: Trail, path: str = "") -> tuple[dict[str, Any], Trail]:
        """A schema with its references, allOf and lone alternatives written out."""
        node = dict(given) if isinstance(given, Mapping) else {}
        if isinstance(reference := node.pop("$ref", None), str):
            if reference in trail:
                raise unreadable(
                    f"The JSON Schema refers to itself through '{reference}'",
                    self._place(given),
                    suggestion="ODCS has no recursive types: write the levels out",
                )
            target, trail = self.merged(self._target(reference, given), trail | {reference}, path)
            node = {**target, **node}
        for below in node.pop("allOf", None) or ():
            part, trail = self.merged(below, trail, path)
            node = _joined(part, node)
        for word in ("oneOf", "anyOf"):
            node, trail = self._chosen(node, word, trail, path)
        return node, trail

    def _chosen(self, node: dict[str, Any], word: str, trail: Trail, path: str) -> tuple[dict[str, Any], Trail]:
        choices = node.get(word)
        if not isinstance(choices, list):
            return node, trail
        branches = [self.merged(below, trail, path) for below in choices]
        real = [(below, followed) for below, followed in branches if below.get("type") != "null"]
        rest = {key: value for key, value in node.items() if key != word}
        if len(real) == 1:
            below, trail = real[0]
            return {**_joined(below, rest), "nullable": len(branches) > 1 or rest.get("nullable")}, trail
        if real and all("const" in below for below, _ in real):
            return {**rest, "enum": [below["const"] for below, _ in real]}, trail
        self.lost.setdefault(f"{word} with alternatives", []).append(path or "the root")
        return rest, trail

    def _target(self, reference: str, holder: Any) -> Any:
        node: Any = self.tree
        if not reference.startswith("#"):
            raise unreadable(
                f"Reference '{reference}' points outside the document",
                self._place(holder),
                suggestion="Bundle the schemas first",
            )
        for part in filter(None, reference.removeprefix("#").split("/")):
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, Mapping) or name not in node:
                raise unreadable(f"Reference '{reference}' does not exist in the document", self._place(holder))
            node = node[name]
        return node


def _joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two schemas that both hold; the second's words win where only one can stand."""
    joined = {**first, **second}
    if "properties" in first and "properties" in second:
        joined["properties"] = {**first["properties"], **second["properties"]}
    if "required" in first and "required" in second:
        joined["required"] = [*first["required"], *second["required"]]
    return joined


def _kinds(node: Mapping[str, Any]) -> list[str]:
    kind = node.get("type")
    if isinstance(kind, list):
        return [str(word) for word in kind]
    if isinstance(kind, str):
        return [kind]
    if "properties" in node:
        return ["object"]
    if "items" in node:
        return ["array"]
    values = _values(node) or ()
    return sorted({_kind_of(value) for value in values})


def _kind_of(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
    return "number"


def _leaf(kind: str, node: Mapping[str, Any]) -> Type:
    if node.get("contentEncoding") in ("base64", "base64url", "base16"):
        return Atomic("binary")
    named = _FORMATS.get(str(node.get("format")))
    fits = named is not None and str(named) in _FORMATTED.get(kind, ("tinyint", "smallint", "int", "bigint"))
    return named if named is not None and fits and kind in ("string", "integer", "number") else _BY_TYPE[kind]


def _values(node: Mapping[str, Any]) -> tuple[Any, ...] | None:
    listed = [node["const"]] if "const" in node else node.get("enum")
    if not isinstance(listed, list):
        return None
    return tuple(value for value in listed if value is not None)


def _options(node: Mapping[str, Any], type_: Type) -> dict[str, Any]:
    options = {key: node[key] for key in (*_OPTIONS, *_BOUNDS) if key in node}
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        flag = options.get(exclusive)
        if isinstance(flag, bool):  # draft 4 says it with a flag
            del options[exclusive]
        if flag is True and bound in options:
            options[exclusive] = options.pop(bound)
    if isinstance(type_, Text) and options.get("maxLength") == type_.length:
        del options["maxLength"]
    if "format" in node and (type_ == Atomic("string") or isinstance(type_, Text)):
        options["format"] = str(node["format"])
    return options


def _facts(node: Mapping[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if isinstance(node.get("examples"), list):
        facts["examples"] = node["examples"]
    if "default" in node and node["default"] is not None:
        facts["customProperties"] = [{"property": "default", "value": node["default"]}]
    return facts
