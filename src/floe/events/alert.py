"""Which sender an alert's address names."""

from collections.abc import Callable
from datetime import datetime

from floe.events.alertmanager import send_alertmanager
from floe.events.apprise import known_service, send_apprise
from floe.events.webhook import send_webhook
from floe.model.alert_route import Route
from floe.model.notification import Notification

# a scheme that floe does not know belongs to apprise
CHANNELS: dict[str, Callable[[Notification, Route, datetime], None]] = {
    "http": send_webhook,
    "https": send_webhook,
    "alertmanager": send_alertmanager,
    "alertmanagers": send_alertmanager,
}


def send_alert(notice: Notification, route: Route, now: datetime) -> None:
    """Send a notice to a target, now; SendError where it was not taken."""
    CHANNELS.get(route.scheme, send_apprise)(notice, route, now)


def check_route(route: Route) -> str | None:
    """Why a target cannot be used, as far as that shows without sending; SendError of apprise."""
    if route.scheme not in CHANNELS:
        known_service(route)
    elif CHANNELS[route.scheme] is send_webhook and not route.secret:
        return f"The webhook of {route.scheme}:// has no 'secret' to sign with"
    return None
