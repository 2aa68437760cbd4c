"""Input and output of a gate: plain values between the action and the engine."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING

from floe.engine.gate.schema_check import SchemaCheck, SchemaVersion
from floe.model.contract import Target
from floe.model.plan import Expectation, Plan, UniqueKey
from floe.model.result import Outcome, Verdict, decide
from floe.settings import EnforcementLevel, Settings
from floe.tables.state import Commit, State, Tag
from floe.tables.storage import StoredFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floe.engine.gate.staging import StagingArea


class Quarantine(Enum):
    """Which rows of a batch go to the quarantine instead of the table."""

    NONE = "none"
    REFUSED = "rows that violate expectations that refuse a batch"  # at level off
    BROKEN = "rows that violate any expectation of the gate"  # at every other level


@dataclass(frozen=True, slots=True)
class Staged:
    """The staged rows; if rules separated bad rows from good ones, both are in different files.

    `produced` is how many rows the write tasks counted. There are no files where Spark runs elsewhere and writes to a disk
    that is not ours.
    """

    rows: "DataFrame"
    good: "DataFrame"
    bad: "DataFrame | None"
    files: tuple[StoredFile, ...]
    good_files: tuple[StoredFile, ...]
    produced: int
    rules: tuple[Expectation, ...] = ()

    @property
    def bad_files(self) -> tuple[StoredFile, ...]:
        """The files of rows that break a rule."""
        good = set(self.good_files)
        return tuple(file for file in self.files if file not in good)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """Everything a gate needs besides the rows."""

    plan: Plan
    target: Target
    layer: str
    mode: str
    level: EnforcementLevel
    staging: "StagingArea"
    salt: str
    contract: str
    schema_version: SchemaVersion
    run_id: str
    batch_id: str | None
    shadow: bool
    quarantine: Quarantine
    as_of: str | None  # the column that dates a Gold snapshot
    inputs: tuple[Outcome, ...]  # what was found wrong with the frames the batch was made of
    references: Mapping[str, Target]
    settings: Settings

    @property
    def unique_keys(self) -> tuple[tuple[str, ...], ...]:
        """The keys that may have each value once in the table."""
        keys = (
            expectation.check.columns
            for expectation in self.plan.expectations
            if expectation.gated and isinstance(expectation.check, UniqueKey)
        )
        return tuple(dict.fromkeys(keys))

    def verdict(self, outcomes: tuple[Outcome, ...]) -> Verdict:
        """What the enforcement level makes of outcomes."""
        return decide(outcomes, self.level, self.layer)

    def properties(self, schema_version: int) -> dict[str, str]:
        """The properties of the table about its contract."""
        return {
            "floe.contract": self.contract,
            "floe.schema_version": str(schema_version),
            "floe.schema_hash": self.schema_version.hash,
            **({"floe.identity": json.dumps(self.schema_version.identity)} if self.layer != "bronze" else {}),
        }

    def tag(self, rows: int) -> Tag:
        """The tag that identifies the commit of this many rows."""
        return Tag(self.run_id, self.batch_id, rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What was found about a batch against one state of its table; nothing is committed yet.

    `staged` is None where there is nothing to commit: the batch is in the table already (`repeated`), or its schema
    refuses it.
    """

    state: State | None
    outcomes: tuple[Outcome, ...] = ()
    version: int
    schema: SchemaCheck | None = None
    staged: Staged | None = None
    rows: int | None = None
    nulls: Mapping[str, int] = field(default_factory=dict)  # by column, where the footers of the files have them
    repeated: Commit | None = None
    notes: tuple[str, ...] = ()

    def result(self, verdict: Verdict) -> "GateResult":
        """The answer where nothing is committed."""
        before = self.state.snapshot if self.state else None
        return GateResult(
            outcomes=self.outcomes,
            verdict=verdict,
            schema_version=self.version,
            rows=self.rows,
            nulls=self.nulls,
            written=self.rows or 0 if self.repeated else 0,
            before=before,
            after=before,
            location=self.state.location if self.state and self.repeated else "",
            repeated=self.repeated,
            notes=self.notes,
        )


@dataclass(frozen=True, slots=True)
class Split:
    """A batch in two: rows to write, and rows with the codes of what they break."""

    good: "DataFrame"
    bad: "DataFrame"
    bad_rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlan:
    """What will be committed: rows, the staged files that hold just them, what goes to quarantine, and the answer then."""

    rows: "DataFrame"
    files: Sequence[StoredFile]
    split: Split | None
    schema: SchemaCheck
    state: State | None
    tag: Tag
    result: "GateResult"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The result of a batch at the gate."""

    outcomes: tuple[Outcome, ...]
    verdict: Verdict
    schema_version: int
    rows: int | None = None
    nulls: Mapping[str, int] = field(default_factory=dict)
    written: int = 0
    quarantined: int = 0
    created: bool = False
    before: str | None = None
    after: str | None = None
    location: str = ""
    repeated: Commit | None = None
    way: str | None = None
    as_of: date | None = None  # the newest day of the written rows
    let_through: bool = False  # in shadow mode, or with its bad rows in quarantine
    notes: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether nothing was written because of what was found."""
        return self.verdict is Verdict.REFUSE and not self.let_through
