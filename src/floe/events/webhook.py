"""Messages to a webhook: CloudEvents, signed as the Standard Webhooks specification has it."""

import base64
import binascii
import hashlib
import hmac
from datetime import datetime

from floe.events.cloud_event import cloud_event
from floe.events.http import host, post
from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model import SendError
from floe.model.alert_route import Route
from floe.model.notification import Notification

_BASE64 = "whsec_"  # begins a secret that is written in base64


def send_webhook(notice: Notification, route: Route, now: datetime) -> None:
    """POST a notice with its id, the time of sending and the signature over both and the body."""
    if not route.secret:
        raise SendError(
            f"The webhook {host(route.to)} has no secret to sign with", "Give the alert a 'secret'", reachable=False
        )
    body = dumps(with_variables_hidden(cloud_event(notice))).encode()
    sent = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/cloudevents+json; charset=utf-8",
        "webhook-id": notice.id,
        "webhook-timestamp": sent,
        "webhook-signature": signature(route.secret, notice.id, sent, body),
    }
    post(route.to, body, headers, name=f"The webhook {host(route.to)}")


def signature(secret: str, id_: str, sent: str, body: bytes) -> str:
    """HMAC-SHA256 over id, time and body, which a receiver makes again and compares."""
    signed = f"{id_}.{sent}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode()


def _key(secret: str) -> bytes:
    if secret.startswith(_BASE64):
        try:
            return base64.b64decode(secret.removeprefix(_BASE64), validate=True)
        except binascii.Error:
            raise SendError(
                "The secret of a webhook begins with whsec_ but is not base64",
                "Correct the alert's 'secret'",
                permanent=True,
            ) from None
    return secret.encode()
