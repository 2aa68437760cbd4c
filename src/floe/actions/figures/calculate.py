"""The eight key figures of recorded facts."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from floe.model.figures import Facts, Figure, FigurePoint, RecordedProblem

BREAKING = ("E530", "E531", "E533", "E534", "E535")
_LEVELS = ("availability", "freshness", "latency", "recovery", "retention")
_LEAD_DAYS, _DETECT_SECONDS, _TRUST, _MONTH = 14, 300, 90, 30
_MOST = 20  # marks of a chart that is not by day


def key_figures(facts: Facts) -> tuple[Figure, ...]:
    """All eight, in the order of the specification; a figure without facts is unknown."""
    return tuple(make(facts) for make in _FIGURES)


def _breaking(facts: Facts) -> Figure:
    drifted = [problem for problem in _begun(facts) if problem.code in BREAKING]
    forced = [
        version_change for version_change in facts.changes if version_change.breaking and version_change.overridden
    ]
    known = bool(facts.batches or facts.watched or facts.changes or drifted)
    value = len(drifted) + len(forced)
    days = [problem.opened for problem in drifted] + [version_change.day for version_change in forced]
    return Figure(
        name="breaking_changes_in_production",
        title="Breaking changes that reached production",
        value=float(value) if known else None,
        unit="",
        target="0",
        met=value == 0 if known else None,
        detail=f"{len(drifted)} found in tables, {len(forced)} published without consent of consumers"
        if known
        else _nothing("run"),
        points=_counted(days),
        limit=0,
        at_least=False,
    )


def _by_schema(facts: Facts) -> Figure:
    runs, bad = len(facts.batches), sum(batch.by_schema for batch in facts.batches)
    value = _percent(bad, runs)
    return Figure(
        name="schema_caused_failures",
        title="Runs that failed because of their schema",
        value=value,
        unit="%",
        target="0 %",
        met=None if value is None else bad == 0,
        detail=f"{bad:,} of {runs:,} runs" if runs else _nothing("run"),
        points=_shares((batch.day, batch.by_schema) for batch in facts.batches),
        limit=0,
        at_least=False,
    )


def _quality(facts: Facts) -> Figure:
    found = [problem for problem in _begun(facts) if problem.code.startswith("E55")]
    known = bool(facts.quality_watched or found)
    value = len(found) * _MONTH / facts.days
    return Figure(
        name="quality_incidents",
        title="Quality incidents a month",
        value=round(value, 2) if known else None,
        unit="a month",
        target="< 1 a month",
        met=value < 1 if known else None,
        detail=f"{len(found):,} in {facts.days} days" if known else "quality was not monitored (`floe monitor`)",
        points=_counted(problem.opened for problem in found),
        limit=0,  # of a day; the target is of a month
        at_least=False,
    )


def _trust(facts: Facts) -> Figure:
    parts = (_levels_kept(facts), _passed(facts), _noticed(facts))
    names = ("days that met their SLA", "runs that passed", "changes with notice")
    shares = [share for share in parts if share is not None]
    value = (
        100 * sum(w * s for w, s in zip((0.5, 0.3, 0.2), shares, strict=True)) if len(shares) == len(parts) else None
    )
    said = ", ".join(
        f"{name} {'unknown' if share is None else f'{100 * share:.1f} %'}"
        for name, share in zip(names, parts, strict=True)
    )
    return Figure(
        name="consumer_trust",
        title="Consumer trust",
        value=None if value is None else round(value, 2),
        unit="of 100",
        target="> 90",
        met=None if value is None else value > _TRUST,
        detail=said,
        points=tuple(FigurePoint(n, round(100 * s, 2)) for n, s in zip(names, parts, strict=True) if s is not None),
        by_day=False,
        limit=_TRUST,
    )


def _levels_kept(facts: Facts) -> float | None:
    """The fraction of monitored days on which all service levels were met."""
    broken: dict[tuple[str, str], list[RecordedProblem]] = {}
    for problem in facts.troubles:
        if problem.kind in _LEVELS:
            broken.setdefault((problem.contract, problem.dataset), []).append(problem)
    kept = [
        not any(_stood(problem, day) for problem in broken.get((name, part), ())) for name, part, day in facts.watched
    ]
    return sum(kept) / len(kept) if kept else None


def _stood(problem: RecordedProblem, day: str) -> bool:
    return problem.opened <= day <= (problem.closed or day)


def _passed(facts: Facts) -> float | None:
    return sum(batch.passed for batch in facts.batches) / len(facts.batches) if facts.batches else None


def _noticed(facts: Facts) -> float | None:
    """Of breaking changes, those with two weeks of notice; where contracts are registered and none broke, all had it."""
    breaking = [version_change for version_change in facts.changes if version_change.breaking]
    if not breaking:
        return 1.0 if facts.documents else None
    return sum(version_change.lead_days >= _LEAD_DAYS for version_change in breaking) / len(breaking)


def _quantity(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _lead(facts: Facts) -> Figure:
    breaking = sorted(
        (version_change for version_change in facts.changes if version_change.breaking),
        key=lambda version_change: version_change.lead_days,
    )
    value = breaking[0].lead_days if breaking else None
    return Figure(
        name="schema_change_lead_time",
        title="Shortest lead time of a breaking change",
        value=None if value is None else float(value),
        unit="days",
        target="≥ 14 days",
        met=None if value is None else value >= _LEAD_DAYS,
        detail=_quantity(len(breaking), "breaking change") if breaking else "no breaking change was registered",
        points=tuple(
            FigurePoint(version_change.name, float(version_change.lead_days)) for version_change in breaking[:_MOST]
        ),
        by_day=False,
        limit=_LEAD_DAYS,
    )


def _detected(facts: Facts) -> Figure:
    took = [judged_commit.seconds for judged_commit in facts.commits]
    value = median(took) if took else None
    by_day = _grouped((commit.day, commit.seconds) for commit in facts.commits)
    return Figure(
        name="time_to_detect",
        title="Time from commit to verdict (median)",
        value=None if value is None else round(value / 60, 2),
        unit="min",
        target="< 5 min",
        met=None if value is None else value < _DETECT_SECONDS,
        detail=f"{len(took):,} commit{'s' * (len(took) != 1)}, the slowest took {max(took) / 60:,.1f} min"
        if took
        else _nothing("commit"),
        points=tuple(FigurePoint(day, round(median(all_) / 60, 2)) for day, all_ in by_day),
        limit=_DETECT_SECONDS / 60,
        at_least=False,
    )


def _notified(facts: Facts) -> Figure:
    with_consumers = [version_change for version_change in facts.changes if version_change.consumers]
    notified = sum(version_change.notified for version_change in with_consumers)
    total = len(with_consumers)
    return Figure(
        name="consumers_told",
        title="Changes whose consumers were notified automatically",
        value=_percent(notified, total),
        unit="%",
        target="100 %",
        met=notified == total if with_consumers else None,
        detail=f"{notified:,} of {total:,}" if with_consumers else "no contract with consumers changed",
        points=_shares((version_change.day, version_change.notified) for version_change in with_consumers),
        limit=100,
    )


def _documented(facts: Facts) -> Figure:
    columns, described = (
        sum(getattr(described, name) for described in facts.documents) for name in ("columns", "described")
    )
    worst = sorted(
        (document.described / document.columns, document.contract) for document in facts.documents if document.columns
    )
    return Figure(
        name="documentation",
        title="Columns with a description",
        value=_percent(described, columns),
        unit="%",
        target="100 %",
        met=described == columns if columns else None,
        detail=f"{described:,} of {columns:,} columns" if columns else "no contract is registered",
        points=tuple(FigurePoint(name, round(100 * share, 1)) for share, name in worst[:_MOST]),
        by_day=False,
        limit=100,
    )


_FIGURES: tuple[Callable[[Facts], Figure], ...] = (
    *(_breaking, _by_schema, _quality, _trust),
    *(_lead, _detected, _notified, _documented),
)


def _begun(facts: Facts) -> list[RecordedProblem]:
    """What began within the days, not before."""
    return [problem for problem in facts.troubles if problem.opened >= facts.first]


def _nothing(what: str) -> str:
    return f"no {what} is recorded"


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def _grouped(pairs: Iterable[tuple[str, float]]) -> list[tuple[str, Sequence[float]]]:
    found: dict[str, list[float]] = {}
    for day, value in pairs:
        found.setdefault(day, []).append(value)
    return sorted(found.items())


def _counted(days: Iterable[str]) -> tuple[FigurePoint, ...]:
    return tuple(FigurePoint(day, float(len(all_))) for day, all_ in _grouped((day, 1) for day in days))


def _shares(pairs: Iterable[tuple[str, bool]]) -> tuple[FigurePoint, ...]:
    return tuple(FigurePoint(day, round(100 * sum(all_) / len(all_), 2)) for day, all_ in _grouped(pairs))
