"""One look at a dataset's table: what is asked of it, by metadata where that suffices, and how bad it is."""

import time
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from floe.actions.find_table import Way, find_target
from floe.actions.verify import look, result_of, verify_some
from floe.data.judge.availability import WINDOW_DAYS, error_budget
from floe.data.judge.ladder import broken_level, near_level
from floe.data.judge.unreachable import WORDS, cause_of
from floe.data.plan import plan as make_plan
from floe.model import Contract, Dataset, EngineError, FloeError, Severity, TableError
from floe.model.age import spoken
from floe.model.clock import stamp
from floe.model.lifecycle import RETIRED, SUNSET, Standing, standing_of, used
from floe.model.plan import Expectation
from floe.model.quantity import parse_quantity
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.model.service_level import level_name
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.watch import Check, Watch, score_of

if TYPE_CHECKING:
    from floe.registry import Store
    from floe.registry.incidents import Place

_LEVELS = {"stale-data": "freshness", "late-data": "latency", "kept-too-long": "retention"}
_BY_ROWS = ("freshness", "schema_drift", "quality", "latency", "retention", "cost")
_AGE_LIMIT = "mustBeLessOrEqualTo"
_SKEW_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Scene:
    """The dataset that is looked at, where what is known is kept, and when."""

    contract: Contract
    dataset: Dataset
    settings: Settings
    store: "Store"
    now: datetime

    @property
    def contract_id(self) -> str:
        """The contract without its version."""
        return self.contract.identity.rsplit(":", 1)[0]

    @property
    def table_id(self) -> str:
        """The table's id, as runs know it."""
        return self.contract.table_id(self.dataset) or self.dataset.name

    @property
    def place(self) -> "Place":
        """Where incidents are kept."""
        from floe.registry.incidents import Place

        return Place(self.contract_id, self.contract.version, self.dataset.name)


def look_at(scene: Scene, kinds: Collection[str]) -> Watch:
    """What came of the kinds of checks that are asked for."""
    started = time.monotonic()
    standing = _standing(scene)
    found = [*_ending(scene, standing)] if "deprecation" in kinds else []
    result = None
    if standing.state == RETIRED:
        kinds = ("deprecation",)
    else:
        found += _available(scene) if "availability" in kinds else []
        result, checks = _judged(scene, kinds) if set(kinds) & set(_BY_ROWS) else (None, [])
        found += checks
    levelled = tuple(_levelled(found, scene))
    plan = make_plan(scene.contract, scene.dataset)
    result = result or result_of(plan, ())
    outcomes = tuple(_with_level(one) for one in levelled)
    return Watch(
        contract=scene.contract_id,
        version=scene.contract.version,
        dataset=scene.dataset.name,
        at=stamp(scene.now),
        run_id=uuid.uuid4().hex,
        checks=levelled,
        result=replace(result, checked_at=stamp(scene.now), expectations=outcomes),
        kinds=tuple(kinds),
        seconds=time.monotonic() - started,
        retired=standing.state == RETIRED,
        notes=tuple(_notes(levelled)),
    )


def kind_of(one: Expectation) -> str | None:
    """Which kind of check judges an expectation; None where rows and metadata do not."""
    if one.watched:
        return None
    if one.budget or ":costBudget." in one.id:
        return "cost"
    level = _LEVELS.get(one.name) or (level_name(one.name) if ":sla." in one.id else "")
    return level if level in _BY_ROWS else "quality" if ":sla." not in one.id else None


def _judged(scene: Scene, kinds: Collection[str]) -> tuple[Result, list[Check]]:
    plan = make_plan(scene.contract, scene.dataset, scene.settings["classifications"])
    by_id = {one.id: one for one in plan.expectations}
    asked = [one for one in plan.expectations if kind_of(one) in kinds]
    wanted = {one.id for one in asked}
    result = verify_some(scene.contract, scene.dataset, Way(), scene.settings, lambda one: one.id in wanted)
    checks = []
    for outcome in result.expectations:
        one = by_id.get(outcome.id)
        kind = kind_of(one) if one else "schema_drift"
        if kind in kinds and outcome.outcome != NOT_GATED:
            checks.append(_check(str(kind), _filled(outcome, one, result.rows, scene), one, scene))
    if "quality" in kinds:
        checks += _score(scene, tuple(checks), result.rows)
    return result, checks


def _target(scene: Scene) -> Target:
    known = scene.store.table(scene.table_id)
    return find_target(scene.settings, scene.contract, scene.dataset, Way(), known)


