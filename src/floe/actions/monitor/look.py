"""The checks of one dataset's table, by metadata where possible, and their severity."""

import time
import uuid
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from floe import registry
from floe.actions.monitor.context import CheckContext
from floe.actions.monitor.ladder import broken_level, near_level
from floe.actions.monitor.levels import answers, available, repairs
from floe.actions.verify import verify_some
from floe.actions.verify.references import fact_of, of_table
from floe.actions.verify.table import result_of
from floe.engine.plan import make_plan
from floe.model import Severity
from floe.model.age import age_outcome, format_duration
from floe.model.lifecycle import RETIRED, SUNSET, Standing, standing_of, used
from floe.model.monitor_check import CheckRun, MonitorCheck, score_of
from floe.model.plan import CostBudget, Expectation, MonitorOnly
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Reason, Result
from floe.model.service_level import level_name
from floe.system.clock import stamp
from floe.tables.locate import TableSelector

_LEVELS = {"stale-data": "freshness", "late-data": "latency", "kept-too-long": "retention"}
_BY_ROWS = ("freshness", "schema_drift", "quality", "latency", "retention", "cost", "anomaly")
_AGE_LIMIT = "mustBeLessOrEqualTo"
_SKEW_SECONDS = 60
_OVER_TIME = {"availability": available, "latency": answers, "recovery": repairs}


def run_checks(scene: CheckContext, kinds: Collection[str]) -> CheckRun:
    """The outcomes of the requested kinds of checks."""
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
    result = result or result_of(plan, (), scene.now)
    outcomes = tuple(_with_level(check) for check in levelled)
    return CheckRun(
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


def kind_of(expectation: Expectation) -> str | None:
    """The kind of check of an expectation; None if rows and metadata do not evaluate it."""
    if isinstance(expectation.check, MonitorOnly):
        return None
    if expectation.level.startswith("costBudget."):
        return "cost"
    level = _LEVELS.get(expectation.name) or (level_name(expectation.name) if expectation.level else "")
    if level in _BY_ROWS:
        return level
    return None if expectation.level else "quality"


def _judged(scene: CheckContext, kinds: Collection[str]) -> tuple[Result, list[MonitorCheck]]:
    plan = make_plan(scene.contract, scene.dataset, scene.settings.classifications)
    by_id = {expectation.id: expectation for expectation in plan.expectations}
    asked = [expectation for expectation in plan.expectations if kind_of(expectation) in kinds]
    wanted = {expectation.id for expectation in asked}
    result = verify_some(
        scene.contract,
        scene.dataset,
        TableSelector(),
        scene.settings,
        lambda each_expectation: each_expectation.id in wanted,
        store=scene.store,
    )
    checks = []
    for outcome in result.expectations:
        value = by_id.get(outcome.id)
        kind = kind_of(value) if value else "schema_drift"
        if kind in kinds and outcome.outcome != NOT_GATED:
            checks.append(_check(str(kind), _filled(outcome, value, result.rows, scene), value, scene))
    if "quality" in kinds:
        checks += _score(scene, tuple(checks), result.rows)
    fact = daily_fact(result, scene) if "anomaly" in kinds else None
    checks += (
        [MonitorCheck(kind="anomaly", outcome=each_outcome) for each_outcome in of_table(scene.store, fact)]
        if fact
        else []
    )
    return result, checks


def daily_fact(result: Result, scene: CheckContext) -> dict[str, Any] | None:
    """The facts of a table for anomaly checks; None if its log has none."""
    if result.rows is None or result.nulls is None or result.scope:
        return None
    return fact_of(scene.contract_id, scene.dataset.name, "table", scene.now, result.rows, result.nulls)


def _check(kind: str, outcome: Outcome, expectation: Expectation | None, scene: CheckContext) -> MonitorCheck:
    if kind == "schema_drift":
        return MonitorCheck(kind=kind, outcome=_drifted(outcome, scene))
    limit = float((expectation.operators.get(_AGE_LIMIT) if expectation else None) or 0)
    if kind in ("freshness", "latency") and outcome.age is not None and limit:
        age = max(0, outcome.age)
        return MonitorCheck(kind=kind, outcome=outcome, used=age / limit, value=age / 3600, target=limit / 3600)
    if (
        kind == "cost"
        and expectation
        and isinstance(expectation.check, CostBudget)
        and isinstance(outcome.actual, int | float)
    ):
        most = expectation.check.most
        share = outcome.actual / most if most else None
        return MonitorCheck(kind=kind, outcome=outcome, used=share, value=float(outcome.actual), target=float(most))
    return MonitorCheck(kind=kind, outcome=outcome)


def _drifted(outcome: Outcome, scene: CheckContext) -> Outcome:
    """A column more is a warning at Silver and an error at Gold."""
    if outcome.code != "E532" or outcome.outcome != FAIL:
        return outcome
    layer = scene.contract.layer(scene.dataset)
    levels = {"silver": Severity.WARNING, "gold": Severity.ERROR}
    return replace(outcome, severity=levels.get(str(layer), outcome.severity))


def _filled(outcome: Outcome, expectation: Expectation | None, rows: int | None, scene: CheckContext) -> Outcome:
    """An empty table is stale if it has been known for longer than the freshness limit.

    A commit in the future, which a test does not evaluate, is not stale here: clock skew is reported.
    """
    if expectation is not None and outcome.outcome == NOT_EVALUATED and outcome.age is not None:
        return age_outcome(expectation, outcome.age, "metadata")
    limit = expectation.operators.get(_AGE_LIMIT) if expectation and kind_of(expectation) == "freshness" else None
    nothing = rows == 0 or outcome.reason is Reason.NO_VALUE
    if expectation is None or limit is None or outcome.outcome != NOT_EVALUATED or not nothing:
        return outcome
    age = _known_for(scene)
    if age <= int(limit):
        return outcome
    said = f"'{expectation.field}' has no rows {format_duration(age)} after its first check; the contract requires {expectation.expected}"
    return replace(
        outcome, code=expectation.code, outcome=FAIL, message=said, cause=None, actual="nothing", how="metadata"
    )


def _known_for(scene: CheckContext) -> int:
    """Seconds since the contract was registered, or since the first check of its table."""
    since = registry.versions.registered_at(scene.store, scene.contract_id) or registry.sla_status.first_seen(
        scene.store, scene.table_id
    )
    return int((scene.now - datetime.fromisoformat(since)).total_seconds()) if since else 0


def _score(scene: CheckContext, checks: tuple[MonitorCheck, ...], rows: int | None) -> list[MonitorCheck]:
    """E556 if the quality score is below the threshold."""
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
        message=f"The quality score is {score:g}, below the threshold of {threshold:g}" if low else "",
        actual=score,
        expected=f"at least {threshold:g}",
    )
    return [MonitorCheck(kind="quality", outcome=outcome, value=score, target=threshold)]


