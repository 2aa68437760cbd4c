"""Messages to chats and mail boxes, by the addresses of apprise: slack://, mailto://, msteams://, …"""

import logging
from datetime import datetime
from typing import Any

from floe.model import SendError, Severity
from floe.model.alert_route import Route
from floe.model.notification import Notification

_KINDS = {Severity.INFO: "info", Severity.WARNING: "warning", Severity.ERROR: "failure", Severity.CRITICAL: "failure"}


def send_apprise(notice: Notification, route: Route, now: datetime) -> None:
    """Send a notice as title and text."""
    del now  # the services add the time of a message themselves
    service = known_service(route)
    kind = "success" if notice.resolved else _KINDS[notice.severity]
    if not service.notify(title=notice.title, body=_body(notice), notify_type=kind):
        raise SendError(f"{route.scheme}:// did not accept the message", reachable=False)


def known_service(route: Route) -> Any:
    """The service behind an address; SendError where apprise is missing or knows no such address."""
    logging.getLogger("apprise").addHandler(logging.NullHandler())  # else it prints addresses, and those open doors
    try:
        from apprise import Apprise  # noqa: PLC0415  (0.3 s, and an extra of its own)
    except ImportError:
        raise SendError(
            f"Alerts to {route.scheme}:// need apprise", "pip install 'floe-contracts[alerts]'", reachable=False
        ) from None
    service = Apprise()
    if not service.add(route.to):
        raise SendError(
            f"The alert target {route.scheme}:// is not known to floe or apprise",
            "Use https:// (webhook), alertmanager://, or one of https://github.com/caronc/apprise/wiki",
            permanent=True,
        )
    return service


def _body(notice: Notification) -> str:
    facts = [
        f"{name}: {notice.data[name]}" for name in ("element", "expected", "actual", "run_id") if name in notice.data
    ]
    support = notice.data.get("support") or ()
    asked = [f"ask: {', '.join(map(str, support))}"] if isinstance(support, (list, tuple)) and support else []
    return "\n".join((notice.message, *facts, *asked))
