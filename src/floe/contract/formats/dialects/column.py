"""A column as the dialects write it, as an ODCS property."""

import re
from typing import Any

from floe.contract.formats.text.section import DocumentSection
from floe.lang.type_text import parse_type
from floe.model import List, Map, Place
from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Struct, Text, Type
from floe.model.yaml_text import add, made, maps

STABLE_ID = re.compile(r"[A-Za-z0-9_-]+")
# what ODCS has under the same name
SAME = (
    *("physicalType", "physicalName", "description", "businessName", "required", "unique", "primaryKey"),
    *("primaryKeyPosition", "partitioned", "partitionKeyPosition", "classification", "encryptedName"),
    *("transformSourceObjects", "transformLogic", "transformDescription", "examples", "criticalDataElement"),
    *("tags", "authoritativeDefinitions", "relationships", "quality", "customProperties"),
)
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
OPTIONS: dict[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": ("multipleOf", *_BOUNDS),
    "number": ("multipleOf", *_BOUNDS),
    "date": ("format", *_BOUNDS),
    "timestamp": ("format", "timezone", "defaultTimezone", *_BOUNDS),
    "time": ("format", "timezone", "defaultTimezone", *_BOUNDS),
    "array": ("minItems", "maxItems", "uniqueItems"),
    "object": ("minProperties", "maxProperties"),
}
_PLAIN = {
    "string": ("string", None),
    "boolean": ("boolean", None),
    "date": ("date", None),
    "time": ("time", None),
    "timestamp": ("timestamp", None),
    "number": ("number", None),
    "int": ("integer", "i32"),
    "integer": ("integer", "i32"),
    "long": ("integer", "i64"),
    "bigint": ("integer", "i64"),
    "float": ("number", "f32"),
    "double": ("number", "f64"),
}
_LOGICAL = {
    "tinyint": ("integer", "i8"),
    "smallint": ("integer", "i16"),
    "int": ("integer", "i32"),
    "bigint": ("integer", "i64"),
    "float": ("number", "f32"),
    "double": ("number", "f64"),
    "string": ("string", None),
    "boolean": ("boolean", None),
    "date": ("date", None),
    "timestamp": ("timestamp", None),
    "timestamp_ntz": ("timestamp", None),
    "time": ("time", None),
}
_FAMILIES = {
    "integer": "integer",
    "number": "number",
    "decimal": "number",
    "date": "date",
    "array": "array",
    "map": "object",
    "object": "object",
}
_STRUCTS = ("struct", "object", "record")
_MEMBERS = ("fields", "elements", "properties")


def logical(type_: Type) -> tuple[str | None, str | None]:
    """The logical type of a physical one, and its format.

    >>> logical(parse_type("bigint")), logical(parse_type("decimal(14,2)")), logical(parse_type("binary"))
    (('integer', 'i64'), ('number', None), (None, None))
    """
    match type_:
        case Atomic(name):
            return _LOGICAL.get(name, (None, None))
        case Family(name):
            return _FAMILIES.get(name), None
        case Decimal():
            return "number", None
        case Text():
            return "string", None
        case Array():
            return "array", None
        case MapOf() | Struct():
            return "object", None


def field(source: DocumentSection, name: str | None, at: Place | None = None, top: bool = True) -> Map:
    """A column or a nested part (`name` is None for items) as an ODCS property."""
    out = Map(source.place)
    if name is not None:
        named(out, name, at or source.place, top)
    _type(source, out)
    for key in SAME:
        source.move(key, out)
    _options(source, out)
    _values(source, out)
    _references(source, out)
    return out


def named(out: Map, name: str, at: Place, with_id: bool = True) -> None:
    """Give a property or dataset its name, and an id where the name can be one."""
    if with_id and STABLE_ID.fullmatch(name):
        out.put("id", name, at)
    out.put("name", name, at)


def fields(source: DocumentSection, top: bool = True) -> List:
    """The columns or nested parts below a section, as ODCS properties in file order."""
    key = next((key for key in _MEMBERS if key in source.node), _MEMBERS[0])
    out = List(source.place_of(key))
    if isinstance(source.node.get(key), List):
        for below in source.sections(key):
            name = below.text("name")
            if name is None and not isinstance(below.node.get("name"), dict | list | bool):
                below.missing("name", "order_id")
            out.add(_whole(below, name or "", below.place_of("name"), top), below.place)
    else:
        outer = source.section(key)
        for name in list(outer.node):
            place = outer.node.key_places[name]
            out.add(_whole(outer.section(name), name, place, top), place)
    _positions(out)
    return out


def _whole(source: DocumentSection, name: str | None, at: Place, top: bool) -> Map:
    """A field together with what is left over of it."""
    out = field(source, name, at, top)
    source.keep(out)
    return out


def _positions(properties: List) -> None:
    keys = [p for p in properties if p.get("primaryKey") is True]
    for position, key in enumerate(keys, 1):
        if "primaryKeyPosition" not in key:
            key.put("primaryKeyPosition", position, key.value_places["primaryKey"])


