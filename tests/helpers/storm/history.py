"""One table, its rules, what happened to it, and the three answers about it."""

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
from tests.helpers.storm.rules import RULES, Answer

BASE = ("id", "code", "raw", "n")  # columns that every table has
FRESH = "fresh"
_DAY = 86_400
CLOCKS = (0, -5 * 365 * _DAY, 2 * _DAY)  # the clock is right; or years behind the commits; or ahead of them
ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati")


class History(ABC):
    """A table of one format, and what is known of it by hand.

    `incremental` are settings whose registry remembers every check; `fresh` have a registry of their own, so that a full
    run teaches the incremental one nothing.
    """

    format: str
    rename_keeps_values = True  # false once files of others are in it, whose columns go by the names of now

    def __init__(
        self,
        spark: Any,
        draw: random.Random,
        root: Path,
        name: str,
        rules: list[str],
        settings: tuple[Settings, Settings],
    ) -> None:
        self.spark, self.draw, self.root, self.name, self.rules = spark, draw, root, name, rules
        self.incremental, self.fresh = settings
        wanted = {column for rule in rules if rule != FRESH for column in RULES[rule].columns}
        self.all_columns = [column for column in COLUMNS if column in wanted or column in BASE]
        self.told: list[str] = []
        self.next_id, self.clock = 0, 0

    # --- what formats say

    @property
    @abstractmethod
    def table(self) -> str:
        """The table as floe is given it."""

    @property
    @abstractmethod
    def types(self) -> dict[str, str]:
        """The columns of now, with their types."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """All rows, by the plainest way there is; `at` in microseconds since 1970."""

    @abstractmethod
    def begin(self) -> None:
        """Create the table with a few rows."""

    @abstractmethod
    def more(self, odd: bool) -> None:
        """Add a few rows."""

    @abstractmethod
    def drop(self) -> None:
        """Take the table away."""

    # --- rows

    def made(self, count: int, odd: bool = False) -> list[Row]:
        """Ordinary rows; where they are odd, one or two of their values are those that rules do not like."""
        first, self.next_id = self.next_id, self.next_id + count
        rows = [
            {name: COLUMNS[name].usual for name in self.all_columns} | {"id": id_}
            for id_ in range(first, first + count)
        ]
        for _ in range(self.draw.randint(1, 2) if odd else 0):
            asked = [column for rule in self.rules if rule != FRESH for column in RULES[rule].columns]
            column = self.draw.choice([*asked, *asked, "id", "code"])
            value = max(first - 1, 0) if column == "id" else self.draw.choice(COLUMNS[column].odd)
            rows[self.draw.randrange(count)][column] = value
        return rows

    def query(self, rows: list[Row]) -> str:
        """Rows of the table's columns of now, as SQL."""
        return sql_rows(rows, self.types)

    @property
    def whole(self) -> bool:
        """Whether the table still has the columns that it began with."""
        return self.types == {name: COLUMNS[name].type for name in self.all_columns}

    def run(self, statement: str) -> bool:
        """Take a step; False where the engine refuses it, which changes nothing."""
        try:
            self.spark.sql(statement)
        except (PySparkException, Py4JJavaError) as error:
            self.tell(f"refused: {statement[:200]}: {str(error).splitlines()[0][:100]}")
            return False
        self.tell(statement[:400])
        return True

    def tell(self, what: str) -> None:
        """Write down a step, for whoever reads a failure."""
        self.told.append(what)

    @property
    def story(self) -> str:
        """What happened, as a failure shows it."""
        return f"{self.name}, rules {self.rules}:\n  " + "\n  ".join(self.told)

    # --- the contract

    @property
    def asked(self) -> set[str]:
        """The columns that the contract names."""
        return {"id"} | {column for rule in self.rules if rule != FRESH for column in RULES[rule].columns}

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
                quality.append(rule.said)
            else:
                _add(columns[rule.columns[0]], rule.said)
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
    def bare_contract(self) -> str:
        """All columns and no rule but a key, for writing: a table belongs to a contract of one key."""
        columns: list[dict[str, Any]] = [{"name": name, "physicalType": type_} for name, type_ in self.types.items()]
        for column in columns:
            if column["name"] == "id":
                column |= {"required": True, "primaryKey": True}
        said = json.loads(self.contract)
        said.pop("slaProperties", None)
        said["schema"][0] = {"name": self.name, "properties": columns}
        return json.dumps(said, indent=1)

    # --- three answers

    def check(self, first: bool = False) -> int:
        """Compare the answers, the first time without a full run; how many rules were evaluated."""
        rows, there = self.rows(), self.types
        wanted = {rule: self._by_hand(rule, rows, there) for rule in self.rules}
        now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=self.clock)
        ways = [("incremental", self.incremental), *([] if first else [("full", self.fresh)])]
        for way, settings in ways:
            timed = replace(settings, clock=lambda: now)
            result = floe.verify(self.table, self.contract, timed, full=way == "full")
            for rule in self.rules:
                outcome, violations = _answer(result, self.name, rule)
                said, count = wanted[rule]
                context = f"{way}: {rule} is {outcome} ({violations}), by hand {said} ({count}) of {rows}\n{self.story}"
                if said == NOT_EVALUATED:
                    assert outcome == NOT_EVALUATED, context
                    continue
                assert outcome == said, context
                assert violations in (None, count) or count is None, context
        return sum(said in (PASS, FAIL) for said, _ in wanted.values())

    def _by_hand(self, rule: str, rows: list[Row], there: Mapping[str, str]) -> Answer:
        if rule == FRESH:
            return {0: PASS, 2 * _DAY: FAIL}.get(self.clock, NOT_EVALUATED), None
        if not set(RULES[rule].columns) <= set(there):
            return NOT_EVALUATED, None
        return RULES[rule].answer(rows)


def _add(column: dict[str, Any], said: Mapping[str, Any]) -> None:
    """What one more rule says of a column."""
    for key, value in said.items():
        if isinstance(value, dict):
            column[key] = {**column.get(key, {}), **value}
        else:
            column[key] = value


def _answer(result: Result, name: str, rule: str) -> Answer:
    """The outcome of a rule, and how many rows break it; one that is not there was not evaluated."""
    id_ = f"{name}:sla.freshness"
    if rule != FRESH:
        end = RULES[rule].expectation
        id_ = f"{name}:{end}" if end.startswith("quality.") else f"{name}.{end}"
    found = [outcome for outcome in result.expectations if outcome.id == id_]
    return (found[0].outcome, found[0].violations) if found else (NOT_EVALUATED, None)
