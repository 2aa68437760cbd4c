"""Dialect B: `metadata`, `schema.fields`, `quality.rules`, `sla`, `semantic`."""

from typing import Any

from floe.contract.formats.dialects import parts
from floe.contract.formats.dialects.column import Columns, fields, named, rule_id
from floe.contract.formats.text.section import DocumentSection
from floe.model import Finding, List, Map, Severity
from floe.model.yaml_text import add, custom, made

_RULE_KEYS = (
    *("id", "name", "description", "severity", "dimension", "businessImpact", "method", "schedule", "scheduler"),
    *("tags", "authoritativeDefinitions"),
)
_DATASET = ("physicalName", "businessName", "description", "tags", "relationships", "customProperties")


def recognises(tree: Map) -> bool:
    """Whether a document is written in this dialect."""
    schema = tree.get("schema")
    return "metadata" in tree and isinstance(schema, Map) and "fields" in schema


def convert(source: DocumentSection) -> Map:
    """The document as an ODCS tree."""
    out = parts.head(source)
    metadata = source.section("metadata")
    _metadata(metadata, out)
    parts.same(source, out)
    dataset = _dataset(source, str(out.get("name") or "data"))
    add(out, "schema", dataset)
    fresh = _quality(source.section("quality"), dataset)
    _sla(source.section("sla"), out, dataset, fresh)
    _semantic(source.section("semantic"), dataset)
    source.keep(out)
    return out


def _metadata(source: DocumentSection, out: Map) -> None:
    source.move("product", out, "dataProduct")
    parts.status(source, out)
    parts.description(source, out)
    parts.owner(source, out)
    parts.support(source, "contact", "interactive", out)
    parts.same(source, out)
    if "id" not in out:
        domain, name = (str(out[key]) if out.get(key) else None for key in ("domain", "name"))
        out.put("id", parts.urn(domain, name), source.place_of("name"))
    source.keep(out)


def _dataset(source: DocumentSection, name: str) -> Map:
    schema = source.section("schema")
    out = Map(schema.place)
    named(out, name, source.place_of("metadata"))
    out.put("logicalType", "object", schema.place)
    out.put("physicalType", "table", schema.place)
    parts.same(schema, out, _DATASET)
    if schema.node.get("type") == "struct":
        schema.take("type")
    out.put("properties", fields(schema), schema.place_of("fields"))
    schema.keep(out)
    return out


def _quality(source: DocumentSection, dataset: Map) -> str | None:
    """Put the rules on their columns; the column of the freshness rule, where there is one."""
    fresh = None
    columns = Columns(dataset)
    kept = List(source.place_of("rules"))
    for rule in source.sections("rules"):
        kind, column = rule.node.get("type"), rule.node.get("column")
        if kind == "freshness" and isinstance(column, str):
            fresh = fresh or column
        if not _Rule(rule, columns).put():
            kept.add(rule.node, rule.place)
    if kept:
        custom(dataset, "qualityRules", kept, kept.place)
    source.keep(dataset, "quality")
    return fresh


