"""dbt's manifest.json: one contract per model."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.sql_check import checked_text
from floe.contract.formats.foreign.table import Column, SchemaTable, document
from floe.contract.formats.foreign.unreadable import unreadable
from floe.contract.formats.odcs import step
from floe.lang.type_text import parse_type
from floe.model import ContractError, Map, Place
from floe.model.types import Atomic, Family, Type

# Where a plain timestamp has no time zone
_ZONELESS = ("duckdb", "postgres", "redshift", "snowflake", "trino", "athena", "sqlserver", "mysql")
_KINDS = ("model", "snapshot", "seed")
_PERIODS = {"minute": "m", "hour": "h", "day": "d"}
_HOURS = {"minute": 1 / 60, "hour": 1.0, "day": 24.0}
_SEVERITY = {"error": "error", "warn": "warning"}
_TABLES = {"view": "view", "materialized_view": "view"}
_OWN_META = ("owner", "domain", "version", "status", "id", "name", "dataProduct")
_REFERENCE = re.compile(r"(?:ref|source)\((?:\s*['\"][^'\"]+['\"]\s*,)?\s*['\"]([^'\"]+)['\"][^)]*\)")


def recognises(tree: Any) -> bool:
    """Whether a tree is one of the files dbt writes."""
    metadata = tree.get("metadata") if isinstance(tree, Map) else None
    return isinstance(metadata, Mapping) and "dbt_schema_version" in metadata


class Manifest:
    """A manifest and the contracts its models make."""

    def __init__(self, tree: Map, source: str) -> None:
        self.place = Place(source, 1, 1)
        kind = str(tree["metadata"]["dbt_schema_version"])
        if "/manifest/" not in kind:
            raise unreadable(
                f"This is dbt's {kind.rstrip('/').split('/')[-2]} file, not its manifest",
                self.place,
                suggestion="Convert target/manifest.json; `dbt parse` writes it",
            )
        self.project = tree["metadata"].get("project_name")
        self.adapter = tree["metadata"].get("adapter_type")
        self.nodes: dict[str, Any] = tree.get("nodes") or {}
        self.sources: dict[str, Any] = tree.get("sources") or {}
        self.lost: dict[str, list[str]] = {}
        self.names = self._names()
        self.tests = self._tests()

    def _names(self) -> dict[str, str]:
        """The names by which models can be asked for, with their ids: the project's own first, sources by `a.b`."""
        own = [node for node in self.nodes.values() if node.get("resource_type") in _KINDS]
        own.sort(key=lambda node: (node.get("package_name") != self.project, node.get("unique_id", "")))
        names: dict[str, str] = {}
        for node in own:
            names.setdefault(_name(node), node["unique_id"])
        return names

    def _tests(self) -> dict[str, list[Mapping[str, Any]]]:
        """The tests of every model."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        for node in self.nodes.values():
            if node.get("resource_type") == "test":
                nodes = (node.get("depends_on") or {}).get("nodes") or [""]
                found.setdefault(node.get("attached_node") or nodes[0], []).append(node)
        return found

    def default_models(self) -> list[str]:
        """The project's own models: what `one contract per model` means."""
        mine = (node for node in self.nodes.values() if node.get("resource_type") in ("model", "snapshot"))
        return [_name(node) for node in mine if not self.project or node.get("package_name") == self.project]

    def contract(self, model: str) -> tuple[Map, tuple[LostParts, ...]]:
        """The ODCS tree of a model (or `source.table`), and what could not be carried over."""
        self.lost = {}
        node = self._node(model)
        tests = self.tests.get(node["unique_id"], [])
        table = self._table(node, tests)
        tree = document(table.name, [table], self.place, self._facts(node, _meta(node), table))
        return tree, tuple(LostParts(what, tuple(where)) for what, where in self.lost.items())

    def _node(self, model: str) -> Mapping[str, Any]:
        unique = self.names.get(model)
        if unique:
            return dict(self.nodes[unique])
        for node in self.sources.values():
            if model in (f"{node.get('source_name')}.{node.get('name')}", node.get("name")):
                return dict(node)
        raise KeyError(model)

    def _facts(self, node: Mapping[str, Any], meta: Mapping[str, Any], table: SchemaTable) -> dict[str, Any]:
        domain, product = meta.get("domain"), meta.get("dataProduct")
        parts = [str(part) for part in (domain, product or node.get("package_name"), table.name) if part]
        facts: dict[str, Any] = {
            "id": meta.get("id") or "urn:datacontract:" + ":".join(parts),
            "version": str(meta.get("version") or _version(node)),
            "status": meta.get("status") or "draft",
            "domain": domain,
            "dataProduct": product,
            "tags": list(node.get("tags") or ()),
            "team": {"members": [{"username": str(meta["owner"]), "role": "owner"}]} if meta.get("owner") else None,
            "slaProperties": list(self._freshness(node, table)),
            "customProperties": [{"property": k, "value": v} for k, v in meta.items() if k not in _OWN_META],
        }
        return {key: value for key, value in facts.items() if value}

    def _freshness(self, node: Mapping[str, Any], table: SchemaTable) -> Iterator[dict[str, Any]]:
        """The slowest source that a model is made from decides how fresh it can be."""
        limits = []
        for source in self._sources_of(node):
            freshness = source.get("freshness") or {}
            limit = freshness.get("error_after") or {}
            limit = limit if limit.get("count") else freshness.get("warn_after") or {}
            if limit.get("count") and limit.get("period") in _PERIODS:
                limits.append((limit["count"] * _HOURS[limit["period"]], limit, source))
        if not limits:
            return
        _, limit, source = max(limits, key=lambda value: value[0])
        sla = {"property": "freshness", "value": limit["count"], "unit": _PERIODS[limit["period"]]}
        column = source.get("loaded_at_field")
        if any(column == part.name for part in table.columns):
            sla["element"] = f"{table.name}.{column}"
        yield {**sla, "description": f"from dbt source {source.get('source_name')}.{source.get('name')}"}

    def _sources_of(self, node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        if node.get("resource_type") == "source":
            return [node]
        seen: set[str] = set()
        ahead = list((node.get("depends_on") or {}).get("nodes") or ())
        while ahead:
            unique = ahead.pop()
            if unique not in seen:
                seen.add(unique)
                ahead += (self.nodes.get(unique, {}).get("depends_on") or {}).get("nodes") or ()
        return [self.sources[unique] for unique in sorted(seen) if unique in self.sources]

    def _table(self, node: Mapping[str, Any], tests: list[Mapping[str, Any]]) -> SchemaTable:
        name = str(node.get("name"))
        constraints = _constraints(node)
        keys = next((list(c.get("columns") or ()) for c in constraints if c.get("type") == "primary_key"), [])
        columns = [self._column(value, node, keys, tests) for value in (node.get("columns") or {}).values()]
        if not columns:
            self.lost["models without described columns"] = [name]
        materialized = (node.get("config") or {}).get("materialized")
        facts: dict[str, Any] = {"physicalType": _TABLES.get(str(materialized), "table")}
        if links := list(self._links(name, constraints)):
            facts["relationships"] = links
        of_table = [test for test in tests if not _column_of(test)]
        if rules := [rule for test in of_table for rule in self._rules(test, name, None)]:
            facts["quality"] = rules
        return SchemaTable(
            name=name,
            physical_name=_physical_name(node),
            description=node.get("description") or None,
            columns=tuple(columns),
            facts=facts,
            place=self.place,
        )

    def _links(self, name: str, constraints: list[Any]) -> Iterator[dict[str, Any]]:
        for constraint in constraints:
            target = _target(str(constraint.get("to") or constraint.get("expression") or ""))
            if constraint.get("type") == "foreign_key" and target and constraint.get("to_columns"):
                own = [f"{name}.{column}" for column in constraint.get("columns") or ()]
                other = [f"{target}.{column}" for column in constraint["to_columns"]]
                yield {"type": "foreignKey", "from": own, "to": other}
            elif constraint.get("type") not in ("primary_key", "not_null", "unique"):
                self.lost.setdefault("constraints", []).append(
                    f"{name} {constraint.get('type')} {constraint.get('expression') or ''}"
                )

    def _column(self, column: Any, node: Mapping[str, Any], keys: list[str], tests: list[Mapping[str, Any]]) -> Column:
        name = str(column["name"])
        where = f"{node.get('name')}.{name}"
        checks = _ColumnChecks(
            name,
            {str(constraint.get("type")): constraint for constraint in _constraints(column)},
            [test for test in tests if _column_of(test) == name],
            keys,
            _is_enforced(node),
        )
        options = self._check_bounds(checks, where)
        type_, written = self._type(column.get("data_type"), where)
        rules = [rule for test in checks.further_tests() for rule in self._rules(test, where, options)]
        facts = {**checks.facts(), **_meta_facts(_meta(column), column.get("tags")), **written}
        if links := _references(checks.tests, checks.constraints):
            facts["relationships"] = links
        if rules:
            facts["quality"] = rules
        return Column(
            name=name,
            type=type_,
            path=step(name),
            nullable=not checks.required,
            description=column.get("description") or None,
            values=_accepted(checks.tests),
            options=options,
            facts=facts,
            place=self.place,
        )

    def _check_bounds(self, checks: "_ColumnChecks", where: str) -> dict[str, Any]:
        """The bounds that a column's check constraint says; a check that says more is lost."""
        options: dict[str, Any] = {}
        check = checks.constraints.get("check")
        if check is not None and not _bounded(checks.name, str(check.get("expression")), options):
            self.lost.setdefault("constraints", []).append(f"{where} check {check.get('expression')}")
        return options

    def _type(self, text: Any, where: str) -> tuple[Type, dict[str, Any]]:
        if not text:
            self.lost.setdefault("columns without data_type", []).append(where)
            return Family("any"), {}
        if str(text).lower() == "timestamp" and self.adapter in _ZONELESS:
            return Atomic("timestamp_ntz"), {}
        try:
            return parse_type(str(text)), {}
        except ValueError:
            self.lost.setdefault("data types floe does not know, kept as written", []).append(f"{where} '{text}'")
            return Family("any"), {"physicalType": str(text)}

    def _rules(self, test: Mapping[str, Any], where: str, options: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
        metadata, severity = test.get("test_metadata") or {}, _severity(test)
        arguments = _arguments(metadata)
        match metadata.get("name"):
            case "relationships":
                return
            case "accepted_values" if _is_fact(test):
                return
            case "not_null":
                yield {"metric": "nullValues", "mustBe": 0, "severity": severity}
            case "unique":
                yield {"metric": "duplicateValues", "mustBe": 0, "severity": severity}
            case "unique_combination_of_columns":
                columns = list(arguments.get("combination_of_columns") or ())
                yield {
                    "metric": "duplicateValues",
                    "arguments": {"properties": columns},
                    "mustBe": 0,
                    "severity": severity,
                }
            case "accepted_range" if options is not None and _is_fact(test) and _range(arguments, options):
                return
            case _:
                yield _custom_rule(test, arguments, severity)


def only_model(manifest: Manifest, model: str | None) -> list[str]:
    """The models that are meant: the one named, else every one of the project."""
    if model is None:
        return manifest.default_models()
    try:
        manifest.contract(model)
    except KeyError:
        names = sorted(manifest.names)
        message, suggestion = f"The manifest has no model '{model}'", f"It has {', '.join(names) or 'none'}"
        raise ContractError(message, suggestion, "E500") from None
    return [model]


def _name(node: Mapping[str, Any]) -> str:
    version = node.get("version")
    latest = node.get("latest_version")
    return f"{node['name']}.v{version}" if version and version != latest else str(node["name"])


def _version(node: Mapping[str, Any]) -> str:
    version = node.get("version")
    return f"{version}.0.0" if isinstance(version, int) or str(version or "").isdigit() else "1.0.0"


def _meta(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return node.get("meta") or (node.get("config") or {}).get("meta") or {}


def _physical_name(node: Mapping[str, Any]) -> str:
    table = node.get("alias") or node.get("identifier") or node.get("name")
    parts = (node.get("database"), node.get("schema"), str(table))
    return ".".join(str(part) for part in parts if part)


def _constraints(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [constraint for constraint in node.get("constraints") or () if isinstance(constraint, Mapping)]


def _is_enforced(node: Mapping[str, Any]) -> bool:
    """Whether dbt itself holds a model to the columns and constraints it declares."""
    return ((node.get("config") or {}).get("contract") or {}).get("enforced") is True


@dataclass(frozen=True, slots=True)
class _ColumnChecks:
    """What a manifest requires of a column: its constraints by kind, its tests, and the primary key of its model."""

    name: str
    constraints: Mapping[str, Mapping[str, Any]]
    tests: list[Mapping[str, Any]]
    keys: list[str]
    enforced: bool

    @property
    def is_key(self) -> bool:
        return "primary_key" in self.constraints or self.name in self.keys

    @property
    def required(self) -> bool:
        return "not_null" in self.constraints or self.is_key or self._by_test("not_null")

    @property
    def unique(self) -> bool:
        return "unique" in self.constraints or self._by_test("unique")

    def _by_test(self, name: str) -> bool:
        """Whether a hard test requires it; where a model's contract is enforced, only its constraints count."""
        return not self.enforced and any(_test_name(test) == name and _is_fact(test) for test in self.tests)

    def facts(self) -> dict[str, Any]:
        """What of it a field says by keys of its own."""
        facts: dict[str, Any] = {}
        if self.is_key:
            position = self.keys.index(self.name) + 1 if self.name in self.keys else 1
            facts |= {"primaryKey": True, "primaryKeyPosition": position}
        if self.unique:
            facts["unique"] = True
        return facts

    def further_tests(self) -> list[Mapping[str, Any]]:
        """The tests that say more than what the field says by itself."""
        alone = self.is_key and len(self.keys) < 2
        known = {"not_null": self.required, "unique": self.unique or alone}
        return [test for test in self.tests if not (known.get(_test_name(test)) and _is_fact(test))]


def _column_of(test: Mapping[str, Any]) -> str | None:
    return test.get("column_name") or ((test.get("test_metadata") or {}).get("kwargs") or {}).get("column_name")


def _arguments(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a test without those that name its column."""
    given = metadata.get("kwargs") or {}
    return {key: value for key, value in given.items() if key not in ("model", "column_name")}


def _custom_rule(test: Mapping[str, Any], arguments: Mapping[str, Any], severity: str) -> dict[str, Any]:
    """A test that ODCS has no word for, kept as dbt runs it."""
    metadata = test.get("test_metadata") or {}
    namespace = f"{metadata['namespace']}." if metadata.get("namespace") else ""
    body: dict[str, Any] = {"test": namespace + str(metadata.get("name") or test.get("name"))}
    if arguments:
        body["arguments"] = arguments
    title = str(test.get("name"))
    return {"type": "custom", "engine": "dbt", "name": title, "implementation": body, "severity": severity}


def _severity(test: Mapping[str, Any]) -> str:
    return _SEVERITY.get(str((test.get("config") or {}).get("severity", "error")).lower(), "error")


def _is_fact(test: Mapping[str, Any]) -> bool:
    """Whether a test speaks of every row and fails hard: then it is part of the schema."""
    config = test.get("config") or {}
    return _severity(test) == "error" and not config.get("where") and config.get("error_if", "!= 0") == "!= 0"


def _test_name(test: Mapping[str, Any]) -> str:
    return str((test.get("test_metadata") or {}).get("name"))


def _accepted(tests: list[Mapping[str, Any]]) -> tuple[Any, ...] | None:
    for test in tests:
        metadata = test.get("test_metadata") or {}
        if metadata.get("name") == "accepted_values" and _is_fact(test):
            return tuple(metadata["kwargs"].get("values") or ())
    return None


def _target(text: str) -> str | None:
    found = _REFERENCE.search(text)
    return found.group(1) if found else None


def _references(tests: list[Mapping[str, Any]], types: Mapping[str, Any]) -> list[dict[str, str]]:
    links = []
    if key := types.get("foreign_key"):
        links += [f"{_target(str(key.get('to')))}.{column}" for column in key.get("to_columns") or () if key.get("to")]
    for test in tests:
        metadata = test.get("test_metadata") or {}
        if metadata.get("name") == "relationships":
            links.append(f"{_target(str(metadata['kwargs'].get('to')))}.{metadata['kwargs'].get('field')}")
    return [{"type": "foreignKey", "to": link} for link in dict.fromkeys(links)]


def _bounded(name: str, expression: str, options: dict[str, Any]) -> bool:
    """Take the bounds of a check; whether it says no more than that."""
    facts = checked_text(expression)
    if facts is None or any(column != name or values for column, _, values in facts):
        return False
    for _, bounds, _ in facts:
        options |= bounds
    return True


def _range(kwargs: Mapping[str, Any], options: dict[str, Any]) -> bool:
    inclusive = kwargs.get("inclusive", True)
    for word, bound, strict in (
        ("min_value", "minimum", "exclusiveMinimum"),
        ("max_value", "maximum", "exclusiveMaximum"),
    ):
        if (value := kwargs.get(word)) is not None:
            if not isinstance(value, int | float) and not hasattr(value, "as_tuple"):
                return False
            options[bound if inclusive else strict] = value
    return True


def _meta_facts(meta: Mapping[str, Any], tags: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if meta.get("classification"):
        facts["classification"] = str(meta["classification"])
    if tags:
        facts["tags"] = list(tags)
    if rest := [{"property": key, "value": value} for key, value in meta.items() if key != "classification"]:
        facts["customProperties"] = rest
    return facts
