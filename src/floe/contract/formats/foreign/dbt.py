"""dbt's schema.yml: models with enforced contracts, constraints and tests."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import yaml

from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.spark_ddl import RESERVED
from floe.contract.formats.foreign.table import closed, sayable
from floe.model import Contract, Dataset, Field, QualityRule
from floe.model.types import Atomic, Text

HOLDS = frozenset(
    {"identity", "descriptions", "dataset description", "primary key", "unique", "listed values", "bounds", "lengths"}
    | {"references", "quality rules", "classification", "tags", "custom properties", "physical kind"}
)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_JINJA = ("{{", "{%", "{#")
_MILD = ("warning", "warn", "info", "low")
_BOUNDS = (("minimum", ">="), ("exclusiveMinimum", ">"), ("maximum", "<="), ("exclusiveMaximum", "<"))
_IDENTITY = ("id", "name", "version", "status", "domain", "dataProduct")
_TESTS = {"nullValues": "not_null", "duplicateValues": "unique"}


def write(contract: Contract, datasets: Sequence[Dataset]) -> tuple[str, tuple[LostParts, ...]]:
    """A schema.yml for these datasets, and what of their promises dbt cannot say."""
    writing = _DbtWriter(contract, datasets)
    tree = {"version": 2, "models": [writing.model(dataset) for dataset in datasets]}
    text = yaml.dump(_rendered(tree), Dumper=_DbtDumper, sort_keys=False, allow_unicode=True, width=110)
    return text, tuple(LostParts(what, tuple(where)) for what, where in writing.lost.items())


class _DbtDumper(yaml.SafeDumper):
    """Lists are indented below their key, as dbt's own documents have them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _rendered(value: Any) -> Any:
    """Plain values that dbt will not take for templates."""
    match value:
        case Mapping():
            return {str(key): _rendered(entry) for key, entry in value.items()}
        case list() | tuple():
            return [_rendered(entry) for entry in value]
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case str() if any(mark in value for mark in _JINJA):
            return "{% raw %}" + value.replace("endraw", "end raw") + "{% endraw %}"
    return value