class _Rule:
    """One quality rule on its way to the column or dataset it is about."""

    def __init__(self, source: DocumentSection, columns: Columns) -> None:
        self.source = source
        self.columns = columns
        self.dataset = columns.dataset
        self.ok = True

    def put(self) -> bool:
        """Place the rule; false where it names a column that is not there."""
        source = self.source
        kind = source.text("type")
        match kind:
            case "uniqueness":
                self._unique()
            case "not_null":
                for column in self._columns():
                    self._on(column, "not_null", metric="nullValues", mustBe=0, dimension="completeness")
            case "freshness":
                delay = source.take("max_delay")
                self._floe("freshness", "timeliness", {"freshness": {"maxDelay": delay}}, "column")
            case "volume":
                self._volume()
            case "referential_integrity":
                self._reference()
            case "range":
                bounds = {"minimum": source.take("min"), "maximum": source.take("max")}
                self._floe("range", "conformity", {"range": bounds}, "column")
            case _:
                self._other(kind)
        return self.ok

    def _columns(self, *keys: str) -> list[str]:
        return [name for key in keys or ("column", "columns") for name, _ in self.source.names(key)]

    def _unique(self) -> None:
        columns = self._columns()
        if len(columns) == 1:
            self._on(columns[0], "unique", metric="duplicateValues", mustBe=0, dimension="uniqueness")
        elif all(self._find(column) is not None for column in columns):
            arguments = {"properties": columns} if columns else None
            name = "_".join(columns) or str(self.dataset["name"])
            self._add(
                self.dataset,
                name,
                "unique",
                metric="duplicateValues",
                arguments=arguments,
                mustBe=0,
                dimension="uniqueness",
            )

    def _volume(self) -> None:
        source = self.source
        bounds = {"minRowsPerDay": source.take("min_rows_per_day"), "maxRowsPerDay": source.take("max_rows_per_day")}
        column = source.take("column")
        self._add(self.dataset, "", "volume", **_custom({"volume": {**bounds, "column": column}}), dimension="coverage")

    def _reference(self) -> None:
        source = self.source
        table, column = source.text("target_table"), source.text("target_column")
        target = f"{table}.{column}"
        where = self._find(source.text("source_column") or "")
        if where is not None:
            if all(entry.get("to") != target for entry in where.get("relationships") or ()):
                add(where, "relationships", made(source.place, type="foreignKey", to=target))
            implementation = {"referentialIntegrity": {"to": target}}
            self._add(where, str(where["name"]), "exists", **_custom(implementation), dimension="consistency")

    def _floe(self, suffix: str, dimension: str, implementation: Any, key: str) -> None:
        """A rule of floe's own, on the column it names, else on the dataset."""
        columns = self._columns(key)
        if columns:
            self._on(columns[0], suffix, **_custom(implementation), dimension=dimension)
        else:
            self._add(self.dataset, "", suffix, **_custom(implementation), dimension=dimension)

    def _other(self, kind: str | None) -> None:
        """A rule that floe does not know, kept for an engine that does; it is listed as not evaluated."""
        column = self.source.node.get("column")
        where = self._find(column) if isinstance(column, str) else self.dataset
        if where is not None:
            rule = Map(self.source.place)
            parts.same(self.source, rule, _RULE_KEYS)
            values = {"type": "custom", "engine": "dialect-b", "implementation": _with_type(kind, self.source.rest())}
            for key, value in made(self.source.place, **values).items():
                rule.put(key, value, self.source.place)
            add(where, "quality", rule)

    def _on(self, column: str, suffix: str, **values: Any) -> None:
        where = self._find(column)
        if where is not None:
            self._add(where, column, suffix, **values)

    def _add(self, where: Map, name: str, suffix: str, **values: Any) -> None:
        rule = made(self.source.place, **values)
        for key in _RULE_KEYS:
            if key in self.source.node:
                rule.put(key, self.source.node[key], self.source.place_of(key), self.source.node.key_places[key])
                self.source.left.pop(key, None)
        if "id" not in rule:
            rule.put("id", _fresh_id(where, rule_id(name, suffix) if name else suffix), self.source.place)
        for key in self.source.left:
            custom(rule, key, self.source.node[key], self.source.place_of(key))
        add(where, "quality", rule)

    def _find(self, column: str) -> Map | None:
        where = self.columns.find(column)
        if where is None:
            self.ok = False
            self.source.find(
                Finding(
                    "E508",
                    "column-unknown",
                    Severity.ERROR,
                    f"A quality rule names column '{column}', which the schema does not have",
                    f"It has {self.columns}",
                    "Use a column of schema.fields",
                    self.source.place,
                    self.source.at,
                )
            )
        return where


def _custom(implementation: dict[str, Any]) -> dict[str, Any]:
    return {"type": "custom", "engine": "floe", "implementation": implementation}


def _with_type(kind: str | None, rest: Map) -> Map:
    out = made(rest.place, type=kind)
    for key, value in rest.items():
        out.put(key, value, rest.value_places[key], rest.key_places[key])
    return out


def _fresh_id(where: Map, name: str) -> str:
    taken = {rule.get("id") for rule in where.get("quality") or () if isinstance(rule, Map)}
    number = next(n for n in range(1, len(taken) + 2) if (f"{name}_{n}" if n > 1 else name) not in taken)
    return f"{name}_{number}" if number > 1 else name


def _sla(source: DocumentSection, out: Map, dataset: Map, fresh: str | None) -> None:
    notification = source.section("notification")
    parts.support(notification, "channel", "notifications", out)
    parts.support(notification, "escalation", "issues", out)
    notification.keep(out, "notification")

    def qualify(name: str) -> str:
        return name if "." in name else f"{dataset['name']}.{name}"

    parts.levels(source, out, qualify, "sla")
    for level in out.get("slaProperties") or ():
        if fresh and level["property"] == "freshness" and "element" not in level:
            level.put("element", qualify(fresh), level.place)


def _semantic(source: DocumentSection, dataset: Map) -> None:
    source.move("grain", dataset, "dataGranularityDescription")
    source.keep(dataset)
