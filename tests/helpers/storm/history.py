"""One table, its rules, the steps of its history, and the comparison of floe's verdict with a plain evaluation."""

import datetime
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

import floe
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Result
from floe.settings import Settings
from tests.helpers.storm.columns import COLUMNS, Row, sql_rows
from tests.helpers.storm.rules import RULES, RuleOutcome

BASE = ("id", "code", "raw", "n")  # columns that every table has
FRESH = "fresh"
_DAY = 86_400
CLOCKS = (0, -5 * 365 * _DAY, 2 * _DAY)  # the clock is right; or years behind the commits; or ahead of them
ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati")


class History(ABC):
    """A table of one format, and how its rows are read without floe.

    Of its rules some are `endangered` by the events that lead the history: odd rows break these more often than others.
    The settings `incremental` have the registry in which every check stores its measurements. Those of `full` have a
    registry of their own, so that the incremental runs learn nothing from full runs.
    """

    format: str
    # false once files without field ids were added: readers find their columns by the current names
    renames_keep_values = True
    # false once a file of an earlier version was overwritten: nobody can read that version
    can_restore = True

    def __init__(
        self,
        spark: Any,
        draw: random.Random,
        root: Path,
        name: str,
        rules: list[str],
        endangered: list[str],
        settings: tuple[Settings, Settings],
    ) -> None:
        self.spark, self.draw, self.root, self.name = spark, draw, root, name
        self.rules, self.endangered = sorted({*rules, *endangered}), endangered
        self.incremental, self.full = settings
        self.all_columns = [column for column in COLUMNS if column in self.rule_columns or column in BASE]
        self.steps: list[str] = []
        self.next_id, self.clock = 0, 0

    # --- what each format implements

    @property
    @abstractmethod
    def table(self) -> str:
        """The table as `floe.verify` takes it."""

    @property
    @abstractmethod
    def types(self) -> dict[str, str]:
        """The current columns and their types."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """All rows, read without floe; `at` in microseconds since 1970."""

    @abstractmethod
    def begin(self) -> None:
        """Create the table with a few rows."""

    @abstractmethod
    def append(self, odd: bool) -> None:
        """Add a few rows."""

    @abstractmethod
    def drop(self) -> None:
        """Remove the table."""

    # --- rows

    def new_rows(self, count: int, odd: bool = False) -> list[Row]:
        """Rows that keep every rule; where they are odd, one or two values break one."""
        first, self.next_id = self.next_id, self.next_id + count
        rows = [
            {name: COLUMNS[name].usual for name in self.all_columns} | {"id": id_}
            for id_ in range(first, first + count)
        ]
        endangered = [column for rule in self.endangered if rule != FRESH for column in RULES[rule].columns]
        for _ in range(self.draw.randint(1, 2) if odd else 0):
            column = self.draw.choice([*endangered, *endangered, *self.rule_columns, "id", "code"])
            value = max(first - 1, 0) if column == "id" else self.draw.choice(COLUMNS[column].odd)
            rows[self.draw.randrange(count)][column] = value
        return rows

    def query(self, rows: list[Row]) -> str:
        """Rows as a query with the current columns."""
        return sql_rows(rows, self.types)

    @property
    def has_all_columns(self) -> bool:
        """Whether the table has the columns and types that it was created with."""
        return self.types == {name: COLUMNS[name].type for name in self.all_columns}

    def run(self, statement: str) -> bool:
        """Run a statement; False where the engine refuses it, which changes nothing."""
        try:
            self.spark.sql(statement)
        except (PySparkException, Py4JJavaError) as error:
            self.note(f"refused: {statement[:200]}: {str(error).splitlines()[0][:100]}")
            return False
        self.note(statement[:400])
        return True

    def note(self, step: str) -> None:
        """Add a step to the log that a failure prints."""
        self.steps.append(step)

    @property
    def log(self) -> str:
        """The history as a failure prints it."""
        return f"{self.name}, rules {self.rules}:\n  " + "\n  ".join(self.steps)

    # --- the contract

    @property
    def rule_columns(self) -> list[str]:
        """The columns of the rules, once for each rule."""
        return [column for rule in self.rules if rule != FRESH for column in RULES[rule].columns]

    @property
    def contract_columns(self) -> set[str]:
        """The columns that the contract names."""
        return {"id", *self.rule_columns}

    @property
    def contract(self) -> str:
        """The rules as a contract; JSON is YAML."""
        types = self.types
        columns: dict[str, dict[str, Any]] = {}
        quality = []
        for name in self.rules:
            rule = RULES.get(name)
            if rule is None:
                continue
            for column in rule.columns:
                kind = "bigint" if types.get(column) == "bigint" else COLUMNS[column].type
                columns.setdefault(column, {"name": column, "physicalType": kind})
            if rule.of_dataset:
                quality.append(rule.definition)
            else:
                _add(columns[rule.columns[0]], rule.definition)
        head: dict[str, Any] = {
            "apiVersion": "v3.1.0",
            "kind": "DataContract",
            "id": self.name,
            "name": self.name,
            "version": "1.0.0",
        }
        head |= {"status": "active", "domain": "d", "dataProduct": "p"}
        if FRESH in self.rules:
            head["slaProperties"] = [{"property": "freshness", "value": "1d"}]
        columns.setdefault("id", {"name": "id", "physicalType": "bigint"})
        dataset = {"name": self.name, "properties": list(columns.values()), "quality": quality}
        return json.dumps({**head, "schema": [dataset]}, indent=1)

    @property
    def key_contract(self) -> str:
        """All columns and the key, without the rules, for writing: the table's contract must not change its key."""
        columns: list[dict[str, Any]] = [{"name": name, "physicalType": type_} for name, type_ in self.types.items()]
        for column in columns:
            if column["name"] == "id":
                column |= {"required": True, "primaryKey": True}
        document = json.loads(self.contract)
        document.pop("slaProperties", None)
        document["schema"][0] = {"name": self.name, "properties": columns}
        return json.dumps(document, indent=1)

    # --- the comparison

    def check(self, full: bool = True) -> int:
        """Compare floe's outcomes with a plain evaluation, of a full run too where that is wanted; how many rules were evaluated."""
        rows, types = self.rows(), self.types
        expected = {rule: self._evaluate(rule, rows, types) for rule in self.rules}
        now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=self.clock)
        runs = [("incremental", self.incremental)]
        runs += [("full", self.full)] if full else []
        for run, settings in runs:
            timed = replace(settings, clock=lambda: now)
            result = floe.verify(self.table, self.contract, timed, full=run == "full")
            for rule in self.rules:
                outcome, violations = _outcome(result, self.name, rule)
                correct, count = expected[rule]
                context = f"{run}: {rule} is {outcome} ({violations}), not {correct} ({count}), of {rows}"
                assert outcome == correct, context
                assert None in (violations, count) or violations == count, context
        return sum(outcome in (PASS, FAIL) for outcome, _ in expected.values())

    def _evaluate(self, rule: str, rows: list[Row], types: Mapping[str, str]) -> RuleOutcome:
        if rule == FRESH:
            return {0: PASS, 2 * _DAY: FAIL}.get(self.clock, NOT_EVALUATED), None
        if not set(RULES[rule].columns) <= set(types):
            return NOT_EVALUATED, None
        return RULES[rule].evaluate(rows)


def _add(column: dict[str, Any], definition: Mapping[str, Any]) -> None:
    """Add the definition of a rule to a column of the contract."""
    for key, value in definition.items():
        if isinstance(value, dict):
            column[key] = {**column.get(key, {}), **value}
        else:
            column[key] = value


def _outcome(result: Result, name: str, rule: str) -> RuleOutcome:
    """The outcome of a rule in a result; an expectation that is missing was not evaluated."""
    id_ = f"{name}:sla.freshness"
    if rule != FRESH:
        suffix = RULES[rule].expectation
        id_ = f"{name}:{suffix}" if suffix.startswith("quality.") else f"{name}.{suffix}"
    found = [outcome for outcome in result.expectations if outcome.id == id_]
    return (found[0].outcome, found[0].violations) if found else (NOT_EVALUATED, None)
