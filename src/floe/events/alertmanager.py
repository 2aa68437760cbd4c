"""Messages to Prometheus' Alertmanager."""

from datetime import datetime

from floe.events.alertmanager_payload import alertmanager_alerts
from floe.events.http import host, post
from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model.alert_route import Route
from floe.model.notification import Notification

_HEADERS = {"Content-Type": "application/json"}


def send_alertmanager(notice: Notification, route: Route, now: datetime) -> None:
    """POST a notice to alertmanager://host:port (http) or alertmanagers://host (https)."""
    del now  # a notice begins and ends when its incident did
    scheme, _, rest = route.to.partition("://")
    url = f"{'https' if scheme.lower() == 'alertmanagers' else 'http'}://{rest.rstrip('/')}/api/v2/alerts"
    post(
        url,
        dumps(with_variables_hidden(alertmanager_alerts(notice))).encode(),
        _HEADERS,
        name=f"Alertmanager {host(url)}",
    )