class _DbtWriter:
    """Writes the models of one contract; remembers what has no place and which model refers to which."""

    def __init__(self, contract: Contract, datasets: Sequence[Dataset]) -> None:
        self.contract = contract
        self.names = {dataset.name for dataset in datasets}
        self.edges: dict[str, set[str]] = {}
        self.lost: dict[str, list[str]] = {}

    def lose(self, what: str, where: str) -> None:
        self.lost.setdefault(what, []).append(where)

    def model(self, dataset: Dataset) -> dict[str, Any]:
        config: dict[str, Any] = {"contract": {"enforced": True}}
        # constraints hold on tables only, so that is what a dataset without a kind becomes
        config["materialized"] = "view" if dataset.node.get("physicalType") == "view" else "table"
        if tags := [*(self.contract.node.get("tags") or ()), *(dataset.node.get("tags") or ())]:
            config["tags"] = tags
        config["meta"] = {**self._meta(), **self.contract.custom, **dataset.custom}
        model: dict[str, Any] = {"name": dataset.name}
        if text := dataset.node.get("description"):
            model["description"] = text
        model["config"] = config
        if constraints := self._constraints(dataset):
            model["constraints"] = constraints
        for rule in dataset.rules:
            self.lose("quality rules", _named(rule, dataset.name))
        model["columns"] = [self._column(part, dataset) for part in dataset.fields]
        return model

    def _meta(self) -> dict[str, Any]:
        node = self.contract.node
        team = node.get("team") or ()
        members = (team.get("members") or ()) if isinstance(team, Mapping) else team
        owner = next((member.get("username") for member in members if str(member.get("role")).lower() == "owner"), None)
        meta = {key: node[key] for key in _IDENTITY if node.get(key)}
        return {**meta, "owner": owner} if owner else meta

    def _constraints(self, dataset: Dataset) -> list[dict[str, Any]]:
        constraints: list[dict[str, Any]] = []
        if len(dataset.primary_key) > 1:
            constraints.append({"type": "primary_key", "columns": [part.column for part in dataset.primary_key]})
        for link in dataset.relationships:
            table, columns = _table(link.target)
            own = [name.split(".")[-1] for name in link.source]
            if table and self._may_refer(dataset.name, table):
                reference = {"to": f"ref('{table}')", "to_columns": columns}
                constraints.append({"type": "foreign_key", "columns": own, **reference})
            else:
                self.lose("references", f"{dataset.name} to {', '.join(link.target)}")
        return constraints

    def _may_refer(self, source: str, target: str) -> bool:
        """Whether dbt can order models by this reference; a circle or an unknown model would stop it."""
        if target not in self.names or source in self._reached(target):
            return False
        self.edges.setdefault(source, set()).add(target)
        return True

    def _reached(self, start: str) -> set[str]:
        seen, ahead = {start}, [start]
        while ahead:
            for name in self.edges.get(ahead.pop(), ()):
                if name not in seen:
                    seen.add(name)
                    ahead.append(name)
        return seen

    def _column(self, part: Field, dataset: Dataset) -> dict[str, Any]:
        column: dict[str, Any] = {"name": part.column}
        if text := part.node.get("description"):
            column["description"] = text
        column["data_type"] = str(sayable(part.type))
        if sayable(part.type) != closed(part.type):
            self.lose("elements that are never null", f"{dataset.name}.{part.path}")
        if not _PLAIN.fullmatch(part.column):
            column["quote"] = True
        if constraints := list(self._column_constraints(part, dataset)):
            column["constraints"] = constraints
        if tests := list(self._tests(part, dataset)):
            column["data_tests"] = tests
        if config := _config(part):
            column["config"] = config
        return column

    def _column_constraints(self, part: Field, dataset: Dataset) -> Iterator[dict[str, Any]]:
        if part.required:
            yield {"type": "not_null"}
        if [key.column for key in dataset.primary_key] == [part.column]:
            yield {"type": "primary_key"}
        if part.unique:
            yield {"type": "unique"}
        for link in part.relationships:
            table, columns = _table(link.target)
            if table and self._may_refer(dataset.name, table):
                yield {"type": "foreign_key", "to": f"ref('{table}')", "to_columns": columns}
        if checks := self._checks(part, dataset):
            yield {"type": "check", "expression": " and ".join(checks)}

    def _checks(self, part: Field, dataset: Dataset) -> list[str]:
        checks = list(_conditions(part))
        if checks and (RESERVED.fullmatch(part.column) or not _PLAIN.fullmatch(part.column)):
            self.lose("bounds of columns whose name needs quotes", f"{dataset.name}.{part.path}")
            return []
        return checks

    def _tests(self, part: Field, dataset: Dataset) -> Iterator[Any]:
        if part.required:
            yield "not_null"
        if part.unique or [key.column for key in dataset.primary_key] == [part.column]:
            yield "unique"
        if part.values:
            quote = {} if all(isinstance(value, str) for value in part.values) else {"quote": False}
            yield {"accepted_values": {"arguments": {"values": list(part.values), **quote}}}
        for link in part.relationships:
            table, columns = _table(link.target)
            if table and len(columns) == 1:
                yield {"relationships": {"arguments": {"to": f"ref('{table}')", "field": columns[0]}}}
            else:
                self.lose("references", f"{dataset.name}.{part.path} to {', '.join(link.target)}")
        yield from self._rule_tests(part, dataset)

    def _rule_tests(self, part: Field, dataset: Dataset) -> Iterator[Any]:
        for rule in part.rules:
            if rule.valid_values is not None:
                continue
            test = (
                _TESTS.get(rule.metric or "") if dict(rule.operators) == {"mustBe": 0} and not rule.arguments else None
            )
            held = (test == "not_null" and part.required) or (test == "unique" and part.unique)
            if test is None:
                self.lose("quality rules", _named(rule, f"{dataset.name}.{part.path}"))
            elif not held:
                yield {test: {"config": {"severity": "warn"}}} if _mild(rule) else test


def _mild(rule: QualityRule) -> bool:
    return (rule.severity or "error").lower() in _MILD


def _named(rule: QualityRule, where: str) -> str:
    return f"{where} {rule.name or rule.id or rule.metric or rule.type}"


def _config(part: Field) -> dict[str, Any]:
    custom = part.node.get("customProperties") or ()
    meta = {entry["property"]: entry.get("value") for entry in custom if "property" in entry}
    if part.classification:
        meta = {"classification": part.classification, **meta}
    config: dict[str, Any] = {"meta": meta} if meta else {}
    return {**config, "tags": list(part.node["tags"])} if part.node.get("tags") else config


def _table(target: Sequence[str]) -> tuple[str | None, list[str]]:
    """The table and columns of references written `table.column`; no table where they are written otherwise."""
    parts = [name.split(".") for name in target]
    tables = {words[0] for words in parts if len(words) == 2}
    if len(tables) != 1 or any(len(words) != 2 or "/" in words[0] for words in parts):
        return None, []
    return tables.pop(), [words[1] for words in parts]


def _conditions(part: Field) -> Iterator[str]:
    options = part.options
    for key, sign in _BOUNDS:
        flag = options.get("exclusive" + key[0].upper() + key[1:]) is True  # ODCS v3.0 says it with a flag
        if _is_number(options.get(key)):
            yield f"{part.column} {sign.removesuffix('=') if flag else sign} {options[key]}"
    if part.type == Atomic("string") or isinstance(part.type, Text):
        for key, sign in (("minLength", ">="), ("maxLength", "<=")):
            if _is_number(options.get(key)):
                yield f"length({part.column}) {sign} {options[key]}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