def _threshold(scene: CheckContext) -> float:
    """The minimum score: from the dataset or contract, else the setting; a value below 1 is a fraction of 100."""
    said = scene.dataset.custom.get("qualityThreshold") or scene.contract.custom.get("qualityThreshold")
    try:
        number = float(str(said).rstrip(" %")) if said is not None else None
    except ValueError:
        number = None
    if number is None:
        return float(scene.settings.data_contracts.monitoring.quality.threshold)
    return number * 100 if 0 < number <= 1 else number


def _standing(scene: CheckContext) -> Standing:
    """The current state of the contract's line, from the registry or else from its document."""
    said = standing_of(scene.contract)
    return registry.lifecycle.state(scene.store, said.contract, said.major, scene.now, lambda: said)


def _ending(scene: CheckContext, standing: Standing) -> list[MonitorCheck]:
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
    return [MonitorCheck(kind="deprecation", outcome=outcome)]


def _levelled(found: list[MonitorCheck], scene: CheckContext) -> list[MonitorCheck]:
    """The severities: by the ladder for service levels, by rule and code for others."""
    before: Mapping[Any, int] = registry.incidents.recent(scene.store, scene.place, scene.now) if found else {}
    return [replace(check, level=_level(check, before.get((check.kind, check.outcome.code), 0))) for check in found]


def _level(check: MonitorCheck, before: int) -> Severity | None:
    outcome = check.outcome
    laddered = ":sla." in outcome.id or ":costBudget." in outcome.id
    if outcome.outcome == FAIL:
        return broken_level(before, None if laddered else outcome.severity)
    return near_level(check.used) if outcome.outcome == PASS and laddered else None


def _with_level(check: MonitorCheck) -> Outcome:
    failed = check.outcome.outcome == FAIL and check.level
    return replace(check.outcome, severity=check.level) if failed and check.level else check.outcome


def _notes(checks: tuple[MonitorCheck, ...]) -> list[str]:
    """A table that is younger than now was written by a clock that goes ahead, or ours goes behind."""
    ahead = [
        -check.outcome.age for check in checks if check.outcome.age is not None and check.outcome.age < -_SKEW_SECONDS
    ]
    return (
        [f"clock_skew: the newest timestamp of the table is {format_duration(max(ahead))} in the future"]
        if ahead
        else []
    )
