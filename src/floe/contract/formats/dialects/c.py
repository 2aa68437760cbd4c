"""Dialect C: `table_id`, `schema_version`, `columns`, keys and constraints of one table."""

import re
from typing import Any

from floe.contract.formats.dialects import parts
from floe.contract.formats.dialects.column import SAME, Columns, listed, logical, named, rule_id
from floe.contract.formats.text.section import DocumentSection
from floe.lang.type_text import parse_type
from floe.model import Finding, List, Map, Place, Severity
from floe.model.yaml_text import add, custom, made

_TABLE_ID = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
_EVOLUTION = {"silver": "additive", "gold": "strict"}
_CUSTOM = {"feature_set": "featureSet", "join_keys": "joinKeys", "snapshot_keys": "snapshotKeys"}


def recognises(tree: Map) -> bool:
    """Whether a document is written in this dialect."""
    return "table_id" in tree


def convert(source: DocumentSection) -> Map:
    """The document as an ODCS tree."""
    out = parts.head(source)
    layer, _domain, table = _identity(source, out)
    dataset = _dataset(source, table)
    _version(source, out, dataset)
    parts.status(source, out)
    parts.description(source, out)
    parts.owner(source, out)
    parts.same(source, out)
    tags = out.get("tags")
    if tags is None or (isinstance(tags, list) and layer not in tags):
        add(out, "tags", layer, source.place_of("table_id"))
    add(out, "schema", dataset)
    _layer(dataset, layer, source.place_of("table_id"))
    columns = Columns(dataset)
    _keys(source, columns)
    _constraints(source.section("constraints"), columns)
    _point_in_time(source, dataset)
    for key, name in _CUSTOM.items():
        if key in source.node:
            custom(dataset, name, source.take(key), source.place_of(key), source.node.key_places[key])
    source.keep(out)
    return out


def _identity(source: DocumentSection, out: Map) -> tuple[str, str, str]:
    text = source.text("table_id") or ""
    match = _TABLE_ID.fullmatch(text)
    place = source.place_of("table_id")
    if match is None:
        source.find(
            Finding(
                "E501",
                "table-id-invalid",
                Severity.CRITICAL,
                f"table_id '{text}' does not have the form layer.domain.table",
                suggestion="Write three words separated by dots, e.g. silver.commerce.orders_clean",
                place=place,
                path=("table_id",),
            )
        )
        return "unknown", "unknown", "unknown"
    layer, domain, table = match.groups()
    for key, value in (("id", parts.urn(layer, domain, table)), ("name", table), ("domain", domain)):
        source.move(key, out)
        if key not in out:
            out.put(key, value, place)
    return layer, domain, table


def _version(source: DocumentSection, out: Map, dataset: Map) -> None:
    number = source.take("schema_version")
    place = source.place_of("schema_version")
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number)
    if number is None:
        source.missing("schema_version", "1")
    elif type(number) is not int or number < 0:
        source.wrong("schema_version", "a whole number")
    else:
        source.move("version", out)
        if "version" not in out:
            out.put("version", f"{number}.0.0", place)
        custom(dataset, "schemaVersion", number, place)


def _dataset(source: DocumentSection, table: str) -> Map:
    out = Map(source.place)
    named(out, table, source.place_of("table_id"))
    out.put("physicalName", source.node.get("table_id"), source.place_of("table_id"))
    out.put("logicalType", "object", source.place)
    out.put("physicalType", "table", source.place)
    properties = List(source.place_of("columns"))
    for column in source.sections("columns"):
        properties.add(_column(column), column.place)
    out.put("properties", properties, properties.place)
    return out


def _column(source: DocumentSection) -> Map:
    out = Map(source.place)
    name = source.text("name")
    if name is None:
        source.missing("name", "order_id")
    named(out, name or "", source.place_of("name"))
    word = source.text("type")
    if word is None:
        source.missing("type", "bigint")
    else:
        _typed(out, word, source.place_of("type"))
    nullable = source.take("nullable")
    if isinstance(nullable, bool):
        out.put("required", not nullable, source.place_of("nullable"))
    elif nullable is not None:
        source.wrong("nullable", "true or false")
    parts.same(source, out, (key for key in SAME if key != "physicalType"))
    source.keep(out)
    return out


