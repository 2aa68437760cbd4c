"""A message to people as an alert of Prometheus' Alertmanager."""

from typing import Any

from floe.model.notification import Notification

_LABELS = ("contract", "version", "dataset", "code", "violation_type", "severity")


def alertmanager_alerts(notice: Notification) -> list[dict[str, Any]]:
    """A notification as the body of POST /api/v2/alerts; a resolved one ends the alert with the same labels."""
    labels = {name: str(notice.data[name]) for name in _LABELS if notice.data.get(name)}
    alert: dict[str, Any] = {
        "labels": {"alertname": "FloeContract", "kind": notice.kind, **labels},
        "annotations": {"summary": notice.title, "description": notice.message},
    }
    times = {"endsAt": notice.at} if notice.resolved else {"startsAt": notice.at}
    return [{**alert, **times}]
