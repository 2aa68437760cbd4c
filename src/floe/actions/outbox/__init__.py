"""Outbox: list, send and retry messages."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.outbox.alerts import alert_sender, installed_sinks, notification_sender
from floe.model import FloeError, RegistryError, SendError
from floe.model.outbox_message import Sender
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store
    from floe.registry.outbox_worker import Round

_BUSY_SECONDS = 1.0


def list_outbox(settings: Settings, states: tuple[str, ...] = ("waiting", "dead"), limit: int = 50) -> dict[str, Any]:
    """The number of messages per state, and the messages in some states."""
    store = registry.find_store(settings.registry.url, settings.root)
    if store is None:
        return {"count": registry.outbox.Count().to_dict(), "messages": []}
    return {"count": registry.outbox.count(store).to_dict(), "messages": registry.outbox.messages(store, states, limit)}


def send_waiting(settings: Settings, seconds: float = 60, everything: bool = False) -> "Round":
    """Send what is due, or all that waits."""
    store = registry.find_store(settings.registry.url, settings.root)
    return _worker(store, settings).run(seconds, everything) if store else registry.outbox_worker.Round()


def send_due(settings: Settings, limit_seconds: float = 5) -> "Round":
    """Send due messages within a time limit; errors are returned, never raised."""
    from floe.system.timeout import call_with_timeout

    try:
        return call_with_timeout(lambda: _sent_after_others(settings, limit_seconds), limit_seconds + 1)
    except FloeError as error:
        return registry.outbox_worker.Round(said=[f"The outbox was not sent: {error.message}"])
    except (TimeoutError, OSError) as error:
        return registry.outbox_worker.Round(said=[f"The outbox was not sent: {error}"])


def _sent_after_others(settings: Settings, seconds: float) -> "Round":
    """Send what is due; a worker that is at it may have looked before our message was put, so it is waited for a moment."""
    ends = time.monotonic() + min(_BUSY_SECONDS, seconds)
    while (done := send_waiting(settings, seconds)).busy and time.monotonic() < ends:
        time.sleep(0.05)
    return done


def retry_message(settings: Settings, id_: int) -> None:
    """Let a dead message wait again, and a waiting one be tried at once."""
    store = registry.find_store(settings.registry.url, settings.root)
    if store is None:
        raise RegistryError(f"The outbox has no message {id_}", "The registry does not exist yet")
    registry.outbox.retry(store, id_, actor=settings.actor, at=stamp(settings.clock()))


def _worker(store: "Store", settings: Settings) -> Any:
    return registry.outbox_worker.OutboxWorker(store, _finder(settings, store), settings.clock)


def _finder(settings: Settings, store: "Store") -> Callable[[str], Sender | None]:
    """The senders by sink: floe's own, then those that packages bring (entry points of the group floe.sinks)."""
    from floe.events.lineage import lineage_sender

    transport = settings.lineage.transport
    own: Mapping[str, Sender] = {
        "catalog": registry.catalogs.catalog_sender(settings),
        "lineage": lineage_sender(transport, settings.lineage.url, settings.path(settings.lineage.path)),
        "notification": notification_sender(settings, store),
        "alert": alert_sender(settings, store),
    }
    known: dict[str, Sender | None] = dict(own)

    def find(sink: str) -> Sender | None:
        if sink not in known:
            known[sink] = _brought(sink, settings)
        return known[sink]

    return find


def _brought(sink: str, settings: Settings) -> Sender | None:
    """A sender of another package: its entry point is a function that takes the settings."""
    entry = next((entry for entry in installed_sinks() if entry.name == sink), None)
    if entry is None:
        return None
    try:
        return Sender(entry.load()(settings))
    except Exception as error:  # noqa: BLE001  (another's code: its messages wait, the others go on)
        return Sender(_broken(f"The sink '{sink}' ({entry.value}) cannot be used: {type(error).__name__}: {error}"))


def _broken(why: str) -> Callable[..., str | None]:
    def send(_: Any) -> str | None:
        raise SendError(why, "Repair or remove the package that provides it")

    return send