def _check(kind: str, outcome: Outcome, one: Expectation | None, scene: Scene) -> Check:
    if kind == "schema_drift":
        return Check(kind=kind, outcome=_drifted(outcome, scene))
    limit = float((one.operators.get(_AGE_LIMIT) if one else None) or 0)
    if kind in ("freshness", "latency") and outcome.age is not None and limit:
        age = max(0, outcome.age)
        return Check(kind=kind, outcome=outcome, used=age / limit, value=age / 3600, target=limit / 3600)
    if kind == "cost" and one and one.budget and isinstance(outcome.actual, int | float):
        most = one.budget.most
        share = outcome.actual / most if most else None
        return Check(kind=kind, outcome=outcome, used=share, value=float(outcome.actual), target=float(most))
    return Check(kind=kind, outcome=outcome)


def _drifted(outcome: Outcome, scene: Scene) -> Outcome:
    """A column more is a warning at Silver and an error at Gold (SPEC §3)."""
    if outcome.code != "E532" or outcome.outcome != FAIL:
        return outcome
    layer = scene.contract.layer(scene.dataset)
    levels = {"silver": Severity.WARNING, "gold": Severity.ERROR}
    return replace(outcome, severity=levels.get(str(layer), outcome.severity))


def _filled(outcome: Outcome, one: Expectation | None, rows: int | None, scene: Scene) -> Outcome:
    """A table that never had a value to tell its age by is stale once it is known for longer than promised."""
    limit = one.operators.get(_AGE_LIMIT) if one and kind_of(one) == "freshness" else None
    nothing = rows == 0 or "has no value to tell an age by" in (outcome.cause or "")
    if one is None or limit is None or outcome.outcome != NOT_EVALUATED or not nothing:
        return outcome
    age = _known_for(scene)
    if age <= int(limit):
        return outcome
    said = f"'{one.field}' has nothing yet, {spoken(age)} after it became known; the contract promises {one.expected}"
    return replace(outcome, code=one.code, outcome=FAIL, message=said, cause=None, actual="nothing", how="metadata")


def _known_for(scene: Scene) -> int:
    """Seconds since the contract was registered, or since its table was first looked at."""
    from floe.registry.versions import registered_at
    from floe.registry.watched import first_seen

    since = registered_at(scene.store, scene.contract_id) or first_seen(scene.store, scene.table_id)
    return int((scene.now - datetime.fromisoformat(since)).total_seconds()) if since else 0


def _score(scene: Scene, checks: tuple[Check, ...], rows: int | None) -> list[Check]:
    """E556 where the score of what was judged is below the threshold."""
    score, threshold = score_of(checks, rows), _threshold(scene)
    if score is None:
        return []
    low = score < threshold
    outcome = Outcome(
        id=f"{scene.dataset.name}:quality-score",
        code="E556",
        name="quality-score-low",
        field=scene.dataset.name,
        severity=Severity.WARNING,
        outcome=FAIL if low else PASS,
        message=f"The quality score is {score:g}, at least {threshold:g} is asked for" if low else "",
        actual=score,
        expected=f"at least {threshold:g}",
    )
    return [Check(kind="quality", outcome=outcome, value=score, target=threshold)]


def _threshold(scene: Scene) -> float:
    """The least score: what the dataset or contract says, else the setting; a share below 1 is of a hundred."""
    said = scene.dataset.custom.get("qualityThreshold") or scene.contract.custom.get("qualityThreshold")
    try:
        number = float(str(said).rstrip(" %")) if said is not None else None
    except ValueError:
        number = None
    if number is None:
        return float(scene.settings["data_contracts.monitoring.quality.threshold"])
    return number * 100 if 0 < number <= 1 else number


def _available(scene: Scene) -> list[Check]:
    """One probe of metadata and a row group, counted into the days, and what these say to the promise."""
    from floe.registry.watched import count_probe, probes_since

    outcome = _probe(scene)
    if outcome.outcome == NOT_EVALUATED:
        return [Check(kind="availability", outcome=outcome)]
    up = outcome.outcome == PASS
    count_probe(scene.store, scene.contract_id, scene.dataset.name, stamp(scene.now)[:10], up)
    first = stamp(scene.now - timedelta(days=WINDOW_DAYS - 1))[:10]
    counts = probes_since(scene.store, scene.contract_id, scene.dataset.name, first)
    checks = [Check(kind="availability", outcome=outcome, value=float(up), target=1.0)]
    promised = _promised(scene)
    budget = error_budget(*counts, promised) if promised is not None else None
    if promised is None or budget is None:
        return checks
    kept = budget.share >= promised
    said = (
        f"Readable in {budget.share:g} % of {sum(counts):,} probes of {WINDOW_DAYS} days, promised are {promised:g} %"
    )
    made = _availability(scene, "availability-below-promise", kept, "" if kept else said)
    made = replace(made, actual=budget.share, expected=f"at least {promised:g} %")
    return [*checks, Check(kind="availability", outcome=made, used=budget.used, value=budget.share, target=promised)]


