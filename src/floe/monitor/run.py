"""Run the monitor: alone on its registry or one of several replicas, until a signal ends it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from floe import registry
from floe.model import RegistryError, SettingError
from floe.monitor.service import Scheduler, Service
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


def watch_on(service: Service, once: bool = False) -> None:
    """Watch until stopped, or everything once; replicas on PostgreSQL share the work, on SQLite a second one is refused."""
    if service.store.postgresql:
        if not once:
            service.slots = _shared(service.store)
        _watch(service, once)
        return
    with _alone(service.store) as mine:
        if not mine:
            raise RegistryError("Another monitor runs with this registry", "Stop it first. Replicas require PostgreSQL")
        _watch(service, once)


def _watch(service: Service, once: bool) -> None:
    if not once:
        service.run()
        return
    while not service.stopping.wait(0.02):
        if service.step() > 0 and service.idle:
            return


def _shared(store: "Store") -> Scheduler:
    return registry.leases.SharedLeases(store)


@contextmanager
def _alone(store: "Store") -> Iterator[bool]:
    with registry.worker_lock.only_worker(store, "monitor") as mine:
        yield mine


def check_mode(settings: Settings) -> None:
    """SettingError where the settings leave nothing to run."""
    if settings.data_contracts.enforcement == "off" or not settings.data_contracts.monitoring.enabled:
        raise SettingError(
            "The monitor is disabled in the settings",
            "Set data_contracts.monitoring.enabled to true, and data_contracts.enforcement to another level than off",
        )
    if settings.data_contracts.monitoring.mode == "on_demand":
        raise SettingError(
            "data_contracts.monitoring.mode is on_demand, so no checks are scheduled",
            "Use floe monitor check, or set the mode to scheduled or continuous",
        )


@contextmanager
def until_told(service: Service) -> Iterator[None]:
    """Let SIGTERM and Ctrl-C end the service in good order."""

    def stop(*_: object) -> None:
        service.stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
