"""The commands and the receiver of docs/events.md, as a reader types them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa

from floe.events.alert import send_alert
from floe.model.alert_route import Route
from floe.model.notification import Notification
from tests.conftest import ROOT, run_shell
from tests.helpers.endpoint import endpoint
from tests.helpers.pages import fences
from tests.helpers.runs import CONTRACT

PAGE = fences(ROOT / "docs" / "events.md")


def test_the_commands_of_the_page_tell_of_a_run(tmp_path: Path):
    (tmp_path / "orders.yaml").write_text(CONTRACT)
    deltalake.write_deltalake(tmp_path / "lake" / "orders", pa.table({"order_id": pa.array([1, 2], pa.int64())}))
    (told,) = [fence for fence in PAGE if fence.words == ("sh", "events")]
    done = run_shell(f"set -e\n{told.text}", tmp_path)
    assert done.returncode == 0, done.stderr
    shown = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [event["eventType"] for event in shown] == ["START", "COMPLETE"]
    assert "0 waiting" in done.stdout


def test_the_receiver_of_the_page_takes_what_is_genuine_and_nothing_else():
    (receiver,) = [fence for fence in PAGE if fence.words == ("python", "receiver")]
    names: dict[str, Any] = {}
    exec(receiver.text, names)
    with endpoint() as server:
        notice = Notification.of(
            {"kind": "contract-violation"}, id_="n-1", at="2026-11-16T12:00:00.000Z", key="sales.shop/orders"
        )
        send_alert(notice, Route(to=server.url, secret="s3cret"), datetime.now(UTC))
        (got,) = server.got
    genuine = names["genuine"]
    assert genuine("s3cret", got.headers, got.body)
    assert not genuine("other", got.headers, got.body)
    assert not genuine("s3cret", got.headers, got.body + b" ")
    assert not genuine("s3cret", {**got.headers, "webhook-timestamp": "1000000000"}, got.body)