def _probe(scene: Scene) -> Outcome:
    from floe.data.rows.first import read_first

    settings = scene.settings
    try:
        target = _target(scene)
        if target.format == "delta" and not target.path:  # only Spark knows the name
            from floe.actions.verify import probe_table

            probe_table(target, settings)
        else:
            look(target, settings)
            read_first(target, settings)
    except EngineError as error:
        unknown = _availability(scene, "unavailable", False, "Nobody could ask whether the table can be read")
        return replace(unknown, code="E580", outcome=NOT_EVALUATED, cause=error.message, actual=None)
    except FloeError as error:
        cause = cause_of(error.message) if isinstance(error, TableError) else "unreadable"
        said = f"The table cannot be read ({WORDS[cause]}): {error.message}"
        return replace(_availability(scene, "unavailable", False, said), actual=cause, expected="readable")
    return replace(_availability(scene, "unavailable", True, ""), actual="readable", expected="readable")


def _availability(scene: Scene, name: str, kept: bool, message: str) -> Outcome:
    return Outcome(
        id=f"{scene.dataset.name}:sla.{name}",
        code="E561",
        name=name,
        field=scene.dataset.name,
        severity=Severity.ERROR,
        outcome=PASS if kept else FAIL,
        message=message,
        how="metadata",
    )


def _promised(scene: Scene) -> float | None:
    """The availability that is promised, in percent."""
    for sla in scene.contract.sla:
        if level_name(sla.property) == "availability":
            try:
                read = parse_quantity(sla.value, sla.unit)
            except ValueError:
                continue
            return float(read.amount) * (100 if read.percent is None and read.amount <= 1 else 1)
    return None


def _standing(scene: Scene) -> Standing:
    """Where the contract's line stands today, by the registry, else by its own words."""
    from floe.registry.lifecycle import state

    said = standing_of(scene.contract)
    return state(scene.store, said.contract, said.major, scene.now, lambda: said)


def _ending(scene: Scene, standing: Standing) -> list[Check]:
    finding = used(standing, scene.contract.identity)
    if finding is None:
        return []
    left = standing.retire_date - scene.now.date() if standing.state == SUNSET and standing.retire_date else None
    days = f". Days left: {max(0, left.days)}" if left else ""
    outcome = Outcome(
        id=f"{scene.dataset.name}:lifecycle",
        code=finding.code,
        name=finding.name,
        field=scene.dataset.name,
        severity=finding.severity,
        outcome=FAIL,
        message=finding.message + days,
        expected="active",
        actual=standing.state,
        how="registry",
    )
    return [Check(kind="deprecation", outcome=outcome)]


def _levelled(found: list[Check], scene: Scene) -> list[Check]:
    """How bad each is: by the ladder for service levels, by what rule and code say for all else."""
    from floe.registry.incidents import recent

    before: Mapping[Any, int] = recent(scene.store, scene.place, scene.now) if found else {}
    return [replace(one, level=_level(one, before.get((one.kind, one.outcome.code), 0))) for one in found]


def _level(check: Check, before: int) -> Severity | None:
    outcome = check.outcome
    laddered = ":sla." in outcome.id or ":costBudget." in outcome.id
    if outcome.outcome == FAIL:
        return broken_level(before, None if laddered else outcome.severity)
    return near_level(check.used) if outcome.outcome == PASS and laddered else None


def _with_level(check: Check) -> Outcome:
    failed = check.outcome.outcome == FAIL and check.level
    return replace(check.outcome, severity=check.level) if failed and check.level else check.outcome


def _notes(checks: tuple[Check, ...]) -> list[str]:
    """A table that is younger than now was written by a clock that goes ahead, or ours goes behind."""
    ahead = [-one.outcome.age for one in checks if one.outcome.age is not None and one.outcome.age < -_SKEW_SECONDS]
    return [f"clock_skew: the newest of the table lies {spoken(max(ahead))} in the future"] if ahead else []
