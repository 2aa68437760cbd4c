"""A message to people as a CloudEvent."""

from typing import Any

from floe.model.notification import Notification


def cloud_event(notice: Notification, source: str = "/floe") -> dict[str, Any]:
    """A notice as CloudEvents 1.0 has it; sent twice it has the same id."""
    return {
        "specversion": "1.0",
        "id": notice.id,
        "source": source,
        "type": f"dev.floe.{notice.kind}",
        "subject": notice.contract,
        "time": notice.at,
        "datacontenttype": "application/json",
        "data": dict(notice.data),
    }
