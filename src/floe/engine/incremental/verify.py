"""What metadata left open: answered by what earlier runs measured, by the files that came since, or by the whole table."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from floe.engine.incremental.history import Files, RuleHistory, TableHistory, decode, encode, rewritten
from floe.engine.incremental.reads import (
    Index,
    ReadPlan,
    ReferencedFiles,
    RuleNeed,
    combined,
    figure_of,
    hidden,
    kind_of,
    learned,
    need_of,
    outcome_of,
    plan_reads,
    referring,
    rule_of,
)
from floe.engine.metadata.proof import row_count
from floe.lang.secret import key_of
from floe.model import EngineError, RegistryError, TableError
from floe.model.contract import Target
from floe.model.plan import Expectation, FileStatistics, ForeignKey, Plan, VerifyInputs
from floe.model.result import Outcome, not_evaluated
from floe.settings import Settings
from floe.system.clock import stamp
from floe.tables import TableFacts, probe, reader_of

if TYPE_CHECKING:
    from floe.registry import Store


class VerifyContext(NamedTuple):
    """What to check, of which table: as requested, and as Spark reads it."""

    plan: Plan
    target: Target
    pinned: Target
    facts: TableFacts
    files: tuple[FileStatistics, ...] | None
    aids: VerifyInputs
    settings: Settings
    store: "Store"


class RestResult(NamedTuple):
    """The number of rows, the outcome of each expectation, the cost, and the files that were read."""

    rows: int | None
    outcomes: list[Outcome]
    cost: dict[str, Any]
    read: dict[str, Any] | None = None


class _ReferencedTable(NamedTuple):
    """A table that keys refer to: what it is, and its snapshot before it was read."""

    other: ReferencedFiles
    target: Target
    facts: TableFacts
    snapshot: str | None


def verify_incrementally(case: VerifyContext) -> RestResult:
    """Check all remaining expectations, reading no more than needed."""
    index = _index(case)
    if index is None:
        return RestResult(*_whole(case, case.plan.expectations))
    memory = _recalled(case, frozenset(index))
    seen = _others(case)
    needs, anew = _needs(case, index, memory, seen)
    return _IncrementalRun(case, index, memory, seen).judged(plan_reads(needs, anew, index))


def _index(case: VerifyContext) -> Index | None:
    """The files by name; None if the log does not identify them, or their numbers of rows."""
    files, known = case.files, case.facts.uid and case.facts.snapshot
    if files is None or not reader_of(case.target).tracks_files() or not known or row_count(files) is None:
        return None
    index = {file.id: file for file in files}
    return index if len(index) == len(files) and all(file.path for file in files) else None


def _recalled(case: VerifyContext, files: Files) -> TableHistory:
    """What is remembered of this very table, brought to the files that are there now."""
    from floe.registry.day_facts import recall

    facts = case.facts
    nothing = TableHistory(str(facts.uid), str(facts.snapshot))
    kept = None
    with suppress(RegistryError):  # out of reach: nothing is remembered
        kept = None if case.aids.full else recall(case.store, _place(case))
    memory = decode(kept) if kept else None
    if memory is None or memory.uid != facts.uid:
        return nothing
    gone = any(known.files - files for known in memory.rules.values())
    moved: Sequence[Any] = ()
    if gone and memory.snapshot != facts.snapshot:
        moved = reader_of(case.target).rewrites(case.target, case.settings, memory.snapshot, str(facts.snapshot))
    rules = {rule: rewritten(one, moved, rule.partition(":")[0]).kept(files) for rule, one in memory.rules.items()}
    return replace(memory, rules=rules)


def _place(case: VerifyContext) -> Any:
    from floe.registry.day_facts import HistoryKey

    return HistoryKey(case.plan.contract, case.plan.dataset, key_of(case.facts.location))


def _others(case: VerifyContext) -> dict[str, _ReferencedTable]:
    """The tables that keys refer to, if their rows are known."""
    wanted = {expectation.reference.dataset for expectation in case.plan.expectations if expectation.reference}
    found = {name: _other(case.aids.references.get(name), case.settings) for name in wanted}
    return {name: one for name, one in found.items() if one}


def _other(target: Target | None, settings: Settings) -> _ReferencedTable | None:
    reader = reader_of(target) if target else None
    if target is None or reader is None or not reader.tracks_files() or reader.needs_spark(target):
        return None
    try:
        before = reader.version_name(target, settings)
        facts = probe(target, settings)
    except TableError:
        return None
    if facts is None or not facts.uid:
        return None
    files = frozenset(file.id for file in facts.files) if facts.files is not None else frozenset([str(facts.snapshot)])
    columns = sorted(facts.identities.items())
    return _ReferencedTable(ReferencedFiles(f"{facts.uid} {facts.location} {columns}", files), target, facts, before)


def _moved(seen: _ReferencedTable, settings: Settings) -> bool:
    """Whether a table that keys refer to changed while it was read."""
    try:
        return reader_of(seen.target).version_name(seen.target, settings) != seen.snapshot
    except TableError:
        return True


def _needs(
    case: VerifyContext, index: Index, memory: TableHistory, seen: Mapping[str, _ReferencedTable]
) -> tuple[list[RuleNeed], list[Expectation]]:
    """What each rule has left to read, and the rules that no memory helps."""
    needs, anew = [], []
    for expectation in case.plan.expectations:
        kind = kind_of(expectation)
        found = seen.get(expectation.check.target.dataset) if isinstance(expectation.check, ForeignKey) else None
        other = found.other if found else None
        rule = rule_of(expectation, kind, case.facts.identities, other) if kind else None
        if kind is None or rule is None:
            anew.append(expectation)
            continue
        known = hidden(memory.rules.get(rule, RuleHistory()), case.plan.masked)
        needs.append(need_of(expectation, kind, rule, referring(known, other) if other else known, index))
    return needs, anew


class _IncrementalRun:
    """One run on a table whose files are known by name."""

    def __init__(
        self, case: VerifyContext, index: Index, memory: TableHistory, seen: Mapping[str, _ReferencedTable]
    ) -> None:
        self.case, self.index, self.memory, self.seen = case, index, memory, seen
        self.rows = row_count(tuple(index.values())) or 0
        self.now = case.aids.now
        self.outcomes: dict[str, Outcome] = {}
        self.rules = dict(memory.rules)
        self.costs: list[Mapping[str, Any]] = []
        self.read: Files = frozenset()

    def judged(self, remaining: ReadPlan) -> RestResult:
        """Everything that is left, by the way that reads least."""
        for need in remaining.answered:
            self._answer(need, None, frozenset())
        whole = list(remaining.whole)
        if remaining.some and not self._some(remaining):
            whole += remaining.some
        if whole or remaining.anew:
            self._whole(whole, remaining.anew)
        self._keep()
        ordered = [self.outcomes[expectation.id] for expectation in self.case.plan.expectations]
        return RestResult(self.rows, ordered, self._cost(), self._said(remaining))

    def _answer(self, need: RuleNeed, found: Any, read: Files) -> None:
        how = "scan" if found else "metadata"
        if need.known.files:
            how = "incremental"
        self.outcomes[need.expectation.id] = outcome_of(need, combined(need, found, read), self.rows, self.now, how)
        self._learn(need, learned(need, found, read, self.now, self.index))

    def _learn(self, need: RuleNeed, known: RuleHistory) -> None:
        self.rules.pop(need.rule, None)  # the rule that was used last is the last
        if known.files:
            self.rules[need.rule] = known

    def _some(self, remaining: ReadPlan) -> bool:
        """Read just the files that are left; False where these cannot be read by themselves."""
        try:
            from floe.engine.incremental.scan_files import ScannedTable, ScannedTables, scan_files
        except (EngineError, ModuleNotFoundError):
            return False  # without pyspark; reported as below
        case = self.case
        others = {
            name: ScannedTable(one.target, one.facts, {file.id: file for file in one.facts.files or ()})
            for name, one in self.seen.items()
        }
        tables = ScannedTables(ScannedTable(case.target, case.facts, self.index), others)
        try:
            read = scan_files(case.plan, tables, remaining, case.aids, case.settings)
        except EngineError:
            return False  # reported again by name for all that is left
        if read is None:
            return False
        for need in remaining.some:
            self._answer(need, read.found[need.expectation.id], remaining.files if need.by_rows else need.rest)
        self.read |= read.files
        self.costs.append({**read.cost, "files_read": len(read.files)})
        return True

    def _whole(self, needs: Sequence[RuleNeed], anew: Sequence[Expectation]) -> None:
        """Read the table for what needs all of it."""
        ids = {need.expectation.id for need in needs} | {expectation.id for expectation in anew}
        asked = [expectation for expectation in self.case.plan.expectations if expectation.id in ids]
        _, outcomes, cost = _whole(self.case, asked)
        self.outcomes |= {outcome.id: outcome for outcome in outcomes}
        self.costs.append(cost)
        every = frozenset(self.index)
        self.read = self.read if cost.get("files_read") == 0 else every
        for need in needs:
            figure = figure_of(need.kind, self.outcomes[need.expectation.id], self.now)
            bare = need._replace(known=RuleHistory(others=need.known.others), proved={}, rest=every)
            self._learn(need, learned(bare, figure, every, self.now, self.index) if figure else need.known)

    def _keep(self) -> None:
        """Store the new measurements; those of a reference only if the other table did not change."""
        from floe.registry.day_facts import keep

        facts = self.case.facts
        if (
            facts.altered
        ):  # no commit of rows since a change of columns: the next commit decides which column a statistic belongs to
            return
        rules = self.rules
        if any(_moved(referenced_table, self.case.settings) for referenced_table in self.seen.values()):
            rules = {rule: known for rule, known in rules.items() if not rule.startswith("reference:")}
        if rules == self.memory.rules and self.memory.snapshot == facts.snapshot:
            return
        memory = TableHistory(str(facts.uid), str(facts.snapshot), rules)
        with suppress(RegistryError):  # the next run reads more, and recording this run reports the error
            at = stamp(self.case.settings.clock())
            values = {"table_uid": memory.uid, "snapshot": memory.snapshot, "at": at, "state": encode(memory)}
            keep(self.case.store, _place(self.case), values)

    def _cost(self) -> dict[str, Any]:
        """What all reading cost; not known where a part of it is not."""
        found: dict[str, Any] = {}
        for name in ("queries", "jobs", "scans", "files_read", "bytes_read"):
            numbers = [int(cost[name]) for cost in self.costs if cost.get(name) is not None]
            whole = max(numbers, default=0) if name == "files_read" else sum(numbers)
            found[name] = whole if len(numbers) == len(self.costs) else None
        return found

    def _said(self, remaining: ReadPlan) -> dict[str, Any]:
        """Which files were read, and for how many an earlier run answers."""
        needs = (*remaining.answered, *remaining.some)
        known = frozenset().union(*(need.known.files for need in needs))
        remembered = len(known if remaining.whole or len(self.read) == len(self.index) else known - self.read)
        snapshot = self.memory.snapshot if remembered else None
        return {"files": len(self.read), "of": len(self.index), "remembered": remembered, "snapshot": snapshot}


def _whole(case: VerifyContext, asked: Sequence[Expectation]) -> tuple[int | None, list[Outcome], dict[str, Any]]:
    """The outcomes of reading the whole table; without an engine all are unknown."""
    plan = replace(case.plan, expectations=tuple(asked))
    try:
        from floe.engine.spark.scan import scan

        # Iceberg reads a snapshot with the columns it had then, and a rename or a dropped column makes no new one
        snapshot = None if case.facts.altered else case.facts.snapshot
        said = scan(plan, case.pinned, snapshot, case.aids, case.settings)
        _unmoved(case)
    except (EngineError, TableError) as error:
        return None, [not_evaluated(expectation, error.message) for expectation in asked], {}
    return said.rows, said.outcomes, said.cost


def _unmoved(case: VerifyContext) -> None:
    """Without a snapshot, rows that changed during the read are not a result."""
    target, facts = case.pinned, case.facts
    if reader_of(target).changed(target, facts, case.settings):
        raise TableError(f"{target} changed while it was read", "Run the check again")
