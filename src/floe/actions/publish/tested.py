"""A contract is tested on its existing table before it is published, and its moment is not before the last version's."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from floe import engine
from floe.actions.compile.judge import Rulebook, apply_waivers
from floe.actions.load.find import with_values
from floe.actions.record import record, run_row_for_test
from floe.actions.verify import verify_some
from floe.lang.dates import parse_day
from floe.model import Contract, ContractError, Dataset, EngineError, Finding, Severity, TableError, locate
from floe.model.contract import Target
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result
from floe.registry import Store
from floe.settings import Settings
from floe.system.clock import stamp
from floe.tables import probe, reader_of
from floe.tables.locate import TableSelector, find_server, find_target

_NO_TABLE = "no_table"
_WORDS = {
    FAIL: "the table does not keep the contract",
    NOT_EVALUATED: "not everything could be checked",
    _NO_TABLE: "no table yet",
    PASS: "the table keeps the contract",
}


@dataclass(frozen=True, slots=True)
class Tested:
    """The result of testing a contract: one word, the reason, and one result per dataset with a table."""

    outcome: str  # pass, fail, not_evaluated, no_table, skipped
    said: str
    results: tuple[Result, ...] = ()

    def to_row(self) -> dict[str, Any]:
        """As the registry keeps it."""
        if self.outcome == "skipped":
            return {"outcome": "skipped", "skipped": self.said}
        return {"outcome": self.outcome, "said": self.said, "tables": [self._table(result) for result in self.results]}

    def _table(self, result: Result) -> dict[str, Any]:
        kept = ("dataset", "outcome", "rows", "snapshot", "location", "checked_at", "score")
        said = result.to_dict()
        return {key: said[key] for key in kept}


@dataclass(frozen=True, slots=True)
class Tester:
    """How contracts are tested: registry, server and accepted gaps; `keeps` is whether runs are recorded."""

    settings: Settings
    store: Store | None
    server: str | None = None
    accepted: Collection[str] = ()
    keeps: bool = True

    def test(self, contract: Contract, beside: int | None) -> Tested:
        """Test every dataset on its table; `beside` is the MAJOR if it has its own table."""
        try:
            given = with_values(contract, self.settings)
            tables = [(dataset, self._target(given, dataset, beside)) for dataset in given.datasets]
            results = tuple(self._verified(given, dataset, target) for dataset, target in tables if target)
        except (TableError, EngineError, ContractError) as error:
            return Tested(NOT_EVALUATED, f"{_WORDS[NOT_EVALUATED]}: {error.message}")
        return self._summary(results)

    def _summary(self, results: tuple[Result, ...]) -> Tested:
        if not results:
            return Tested(_NO_TABLE, _WORDS[_NO_TABLE])
        broken: list[Outcome] = []
        unknown: list[Outcome] = []
        for result in results:
            broken += () if result.passed else result.failed
            unknown += [outcome for outcome in result.not_evaluated if outcome.id not in self.accepted]
        if broken:
            return Tested(FAIL, _WORDS[FAIL] + _causes(broken), results)
        if unknown:
            return Tested(NOT_EVALUATED, _WORDS[NOT_EVALUATED] + _causes(unknown), results)
        return Tested(PASS, _WORDS[PASS], results)

    def _target(self, contract: Contract, dataset: Dataset, beside: int | None) -> Target | None:
        """The table of a dataset; None where there is none yet, or none that floe can know of."""
        known = self.store.table(contract.table_id(dataset) or dataset.name) if self.store else None
        server = find_server(contract, self.server)
        if not known and not server and not contract.table_id(dataset):
            return None
        target = find_target(self.settings, contract, dataset, TableSelector(server=self.server), known)
        if not known and reader_of(target).needs_spark(target) and not _ours(server):
            return None  # a name that only another engine knows
        if beside is None:
            return target if self._there(target) else None
        own = versioned(target, beside)
        if self._there(own):
            return own
        return target if self._major(target) == str(beside) else None

    def _there(self, target: Target) -> bool:
        if reader_of(target).needs_spark(target):
            return engine.spark.scan.read_schema(target, self.settings) is not None
        return probe(target, self.settings) is not None

    def _major(self, target: Target) -> str | None:
        """The MAJOR that a table was written under."""
        facts = None if reader_of(target).needs_spark(target) else probe(target, self.settings)
        said = (facts.properties if facts else {}).get("floe.contract", "")
        return said.rpartition(":")[2].partition(".")[0] if facts else None

    def _verified(self, contract: Contract, dataset: Dataset, target: Target) -> Result:
        way = TableSelector(table=target.name or target.path)
        result = verify_some(contract, dataset, way, self.settings)
        table_id = contract.table_id(dataset) or dataset.name
        if self.store and self.keeps:
            run = run_row_for_test(result, uuid.uuid4().hex, table_id, self.settings.actor)
            note = record(self.store, self.settings, run)
            if note:
                self.settings.say(note)
        return result


def _causes(outcomes: Sequence[Outcome]) -> str:
    """The first of what is wrong, and how much more there is."""
    more = f" and {len(outcomes) - 1} more" if len(outcomes) > 1 else ""
    return f": {outcomes[0].message or outcomes[0].cause}{more}"


def _ours(server: Any) -> bool:
    """Whether a server is of a kind whose tables Spark finds by name."""
    return server is not None and server.type in ("databricks", "hive", "glue")


def versioned(target: Target, major: int) -> Target:
    """The table that a breaking change gets in addition to the old one; or the table itself if it is that already."""
    if str(target.name or target.path).rstrip("/").endswith(f"_v{major}"):
        return target
    name = f"{target.name}_v{major}" if target.name else None
    return replace(target, name=name, path=f"{target.path.rstrip('/')}_v{major}" if target.path else None)


_LEAST = {"versions.lead_days": ("E526", 14), "versions.notice_days": ("E525", 30)}


class Timing:
    """The days that a breaking change of a contract is announced ahead."""

    def __init__(self, contract: Contract, settings: Settings, rules: Rulebook, name: str, now: datetime) -> None:
        self.contract, self.settings, self.rules, self.name, self.now = contract, settings, rules, name, now
        self.notes: list[str] = []

    @property
    def notice_days(self) -> int:
        """How long consumers know of a breaking change before it may be published without their sign-off."""
        return self._days("versions.notice_days")

    def start(self, breaking: bool) -> tuple[str, list[Finding]]:
        """When the version takes effect according to `effectiveFrom`, and its findings (E526)."""
        said = self.contract.custom.get("effectiveFrom")
        lead = self._days("versions.lead_days") if breaking else 0
        earliest = self.now.date() + timedelta(days=lead)
        if said is None:
            return f"{earliest}T00:00:00.000Z" if breaking else stamp(self.now), []
        day = parse_day(said)
        if day is None:
            return "", [self._finding(f"effectiveFrom '{said}' is no date", "", f"Write it as {earliest}")]
        if breaking and day < earliest:
            days = (day - self.now.date()).days
            text = f"The breaking change of '{self.name}' takes effect too early"
            detail = f"effectiveFrom is {day}, {days} days from now; the lead time is {lead} days"
            return "", [self._finding(text, detail, f"Set effectiveFrom to {earliest} or later")]
        return f"{day}T00:00:00.000Z", []

    def _days(self, key: str) -> int:
        """A number of days that may be below the default only with a waiver."""
        code, least = _LEAST[key]
        asked = int(self.settings.values()[key])
        if asked >= least:
            return asked
        text = f"'{key}' is {asked}, less than the {least} days that consumers are promised"
        finding = Finding(code, "period-too-short", Severity.ERROR, text, path=tuple(key.split(".")))
        (judged, *_) = apply_waivers([finding], self.rules, self.name, self.now.date())
        if judged.severity is Severity.INFO:
            return asked
        self.notes.append(f"{text}: {least} hold, as no waiver of {code} at {key} does")
        return least

    def _finding(self, text: str, detail: str, suggestion: str) -> Finding:
        place = locate(self.contract.node, "customProperties")
        path = ("customProperties", "effectiveFrom")
        return Finding("E526", "effective-too-early", Severity.ERROR, text, detail, suggestion, place, path)
