"""Senders over HTTP: what an answer means, what is signed, what is never told."""

import base64
import hashlib
import hmac
import json
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from floe.events.alert import check_route, send_alert
from floe.events.lineage import lineage_sender
from floe.model import SendError, Severity
from floe.model.alert_route import Route, read_routes
from floe.model.notification import Notification
from floe.model.outbox_message import Outgoing
from tests.helpers.endpoint import Endpoint, endpoint
from tests.helpers.proxy import proxied

AT = "2026-11-16T12:00:00.000Z"
SENT = datetime.fromtimestamp(1794830400, UTC)
EVENT = Outgoing(1, "lineage", "r1", {"eventType": "START", "name": "é"}, AT)
PAYLOAD = {
    "kind": "contract-violation",
    "contract": "sales.shop/orders",
    "version": "1.2.0",
    "dataset": "orders",
    "code": "FLOE-E560",
    "severity": "error",
    "message": "Data is 30 h old",
    "samples": [{"email": "ada@acme.com"}],
    "consumers": [{"contact": "bob@acme.com"}],
}
NOTICE = Notification.of(PAYLOAD, id_="n-1", at=AT, key="sales.shop/orders")


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with endpoint() as made:
        yield made


def sent(url: str, seconds: float = 5) -> SendError | None:
    try:
        lineage_sender("http", url, Path(), seconds).send(EVENT)
    except SendError as error:
        return error
    return None


def test_an_event_is_posted_as_it_is(server: Endpoint):
    assert sent(server.url) is None
    assert sent(f"http://me:p%40w@127.0.0.1:{server.port}/other/path") is None
    first, second = server.got
    assert (first.path, first.json, first.headers["content-type"]) == (
        "/api/v1/lineage",
        EVENT.payload,
        "application/json",
    )
    assert (second.path, second.headers["authorization"]) == (
        "/other/path",
        "Basic " + base64.b64encode(b"me:p@w").decode(),
    )


@pytest.mark.parametrize(
    ("answer", "permanent"),
    [(400, True), (401, True), (404, True), (422, True), (408, False), (429, False), (500, False), (503, False)],
)
def test_what_an_answer_means(server: Endpoint, answer: int, permanent: bool):
    server.answers = [answer]
    error = sent(server.url)
    assert error
    assert (error.permanent, error.reachable) == (permanent, permanent)
    assert error.message.startswith(f"The OpenLineage endpoint {server.url} answers {answer}")


@pytest.mark.parametrize("answer", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: Endpoint, answer: int):
    server.answers, server.headers = [answer, 200], {"Location": f"{server.url}/admin?token=abc"}
    error = sent(server.url)
    assert error
    assert error.permanent
    assert f"redirect to {server.url}, which is not followed" in error.message
    assert len(server.got) == 1


def test_an_endpoint_that_refuses_resets_or_stalls_is_out_of_reach(server: Endpoint):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    errors = [sent(f"http://127.0.0.1:{port}")]
    with proxied(server.port, "reset") as proxy:
        errors.append(sent(f"http://127.0.0.1:{proxy.port}"))
    server.answers = ["stall"]
    started = time.monotonic()
    errors.append(sent(server.url, seconds=0.3))
    assert time.monotonic() - started < 2
    assert [(error.permanent, error.reachable) for error in errors if error] == [(False, False)] * 3
    causes = [error.message.partition(" is out of reach: ")[2] for error in errors if error]
    assert (causes[0], causes[2]) == ("Connection refused", "no answer in time")
    assert causes[1]  # reset, broken pipe or closed: by when it comes


def test_passwords_and_paths_of_an_address_are_not_said():
    error = sent("http://me:pw@127.0.0.1:1/T0/secret")
    assert error
    assert error.message == "The OpenLineage endpoint http://127.0.0.1:1 is out of reach: Connection refused"


@pytest.mark.parametrize("url", ["", "ftp://x", "file:///etc/passwd", "http://"])
def test_what_is_no_address_of_http_is_said(url: str):
    error = sent(url)
    assert error
    assert "lineage.url is empty" in error.message or "an address that starts with http:// or https://" in error.message


def test_the_console_gets_events_on_the_error_stream(capsys: pytest.CaptureFixture[str]):
    lineage_sender("console", "", Path()).send(EVENT)
    shown = capsys.readouterr()
    assert (shown.out, json.loads(shown.err)) == ("", EVENT.payload)


def test_the_file_holds_events_alone(tmp_path: Path):
    lineage_sender("file", "", tmp_path / "x" / "events.jsonl").send(EVENT)
    assert json.loads((tmp_path / "x" / "events.jsonl").read_text()) == EVENT.payload
    with pytest.raises(SendError, match=r"set lineage\.path to another") as caught:
        lineage_sender("file", "", tmp_path).send(EVENT)
    assert caught.value.message.endswith("Is a directory")


@pytest.mark.parametrize(("secret", "key"), [("s3cret", b"s3cret"), ("whsec_AAECAw==", bytes([0, 1, 2, 3]))])
def test_a_webhook_is_a_cloud_event_and_signed(server: Endpoint, secret: str, key: bytes):
    send_alert(NOTICE, Route(to=f"{server.url}/hook", secret=secret), SENT)
    (got,) = server.got
    assert got.headers["content-type"] == "application/cloudevents+json; charset=utf-8"
    assert got.json == {
        "specversion": "1.0",
        "id": "n-1",
        "source": "/floe",
        "type": "dev.floe.contract-violation",
        "subject": "sales.shop/orders",
        "time": AT,
        "datacontenttype": "application/json",
        "data": {
            "kind": "contract-violation",
            "contract": "sales.shop/orders",
            "version": "1.2.0",
            "dataset": "orders",
            "code": "FLOE-E560",
            "violation_type": "freshness_violation",
            "severity": "error",
            "message": "Data is 30 h old",
        },
    }
    stamped = got.headers["webhook-timestamp"]
    assert stamped == "1794830400"  # the moment of sending, not that of the notice
    signed = b"n-1." + stamped.encode() + b"." + got.body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert (got.headers["webhook-id"], got.headers["webhook-signature"]) == ("n-1", f"v1,{digest}")


