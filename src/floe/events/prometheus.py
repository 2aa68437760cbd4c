"""Metrics for Prometheus: what was seen last, and how often something was wrong."""

import hashlib
import threading
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from floe.model.monitor_check import CheckRun, MonitorCheck
from floe.model.result import FAIL, NOT_EVALUATED

Labels = tuple[str, str, str]  # contract, version, dataset
_LABELS = ("contract", "version", "dataset")
_LONGEST = 200  # characters of a label
_GAUGES = {
    "floe_contract_freshness_hours": "Age of the newest data, in hours",
    "floe_contract_availability_up": "Whether the last probe could read the table (1) or not (0)",
    "floe_contract_quality_score": "Weighted share of good rows, 0 to 100",
    "floe_contract_schema_drift_detected": "Whether the table's schema differs from the contract (1) or not (0)",
}


class Metrics:
    """The metrics of one process; gauges are of the last check, counters only grow."""

    def __init__(self) -> None:
        self._gauges: dict[str, dict[Labels, float]] = {name: {} for name in _GAUGES}
        self._violations: dict[tuple[str, ...], int] = {}
        self._errors: dict[Labels, int] = {}
        self._durations: dict[Labels, tuple[int, float]] = {}
        self._counts = {"skipped": 0, "clock_skew": 0}
        self._lock = threading.Lock()

    def take(self, watch: CheckRun) -> None:
        """Add the outcomes of a check."""
        labels = _bounded((watch.contract, watch.version, watch.dataset))
        with self._lock:
            if watch.retired:
                self._drop({labels})
            if watch.error or any(check.outcome.outcome == NOT_EVALUATED for check in watch.checks):
                self._errors[labels] = self._errors.get(labels, 0) + 1
            self._gauged(labels, {} if watch.retired else seen(watch))
            count, total = self._durations.get(labels, (0, 0.0))
            self._durations[labels] = (count + 1, total + watch.seconds)
            self._counts["clock_skew"] += sum(note.startswith("clock_skew") for note in watch.notes)
            for check in watch.checks:
                if check.outcome.outcome == FAIL:
                    key = (*labels, *_more(check))
                    self._violations[key] = self._violations.get(key, 0) + 1

    def skip(self) -> None:
        """Count a check that was skipped because the previous one was still running."""
        with self._lock:
            self._counts["skipped"] += 1

    def keep(self, known: Collection[Labels]) -> None:
        """Remove the gauges of contracts that are no longer monitored."""
        with self._lock:
            here = {labels for series in self._gauges.values() for labels in series}
            self._drop(here - {_bounded(labels) for labels in known})

    def text(self) -> str:
        """All of it in Prometheus's text format."""
        registry = CollectorRegistry(auto_describe=False)
        with self._lock:
            registry.register(_Listed(list(self._families())))
        return generate_latest(registry).decode()

    def _drop(self, gone: Collection[Labels]) -> None:
        for series in self._gauges.values():
            for labels in gone:
                series.pop(labels, None)

    def _gauged(self, labels: Labels, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._gauges[name][labels] = value

    def _families(self) -> Iterator[Metric]:
        for name, about in _GAUGES.items():
            gauge = GaugeMetricFamily(name, about, labels=_LABELS)
            for labels, value in self._gauges[name].items():
                gauge.add_metric(labels, value)
            yield gauge
        wrong = CounterMetricFamily(
            "floe_contract_violations", "Violations found", labels=(*_LABELS, "code", "type", "severity")
        )
        for key, number in self._violations.items():
            wrong.add_metric(key, number)
        yield wrong
        errors = CounterMetricFamily(
            "floe_contract_check_errors", "Checks that could not evaluate all expectations", labels=_LABELS
        )
        for labels, number in self._errors.items():
            errors.add_metric(labels, number)
        yield errors
        lasted = SummaryMetricFamily(
            "floe_contract_check_duration_seconds", "Duration of checks, in seconds", labels=_LABELS
        )
        for labels, (count, total) in self._durations.items():
            lasted.add_metric(labels, count, total)
        yield lasted
        yield CounterMetricFamily(
            "floe_monitor_skipped", "Checks skipped because the previous one was still running", self._counts["skipped"]
        )
        yield CounterMetricFamily(
            "floe_monitor_clock_skew", "Tables whose newest timestamp is in the future", self._counts["clock_skew"]
        )


class _Listed(Collector):
    """Metrics as they are."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def seen(watch: CheckRun) -> dict[str, float]:
    """The gauges of a check; outcomes that were not evaluated set none, but a failed check is no sign of life."""
    by_kind: dict[str, list[MonitorCheck]] = {}
    for check in watch.checks:
        by_kind.setdefault(check.kind, []).append(check)
    found: dict[str, Any] = {
        "floe_contract_freshness_hours": max(_values(by_kind.get("freshness", ())), default=None),
        "floe_contract_availability_up": min(_values(by_kind.get("availability", ())[:1]), default=None),
        "floe_contract_quality_score": watch.score,
    }
    drift = [check.outcome for check in by_kind.get("schema_drift", ())]
    if drift and not any(outcome.code == "E580" for outcome in drift):
        found["floe_contract_schema_drift_detected"] = any(outcome.outcome == FAIL for outcome in drift)
    return {name: float(value) for name, value in found.items() if value is not None}


def _bounded(labels: Labels) -> Labels:
    """Labels that a scrape accepts, however long or strange a name is; two long ones differ by a part of their hash."""
    contract, version, dataset = (_label(text) for text in labels)
    return contract, version, dataset


def _label(text: str) -> str:
    data = text.encode("utf-8", "replace")
    whole = data.decode()
    return whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 9]}…{hashlib.sha256(data).hexdigest()[:8]}"


def _values(checks: Collection[MonitorCheck]) -> list[float]:
    return [check.value for check in checks if check.value is not None]


def _more(check: MonitorCheck) -> tuple[str, str, str]:
    return f"FLOE-{check.outcome.code}", check.type, str(check.level or check.outcome.severity)
