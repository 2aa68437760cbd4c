"""The monitor's service, run by hand."""

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from floe.events.prometheus import Metrics
from floe.monitor.service import Service
from floe.registry import open_store
from tests.helpers.monitored import Clock, settings_of


def service_of(root: Path, clock: Clock, **given: object) -> Service:
    settings = settings_of(root, clock, **given)
    store = open_store(settings.registry.url, root)
    return Service(settings, store, Metrics(), monotonic=clock.monotonic)


def round_of(service: Service) -> None:
    """All that is due now, to its end."""
    service.step()
    while not service.idle:
        service.drain(10)
        service.step()


def numbers(service: Service, name: str) -> dict[str, float]:
    assert isinstance(service.metrics, Metrics)
    families = text_string_to_metric_families(service.metrics.text())
    return {s.labels.get("dataset", ""): s.value for family in families for s in family.samples if s.name == name}
