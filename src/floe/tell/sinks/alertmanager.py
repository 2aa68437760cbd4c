"""Messages to Prometheus' Alertmanager."""

from floe.model.json_text import dumps
from floe.model.notice import Notice
from floe.model.route import Route
from floe.model.secret import covered
from floe.tell.report.alertmanager import alertmanager_alerts
from floe.tell.sinks.http import host, post

_HEADERS = {"Content-Type": "application/json"}


def send_alertmanager(notice: Notice, route: Route) -> None:
    """POST a notice to alertmanager://host:port (http) or alertmanagers://host (https)."""
    scheme, _, rest = route.to.partition("://")
    url = f"{'https' if scheme.lower() == 'alertmanagers' else 'http'}://{rest.rstrip('/')}/api/v2/alerts"
    post(url, dumps(covered(alertmanager_alerts(notice))).encode(), _HEADERS, name=f"Alertmanager {host(url)}")