def _type(source: DocumentSection, out: Map) -> None:
    word = source.text("type")
    place = source.place_of("type")
    for key in ("logicalType", "logicalTypeOptions"):
        source.move(key, out)
    match (word or "").lower():
        case "":
            if any(isinstance(source.node.get(key), Map | List) for key in _MEMBERS):
                _struct(source, out, place)
        case "array":
            out.put("logicalType", "array", place)
            _items(source, out)
        case "map":
            _map(source, out, place)
        case "enum":
            out.put("logicalType", "string", place)
        case lower if lower in _STRUCTS:
            _struct(source, out, place)
        case _:
            _scalar(source, out, str(word), place)


def _struct(source: DocumentSection, out: Map, place: Place) -> None:
    out.put("logicalType", "object", place)
    members = fields(source, top=False)
    if members:
        out.put("properties", members, members.place)


def _items(source: DocumentSection, out: Map) -> None:
    if "items" in source.node:
        out.put("items", _part(source, "items"), source.place_of("items"), source.node.key_places["items"])


def _part(source: DocumentSection, key: str) -> Map:
    """The items, keys or values of a container: a mapping, or the type alone."""
    value = source.node.get(key)
    if isinstance(value, str):
        source.take(key)
        node = made(source.place_of(key), type=value)
        return _whole(DocumentSection(node, (*source.at, key), source.findings), None, node.place, False)
    below = source.section(key)
    return _whole(below, None, below.place, False)


def _map(source: DocumentSection, out: Map, place: Place) -> None:
    out.put("logicalType", "map", place)
    entries = Map(place)
    for part, spellings in (("key", ("keys", "key", "keyType")), ("value", ("values", "value", "valueType"))):
        key = next((key for key in spellings if key in source.node), None)
        entries.put(part, _part(source, key) if key else made(place, logicalType="string"), place)
    out.put("map", entries, place)


def _scalar(source: DocumentSection, out: Map, word: str, place: Place) -> None:
    word = _with_precision(source, word)
    kind, form = _PLAIN.get(word.lower(), (None, None))
    if kind is None:
        kind, form = _parsed(word)
        out.put("physicalType", word, place)
    if kind:
        out.put("logicalType", kind, place)
    if form:
        _option(out, "format", form, place)


def _with_precision(source: DocumentSection, word: str) -> str:
    """`decimal` with precision and scale beside it, as one type."""
    precision, scale = source.node.get("precision"), source.node.get("scale", 0)
    if word.lower() not in ("decimal", "numeric", "number") or type(precision) is not int or type(scale) is not int:
        return word
    source.take("precision")
    source.take("scale")
    return f"decimal({precision},{scale})"


def _parsed(word: str) -> tuple[str | None, str | None]:
    try:
        return logical(parse_type(word))
    except ValueError:
        return None, None


def _options(source: DocumentSection, out: Map) -> None:
    for key in OPTIONS.get(str(out.get("logicalType")), ()):
        value = source.node.get(key)
        if value is not None and key not in (out.get("logicalTypeOptions") or {}):
            _option(out, key, source.take(key), source.place_of(key), source.node.key_places[key])


def _option(out: Map, key: str, value: Any, at: Place, key_at: Place | None = None) -> None:
    if not isinstance(out.get("logicalTypeOptions"), Map):
        out.put("logicalTypeOptions", Map(at), at)
    out["logicalTypeOptions"].put(key, value, at, key_at)


def _values(source: DocumentSection, out: Map) -> None:
    """The listed values of a column, as the rule that says so in v3.1."""
    for key in ("enum", "values"):
        values = source.node.get(key)
        if isinstance(values, List):
            source.take(key)
            add(out, "quality", listed(out, values, source.place_of(key)))


def _references(source: DocumentSection, out: Map) -> None:
    """The column of another table that this one refers to."""
    match source.node.get("references"):
        case {"table": str(table), "column": str(column), **rest} if not rest:
            source.take("references")
            place = source.place_of("references")
            add(out, "relationships", made(place, type="foreignKey", to=f"{table}.{column}"))


def listed(out: Map, values: Any, place: Place) -> Map:
    """The rule that allows these values only."""
    return made(
        place,
        id=rule_id(str(out.get("name") or "items"), "values"),
        metric="invalidValues",
        arguments={"validValues": values},
        mustBe=0,
        dimension="conformity",
    )


def rule_id(*words: str) -> str:
    """An id for a rule from names that may hold anything.

    >>> rule_id("order id", "values")
    'order_id_values'
    """
    return re.sub(r"[^A-Za-z0-9_-]", "_", "_".join(words))


class Columns:
    """The columns of a dataset by their names."""

    def __init__(self, dataset: Map) -> None:
        self.dataset = dataset
        self.by_name = {str(column.get("name")): column for column in maps(dataset.get("properties"))}

    def find(self, path: str) -> Map | None:
        """The property at a dotted path, `[]` standing for the items of an array."""
        first, *rest = path.split(".")
        where = self.by_name.get(path) or self.by_name.get(first.removesuffix("[]"))
        for word in rest if where is not self.by_name.get(path) else ():
            inside = where.get("items") or where if where is not None else None
            where = Columns(inside).by_name.get(word.removesuffix("[]")) if isinstance(inside, Map) else None
        return where

    def __str__(self) -> str:
        names = list(self.by_name)
        return ", ".join(names[:8]) + (" and more" if len(names) > 8 else "") or "none"
