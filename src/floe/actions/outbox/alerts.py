"""Alerts: messages to people, to each target that the settings name for them."""

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.model import SendError, Severity
from floe.model.alert_route import Route, read_routes
from floe.model.notification import Notification
from floe.model.outbox_message import Outgoing, Sender
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store

ALERT = "alert"
_GROUP = "floe.sinks"


def installed_sinks() -> list[EntryPoint]:
    """The sinks that installed packages bring, by their entry points."""
    return sorted(entry_points(group=_GROUP), key=lambda entry: entry.name)


def notification_sender(settings: Settings, store: "Store") -> Sender:
    """Write each notification to its file, and put an alert for each target that takes it into the outbox."""
    from floe.events.file import file_sender

    file = file_sender(settings.path(settings.notifications.path))
    routes, wrong = read_routes(settings.alerts)

    def send(message: Outgoing) -> str | None:
        file.send(message)
        if message.payload.get("consumers"):
            _noted(store, message, stamp(settings.clock()))
        _fan_out(store, message, routes, stamp(settings.clock()))
        return f"{'; '.join(wrong)} (`floe doctor`)" if wrong else None

    return Sender(send)


def _noted(store: "Store", message: Outgoing, now: str) -> None:
    """Record that consumers were notified, for the key figures, which outlive the outbox."""
    registry.figures.keep_notification(store, message.payload, at=now)


def _fan_out(store: "Store", message: Outgoing, routes: tuple[Route, ...], now: str) -> None:
    """One message per target and installed sink, so that each is tried again by itself; its id is the same however often this is done."""
    id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, f"floe:{message.key}:{message.id}:{message.at}"))
    notice = Notification.of(message.payload, id_=id_, at=message.at, key=message.key)
    taking = [route for route in routes if route.takes(notice)]
    sinks = installed_sinks()
    if not taking and not sinks:
        return
    with store.begin(writes=True) as connection:
        for sink in sinks:
            payload = {"notice": id_, "at": message.at, **notice.data}
            registry.outbox.put(connection, sink=sink.name, key=notice.contract, payload=payload, at=now)
        for route in taking:
            payload = {"route": route.id, "notice": id_, "at": message.at, **notice.data}
            registry.outbox.put(connection, sink=ALERT, key=f"{route.id}:{notice.contract}", payload=payload, at=now)


def alert_sender(settings: Settings, store: "Store") -> Sender:
    """Send an alert to its target, as often a minute as the target takes."""
    from floe.events.alert import send_alert

    routes = {route.id: route for route in read_routes(settings.alerts)[0]}

    def send(message: Outgoing) -> str | None:
        route, payload = _route(routes, message.payload), message.payload
        notice = Notification.of(payload, id_=payload["notice"], at=payload["at"], key=message.key)
        _slowly(store, route, notice, settings.clock())
        send_alert(notice, route, settings.clock())
        return None

    return Sender(send, place=_place)


def _place(message: Outgoing) -> str:
    """A target, for alerts as bad as this one: what had to wait keeps nothing worse waiting."""
    return f"{message.payload['route']} {message.payload.get('severity')}"


def _route(routes: Mapping[str, Route], payload: Mapping[str, Any]) -> Route:
    route = routes.get(payload["route"])
    if route is None:
        raise SendError("The target of this message is no longer in the alert settings", permanent=True)
    return route


def _slowly(store: "Store", route: Route, notice: Notification, now: datetime) -> None:
    """Leave a target alone that had its share: what is too much waits, nothing is lost; what is worse always passes."""
    before = stamp(now - timedelta(minutes=1))
    had = registry.outbox.sent_since(store, ALERT, f"{route.id}:", before)
    if len(had) >= route.per_minute and notice.severity <= max(Severity.of(row["severity"]) for row in had):
        raise SendError(f"{route.scheme}:// reached its limit of {route.per_minute} alerts per minute", reachable=False)


def alert_faults(settings: Settings) -> list[str]:
    """What keeps alerts from being sent, as far as that shows without sending."""
    from floe.events.alert import check_route

    routes, wrong = read_routes(settings.alerts)
    found = list(wrong)
    for route in routes:
        try:
            fault = check_route(route)
        except SendError as error:
            fault = f"{error.message}. {error.suggestion}"
        found += [fault] if fault else []
    return found
