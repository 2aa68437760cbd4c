"""One look at a dataset's table: what is asked of it, by metadata where that suffices, and how bad it is."""

import time
import uuid
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from floe.actions.anomalies import fact_of, of_table
from floe.actions.find_table import Way
from floe.actions.monitor_levels import answers, available, repairs
from floe.actions.monitor_scene import Scene
from floe.actions.verify import result_of, verify_some
from floe.data.judge.ladder import broken_level, near_level
from floe.data.plan import plan as make_plan
from floe.model import Severity
from floe.model.age import aged, spoken
from floe.model.clock import stamp
from floe.model.lifecycle import RETIRED, SUNSET, Standing, standing_of, used
from floe.model.plan import Expectation
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.model.service_level import level_name
from floe.model.watch import Check, Watch, score_of

_LEVELS = {"stale-data": "freshness", "late-data": "latency", "kept-too-long": "retention"}
_BY_ROWS = ("freshness", "schema_drift", "quality", "latency", "retention", "cost", "anomaly")
_AGE_LIMIT = "mustBeLessOrEqualTo"
_SKEW_SECONDS = 60
_OVER_TIME = {"availability": available, "latency": answers, "recovery": repairs}


def look_at(scene: Scene, kinds: Collection[str]) -> Watch:
    """What came of the kinds of checks that are asked for."""
    started = time.monotonic()
    standing = _standing(scene)
    found = [*_ending(scene, standing)] if "deprecation" in kinds else []
    result = None
    if standing.state == RETIRED:
        kinds = ("deprecation",)
    else:
        found += [check for kind, ask in _OVER_TIME.items() if kind in kinds for check in ask(scene)]
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
    result = verify_some(
        scene.contract, scene.dataset, Way(), scene.settings, lambda one: one.id in wanted, store=scene.store
    )
    checks = []
    for outcome in result.expectations:
        one = by_id.get(outcome.id)
        kind = kind_of(one) if one else "schema_drift"
        if kind in kinds and outcome.outcome != NOT_GATED:
            checks.append(_check(str(kind), _filled(outcome, one, result.rows, scene), one, scene))
    if "quality" in kinds:
        checks += _score(scene, tuple(checks), result.rows)
    fact = fact_seen(result, scene) if "anomaly" in kinds else None
    checks += [Check(kind="anomaly", outcome=one) for one in of_table(scene.store, fact)] if fact else []
    return result, checks


def fact_seen(result: Result, scene: Scene) -> dict[str, Any] | None:
    """What the days to come know of the table; None where its log does not tell."""
    if result.rows is None or result.nulls is None or result.scope:
        return None
    return fact_of(scene.contract_id, scene.dataset.name, "table", scene.now, result.rows, result.nulls)


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
    """A table that never had a value to tell its age by is stale once it is known for longer than promised.

    A commit that lies ahead of this clock, which a test does not evaluate, makes nothing stale here: the skew is told.
    """
    if one is not None and outcome.outcome == NOT_EVALUATED and outcome.age is not None:
        return aged(one, outcome.age, "metadata")
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