def _typed(out: Map, word: str, place: Place) -> None:
    out.put("physicalType", word, place)
    try:
        kind, form = logical(parse_type(word))
    except ValueError:
        return  # lint says that the type is unknown
    if kind:
        out.put("logicalType", kind, place)
    if form:
        out.put("logicalTypeOptions", made(place, format=form), place)


def _layer(dataset: Map, layer: str, place: Place) -> None:
    custom(dataset, "layer", layer, place)
    if layer in _EVOLUTION:
        custom(dataset, "schemaEvolution", _EVOLUTION[layer], place)


def _keys(source: DocumentSection, columns: Columns) -> None:
    for position, (name, place) in enumerate(source.names("primary_keys"), 1):
        if column := _named(source, columns, "primary_keys", name, place):
            column.put("required", True, column.value_places.get("required", place))
            column.put("primaryKey", True, place)
            column.put("primaryKeyPosition", position, place)
    for position, (name, place) in enumerate(source.names("partition_cols"), 1):
        if column := _named(source, columns, "partition_cols", name, place):
            column.put("partitioned", True, place)
            column.put("partitionKeyPosition", position, place)


def _constraints(source: DocumentSection, columns: Columns) -> None:
    for name, place in source.names("not_null"):
        if column := _named(source, columns, "not_null", name, place):
            column.put("required", True, column.value_places.get("required", place))
    _unique(source, columns)
    enums = source.section("enums")
    for name in list(enums.node):
        place = enums.place_of(name)
        values = enums.take(name)
        column = _named(source, columns, "enums", name, enums.node.key_places[name], values)
        if not isinstance(values, List):
            enums.wrong(name, "a list of values")
        elif column is not None:
            add(column, "quality", listed(column, values, place))
    source.keep(columns.dataset, "constraints")


def _unique(source: DocumentSection, columns: Columns) -> None:
    groups = source.take("unique")
    if not isinstance(groups, List):
        if groups is not None:
            source.wrong("unique", "a list of lists of columns")
        return
    for index, group in enumerate(groups):
        names = [group] if isinstance(group, str) else group
        place = groups.item_places[index]
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            source.wrong_item("unique", index, "a list of columns")
            continue
        found = [_named(source, columns, "unique", name, place) for name in names]
        if len(names) == 1 and found[0]:
            found[0].put("unique", True, place)
        else:
            add(columns.dataset, "quality", _together(names, place))


def _together(names: list[str], place: Place) -> Map:
    return made(
        place,
        id=rule_id(*names, "unique"),
        metric="duplicateValues",
        arguments={"properties": names},
        mustBe=0,
        dimension="uniqueness",
    )


def _named(
    source: DocumentSection, columns: Columns, key: str, name: str, place: Place, value: Any = True
) -> Map | None:
    column = columns.find(name)
    if column is None:
        source.find(
            Finding(
                "E508",
                "column-unknown",
                Severity.ERROR,
                f"'{key}' names column '{name}', which the table does not have",
                f"It has {columns}",
                f"Use one of them in '{key}', or add the column",
                place,
                (*source.at, key),
            )
        )
        custom(columns.dataset, f"{key}.{name}", value, place)
    return column


def _point_in_time(source: DocumentSection, dataset: Map) -> None:
    key = next((key for key in ("pitrules", "pit_rules") if key in source.node), "pitrules")
    given = source.take(key)
    if given is None:
        return
    for number, rule in enumerate(given if isinstance(given, List) else [given], 1):
        place = given.item_places[number - 1] if isinstance(given, List) else source.place_of(key)
        text = _rule_text(rule)
        if text is None:
            source.wrong(key, "a comparison such as last_event_ts <= as_of_ts")
            continue
        implementation = {"pointInTime": {"rule": text}}
        add(
            dataset,
            "quality",
            made(
                place,
                id="point_in_time" if number == 1 else f"point_in_time_{number}",
                type="custom",
                engine="floe",
                implementation=implementation,
                dimension="consistency",
            ),
        )


def _rule_text(rule: Any) -> str | None:
    match rule:
        case str():
            return rule
        case {"event": str(event), "as_of": str(as_of)} if len(rule) == 2:
            return f"{event} <= {as_of}"
    return None
