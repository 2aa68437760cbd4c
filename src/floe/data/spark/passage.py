"""What a gate is asked, and what happened at it."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from enum import Enum

from floe.data.spark.schema_gate import Edition
from floe.data.spark.write.tag import Commit, Tag
from floe.model.decision import Verdict
from floe.model.plan import Plan
from floe.model.result import Outcome
from floe.model.settings import Settings
from floe.model.table import Target


class Quarantine(Enum):
    """Which rows of a batch go to the quarantine instead of the table."""

    NONE = "none"
    REFUSED = "rows that would have the batch refused"  # at level off
    BROKEN = "rows that break any expectation of the gate"  # at every other level


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Everything a gate needs besides the rows."""

    plan: Plan
    target: Target
    layer: str
    mode: str
    staging: str  # the folder, in the table's storage, where the batch waits to be checked
    salt: str
    contract: str
    edition: Edition
    run_id: str
    batch_id: str | None
    shadow: bool
    quarantine: Quarantine
    as_of: str | None  # the column that dates a Gold snapshot
    inputs: tuple[Outcome, ...]  # what was found wrong with the frames the batch was made of
    references: Mapping[str, Target]
    decide: Callable[[tuple[Outcome, ...]], Verdict]
    lock: Callable[[], AbstractContextManager[None]]
    intend: Callable[["Passage"], None]  # keeps what is about to be committed, so that a killed run can be told
    settings: Settings
    unusual: Callable[[int, Mapping[str, int]], tuple[Outcome, ...]] = lambda rows, nulls: ()

    @property
    def unique_keys(self) -> tuple[tuple[str, ...], ...]:
        """The keys of which a value may stand in the table once."""
        return tuple(
            dict.fromkeys(one.keys for one in self.plan.expectations if one.gated and one.keys and not one.target)
        )

    def properties(self, schema_version: int) -> dict[str, str]:
        """What the table says about the contract that holds it."""
        return {
            "floe.contract": self.contract,
            "floe.schema_version": str(schema_version),
            "floe.schema_hash": self.edition.hash,
            **({"floe.identity": json.dumps(self.edition.identity)} if self.layer != "bronze" else {}),
        }

    def tag(self, rows: int) -> Tag:
        """What tells the commit of this many rows from others."""
        return Tag(self.run_id, self.batch_id, rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What happened at the gate."""

    outcomes: tuple[Outcome, ...]
    verdict: Verdict
    schema_version: int
    rows: int | None = None
    nulls: Mapping[str, int] = field(default_factory=dict)  # by column, where the footers of the files tell
    written: int = 0
    quarantined: int = 0
    created: bool = False
    before: str | None = None
    after: str | None = None
    location: str = ""
    repeated: Commit | None = None
    way: str | None = None
    as_of: date | None = None  # the newest day of the written rows
    let: bool = False  # through in shadow, or with its bad rows in quarantine
    notes: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether nothing was written because of what was found."""
        return self.verdict is Verdict.REFUSE and not self.let
