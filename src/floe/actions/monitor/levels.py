"""Service levels over time: availability, latency of probes, and time to repair."""

import time
from dataclasses import replace
from datetime import datetime, timedelta

from floe import registry, tables
from floe.actions.monitor.availability import WINDOW_DAYS, error_budget
from floe.actions.monitor.context import CheckContext
from floe.actions.monitor.probes import FEWEST, p99
from floe.actions.verify.table import probe_table, read_metadata
from floe.lang.quantity import parse_quantity
from floe.model import EngineError, FloeError, Severity, TableCause, TableError
from floe.model.age import format_duration
from floe.model.monitor_check import MonitorCheck
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome
from floe.model.service_level import level_name
from floe.system.clock import stamp

_CAUSES = {
    TableCause.PERMISSION: "floe may not read it",
    TableCause.CATALOG: "its catalog does not answer",
    TableCause.MISSING: "it or one of its files is missing",
    TableCause.UNREADABLE: "it cannot be read",
}


def available(scene: CheckContext) -> list[MonitorCheck]:
    """A probe of metadata and one row group, compared with the availability over 30 days."""
    started = time.monotonic()
    outcome = _probe(scene)
    if outcome.outcome == NOT_EVALUATED:
        return [MonitorCheck(kind="availability", outcome=outcome)]
    up = outcome.outcome == PASS
    before = registry.sla_status.probes_since(scene.store, scene.contract_id, scene.dataset.name, _first_day(scene))
    counts = before.up + up, before.down + (not up)
    took = time.monotonic() - started
    checks = [MonitorCheck(kind="availability", outcome=outcome, value=float(up), target=1.0, took=took)]
    promised = _promised(scene)
    budget = error_budget(*counts, promised) if promised is not None else None
    if promised is None or budget is None:
        return checks
    kept = budget.share >= promised
    said = f"Readable in {budget.share:g} % of {sum(counts):,} probes of {WINDOW_DAYS} days, the contract requires {promised:g} %"
    made = _availability(scene, "availability-below-promise", kept, "" if kept else said)
    made = replace(made, actual=budget.share, expected=f"at least {promised:g} %")
    return [
        *checks,
        MonitorCheck(kind="availability", outcome=made, used=budget.used, value=budget.share, target=promised),
    ]


def _first_day(scene: CheckContext) -> str:
    return stamp(scene.now - timedelta(days=WINDOW_DAYS - 1))[:10]


def answers(scene: CheckContext) -> list[MonitorCheck]:
    """The latency of the probes of 30 days, if the contract has one; too few are not evaluated."""
    promised = _duration(scene, "latencyP99")
    if promised is None:
        return []
    took = registry.sla_status.probes_since(scene.store, scene.contract_id, scene.dataset.name, _first_day(scene)).took
    count, slowest = sum(took.values()), p99(took)
    outcome = replace(_level(scene, "latencyP99", "E562"), expected=f"at most {promised:g} s")
    if slowest is None:
        cause = f"{count} of {FEWEST} required probes"
        unknown = replace(outcome, code="E580", outcome=NOT_EVALUATED, cause=cause, how=None)
        return [
            MonitorCheck(
                kind="latency", outcome=replace(unknown, message="There are too few probes to measure latency")
            )
        ]
    kept = slowest <= promised
    said = f"99 % of {count:,} probes answered within {slowest:g} s, the contract requires {promised:g} s"
    outcome = replace(outcome, outcome=PASS if kept else FAIL, message="" if kept else said, actual=slowest)
    return [MonitorCheck(kind="latency", outcome=outcome, used=slowest / promised, value=slowest, target=promised)]


def repairs(scene: CheckContext) -> list[MonitorCheck]:
    """The age of open incidents, if the contract has a time to repair."""
    promised = _duration(scene, "timeToRepair")
    if promised is None:
        return []
    since = registry.incidents.broken_since(scene.store, scene.place)
    longest = max((scene.now - datetime.fromisoformat(at)).total_seconds() for at in since) if since else 0.0
    kept, lasted = longest <= promised, format_duration(int(max(0.0, longest)))
    said = f"An incident is open for {lasted}, the contract requires repair within {format_duration(int(promised))}"
    outcome = replace(
        _level(scene, "timeToRepair", "E563"),
        outcome=PASS if kept else FAIL,
        message="" if kept else said,
        actual=lasted,
        expected=f"at most {format_duration(int(promised))}",
        how="registry",
    )
    return [MonitorCheck(kind="recovery", outcome=outcome, used=longest / promised, value=longest, target=promised)]


def _duration(scene: CheckContext, name: str) -> float | None:
    """The value of a service level in seconds."""
    for sla in scene.contract.sla:
        if level_name(sla.property) == name:
            try:
                read = parse_quantity(sla.value, sla.unit).seconds
            except ValueError:
                continue
            if read is not None and read > 0:
                return float(read)
    return None


def _probe(scene: CheckContext) -> Outcome:
    settings = scene.settings
    try:
        target = scene.target
        if tables.reader_of(target).needs_spark(target):
            probe_table(target, settings)
        else:
            read_metadata(target, settings)
            tables.batches.read_first(target, settings)
    except EngineError as error:
        unknown = _availability(scene, "unavailable", False, "The availability of the table could not be checked")
        return replace(unknown, code="E580", outcome=NOT_EVALUATED, cause=error.message, actual=None)
    except FloeError as error:
        cause = error.cause if isinstance(error, TableError) else TableCause.UNREADABLE
        said = f"The table cannot be read ({_CAUSES[cause]}): {error.message}"
        return replace(_availability(scene, "unavailable", False, said), actual=str(cause), expected="readable")
    return replace(_availability(scene, "unavailable", True, ""), actual="readable", expected="readable")


def _availability(scene: CheckContext, name: str, kept: bool, message: str) -> Outcome:
    return replace(_level(scene, name, "E561"), outcome=PASS if kept else FAIL, message=message)


def _level(scene: CheckContext, name: str, code: str) -> Outcome:
    return Outcome(
        id=f"{scene.dataset.name}:sla.{name}",
        code=code,
        name=name,
        field=scene.dataset.name,
        severity=Severity.ERROR,
        outcome=PASS,
        how="metadata",
    )


def _promised(scene: CheckContext) -> float | None:
    """The required availability, in percent."""
    for sla in scene.contract.sla:
        if level_name(sla.property) == "availability":
            try:
                read = parse_quantity(sla.value, sla.unit)
            except ValueError:
                continue
            return float(read.amount) * (100 if read.percent is None and read.amount <= 1 else 1)
    return None