def test_a_webhook_without_a_secret_is_not_sent(server: Endpoint):
    with pytest.raises(SendError, match="has no secret to sign with"):
        send_alert(NOTICE, Route(to=server.url), SENT)
    assert server.got == []


def test_a_webhook_that_redirects_to_a_private_address_is_refused(server: Endpoint):
    server.answers, server.headers = [307, 200], {"Location": "http://169.254.169.254/latest/meta-data"}
    with pytest.raises(SendError, match=r"redirect to http://169\.254\.169\.254, which is not followed") as caught:
        send_alert(NOTICE, Route(to=server.url, secret="s"), SENT)
    assert caught.value.permanent


def test_alertmanager_gets_an_alert_and_its_end(server: Endpoint):
    route = Route(to=f"alertmanager://127.0.0.1:{server.port}/")
    send_alert(NOTICE, route, SENT)
    send_alert(Notification.of({**PAYLOAD, "status": "resolved"}, id_="n-2", at=AT, key="x"), route, SENT)
    first, second = server.got
    labels = {
        "alertname": "FloeContract",
        "kind": "contract-violation",
        "contract": "sales.shop/orders",
        "version": "1.2.0",
        "dataset": "orders",
        "code": "FLOE-E560",
        "violation_type": "freshness_violation",
        "severity": "error",
    }
    notes = {"summary": "error FLOE-E560 sales.shop/orders 1.2.0", "description": "Data is 30 h old"}
    assert (first.path, first.json) == ("/api/v2/alerts", [{"labels": labels, "annotations": notes, "startsAt": AT}])
    assert second.json[0]["labels"] == labels
    assert (second.json[0]["endsAt"], "startsAt" in second.json[0]) == (AT, False)


def test_apprise_sends_what_is_not_ours(server: Endpoint):
    send_alert(NOTICE, Route(to=f"json://127.0.0.1:{server.port}/chat"), SENT)
    (got,) = server.got
    assert (got.path, got.json["title"], got.json["type"]) == (
        "/chat",
        "error FLOE-E560 sales.shop/orders 1.2.0",
        "failure",
    )
    assert got.json["message"] == "Data is 30 h old"
    server.answers = [500]
    with pytest.raises(SendError, match="json:// did not accept the message") as caught:
        send_alert(NOTICE, Route(to=f"json://127.0.0.1:{server.port}/chat"), SENT)
    assert not caught.value.permanent


def test_an_unknown_scheme_is_said_and_never_asked_again(capsys: pytest.CaptureFixture[str]):
    for ask in (
        lambda: send_alert(NOTICE, Route(to="pigeon://t0ken@x"), SENT),
        lambda: check_route(Route(to="pigeon://t0ken@x")),
    ):
        with pytest.raises(SendError, match="The alert target pigeon:// is not known to floe or apprise") as caught:
            ask()
        assert caught.value.permanent
        assert "t0ken" not in str(caught.value)
    shown = capsys.readouterr()
    assert "t0ken" not in shown.out + shown.err


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("slack://x", "it is not a mapping with the key 'to'"),
        ({}, "'to' is not an address such as slack://…, mailto://…, https://… or alertmanager://…"),
        ({"to": "me"}, "'to' is not an address such as slack://…, mailto://…, https://… or alertmanager://…"),
        ({"to": "slack://x", "severity": "loud"}, "severity 'loud' is not one of info, warning, error, critical"),
        ({"to": "slack://x", "contracts": "sales.*"}, "'contracts' is not a list of patterns such as [\"sales.*\"]"),
        ({"to": "slack://x", "per_minute": 0}, "'per_minute' is not a number above 0"),
        ({"to": "slack://x", "Secret": "x"}, "'Secret' is not one of to, severity, contracts, secret, per_minute"),
    ],
)
def test_what_is_wrong_with_an_alert_is_said_and_the_others_hold(entry: object, said: str):
    routes, wrong = read_routes([entry, {"to": "slack://y"}])
    assert [route.to for route in routes] == ["slack://y"]
    assert wrong == (f"alerts, entry 1: {said}",)


def test_alerts_go_by_severity_and_contract():
    (route,), _ = read_routes([{"to": "slack://x", "severity": "error", "contracts": ["sales.*", "silver.hr.*"]}])
    asked = {
        ("sales.shop/orders", None, "error"): True,
        ("sales.shop/orders", None, "critical"): True,
        ("sales.shop/orders", None, "warning"): False,
        ("hr.people/staff", None, "error"): False,
        ("hr.people/staff", "silver.hr.staff", "error"): True,
    }
    for (contract, table, severity), wanted in asked.items():
        payload = {"contract": contract, "table": table, "severity": severity}
        assert route.takes(Notification.of(payload, id_="1", at=AT, key="")) is wanted


def test_a_notice_without_severity_is_as_bad_as_its_code():
    assert Notification.of({"code": "FLOE-E570"}, id_="1", at=AT, key="a").severity is Severity.WARNING
    assert Notification.of({"kind": "contract-revived"}, id_="1", at=AT, key="a").severity is Severity.INFO
