"""Run the monitor: alone on its registry, until a signal ends it."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floe.model import RegistryError, SettingError
from floe.model.settings import Settings
from floe.monitor.service import Service

if TYPE_CHECKING:
    from floe.registry import Store

_STANDING_BY = 2.0  # seconds between two looks whether the other monitor is gone


@dataclass(slots=True)
class Run:
    """A service, and whether it stands by for another one."""

    service: Service
    say: Callable[[str], None]
    standing_by: bool = False

    @property
    def ready(self) -> bool:
        """Whether it watches."""
        return self.service.ready and not self.standing_by

    def health(self) -> dict[str, Any]:
        """How it is."""
        return {**self.service.health(), "standing_by": self.standing_by}

    def go(self, once: bool = False) -> None:
        """Watch until stopped, or everything once; where another watches: stand by, on SQLite refuse."""
        while not self.service.stopping.is_set():
            with _alone(self.service.store) as mine:
                if mine:
                    self._watch(once)
                    return
            if not self.service.store.postgresql or once:
                raise RegistryError(
                    "Another monitor watches with this registry", "Stop it first; replicas need PostgreSQL"
                )
            if not self.standing_by:
                self.standing_by = True
                self.say("· another monitor watches with this registry; standing by")
            self.service.stopping.wait(_STANDING_BY)

    def _watch(self, once: bool) -> None:
        if self.standing_by:
            self.standing_by = False
            self.say("· the other monitor is gone; watching")
        if not once:
            self.service.run()
            return
        while not self.service.stopping.wait(0.02):
            if self.service.step() > 0 and self.service.idle:
                return


@contextmanager
def _alone(store: "Store") -> Iterator[bool]:
    from floe.registry.one_worker import only_worker  # noqa: PLC0415  (SQLAlchemy is heavy)

    with only_worker(store, "monitor") as mine:
        yield mine


def check_mode(settings: Settings) -> None:
    """SettingError where the settings leave nothing to run."""
    if settings["data_contracts.enforcement"] == "off" or not settings["data_contracts.monitoring.enabled"]:
        raise SettingError(
            "The settings switch the monitor off",
            "Set data_contracts.monitoring.enabled to true, and data_contracts.enforcement to another level than off",
        )
    if settings["data_contracts.monitoring.mode"] == "on_demand":
        raise SettingError(
            "data_contracts.monitoring.mode is on_demand, so nothing runs by itself",
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
