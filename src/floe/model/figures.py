"""Key figures: the recorded facts they come from, and their values."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class Batch(NamedTuple):
    """A run of a pipeline: a batch at a gate, or a table that was tested."""

    day: str
    passed: bool
    by_schema: bool  # it failed, and the schema was a cause


class RecordedProblem(NamedTuple):
    """An incident, or what a test found in a table."""

    contract: str
    dataset: str
    kind: str
    code: str
    opened: str  # a day
    closed: str | None


class JudgedCommit(NamedTuple):
    """A commit to a known table, and the seconds until its check; 0 if a gate checked it before."""

    table: str
    day: str
    seconds: float


class VersionChange(NamedTuple):
    """A registered version after the first, or a move of a contract's end."""

    name: str
    day: str
    breaking: bool
    lead_days: int  # between the day consumers could know of it and the day it takes effect
    consumers: int
    notified: bool  # every consumer's message was sent
    overridden: bool = False  # published although consumers had not agreed


class Described(NamedTuple):
    """How many columns of a contract are described."""

    contract: str
    columns: int
    described: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is recorded of some days, the first and the last included."""

    first: str
    last: str
    days: int
    batches: tuple[Batch, ...] = ()
    troubles: tuple[RecordedProblem, ...] = ()  # errors and worse
    watched: tuple[tuple[str, str, str], ...] = ()  # contract, dataset, day
    quality_watched: bool = False
    commits: tuple[JudgedCommit, ...] = ()
    changes: tuple[VersionChange, ...] = ()
    documents: tuple[Described, ...] = ()


class FigurePoint(NamedTuple):
    """One mark of a chart."""

    label: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measure: its value, None without facts, and its target."""

    name: str
    title: str
    value: float | None
    unit: str
    target: str
    met: bool | None
    detail: str
    points: tuple[FigurePoint, ...] = ()
    by_day: bool = True  # a mark is a day; otherwise each mark has its own name
    limit: float | None = None  # position of the target in the chart
    at_least: bool = True  # the target is a floor, not a ceiling

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        kept = ("name", "title", "value", "unit", "target", "met", "detail")
        status = {None: "unknown", True: "met", False: "missed"}[self.met]
        series = [{"label": figure_point.label, "value": figure_point.value} for figure_point in self.points]
        return {**{key: getattr(self, key) for key in kept}, "status": status, "series": series}
