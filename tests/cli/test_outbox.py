"""`floe outbox`, as a user runs it."""

import json
from pathlib import Path

import pytest

from floe.actions.load.settings import load_settings
from floe.cli import main
from floe.registry import open_store, outbox
from floe.registry.catalogs import catalog_message, listed

AT = "2026-11-16T00:00:00.000Z"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(sink: str, key: str = "sales.shop/orders") -> None:
    settings = load_settings()
    with open_store(settings.registry.url, settings.root).begin(writes=True) as connection:
        outbox.put(connection, sink=sink, key=key, payload={"text": "orders 2.0.0 is coming"}, at=AT)


def test_without_a_registry_nothing_waits_and_nothing_is_made(home: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["outbox"]) == 0
    assert capsys.readouterr().out == "Outbox: 0 waiting, 0 dead, 0 sent\n"
    assert main(["outbox", "send"]) == 0
    assert capsys.readouterr().out == "✓ 0 messages sent\n"
    assert main(["outbox", "retry", "1"]) == 2
    assert "The outbox has no message 1" in capsys.readouterr().err
    assert list(home.iterdir()) == []


def test_list_send_and_where_notifications_go(home: Path, capsys: pytest.CaptureFixture[str]):
    put("notification")
    assert main(["outbox", "list"]) == 0
    assert capsys.readouterr().out == (
        "Outbox: 1 waiting, 0 dead, 0 sent\n"
        "id  sink          key                state    attempts  put (UTC)            next try (UTC)\n"
        "1   notification  sales.shop/orders  waiting  0         2026-11-16 00:00:00  2026-11-16 00:00:00\n"
    )
    assert main(["outbox", "send"]) == 0
    assert capsys.readouterr().out == "✓ 1 message sent\n"
    (line,) = (home / ".floe" / "notifications.jsonl").read_text().splitlines()
    assert json.loads(line)["payload"] == {"text": "orders 2.0.0 is coming"}
    assert main(["outbox", "--state", "sent", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["count"] == {"waiting": 0, "sent": 1, "dead": 0, "dropped": 0, "next_at": None}
    assert [(one["id"], one["state"], one["attempts"]) for one in said["messages"]] == [(1, "sent", 1)]


def test_the_notifications_path_is_a_setting(home: Path):
    (home / "manifest.yaml").write_text("notifications: {path: told/people.jsonl}\n")
    put("notification")
    assert main(["outbox", "send"]) == 0
    assert (home / "told" / "people.jsonl").is_file()


def test_a_dead_message_is_shown_with_its_reason_and_can_be_tried_again(capsys: pytest.CaptureFixture[str]):
    put("pigeon")
    assert main(["outbox", "send"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("! 0 messages sent, 1 dead\n    Unknown sink 'pigeon'. ")
    assert out.endswith("message 1 is dead (`floe outbox retry 1`)\n")
    assert main(["outbox"]) == 0
    out = capsys.readouterr().out
    assert "1   pigeon  sales.shop/orders  dead   1         2026-11-16 00:00:00  –\n    Unknown sink" in out
    assert main(["outbox", "retry", "1"]) == 1
    assert capsys.readouterr().out.startswith("! 0 messages sent, 1 dead\n")


def test_what_is_to_be_tried_later_is_sent_at_once_with_now(home: Path, capsys: pytest.CaptureFixture[str]):
    (home / ".floe" / "notifications.jsonl").mkdir(parents=True)
    put("notification")
    assert main(["outbox", "send"]) == 1
    assert "cannot be written: Is a directory" in capsys.readouterr().out
    (home / ".floe" / "notifications.jsonl").rmdir()
    assert main(["outbox", "send", "--now", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["sent"] == 1


def test_a_message_to_another_catalog_is_sent_by_retry_once_the_settings_know_it(
    home: Path, capsys: pytest.CaptureFixture[str]
):
    row = {"contract_id": "sales.shop/orders", "domain": "sales", "product": "shop", "name": "orders"}
    version = {"version": "1.0.0", "schema_hash": "sha256:1", "effective_hash": "sha256:e"}
    settings = load_settings()
    with open_store(settings.registry.url, settings.root).begin(writes=True) as connection:
        outbox.put(connection, **catalog_message("lake", row, version, at=AT), at=AT)
    assert main(["outbox", "send"]) == 1
    assert "FLOE-E540: No catalog is called 'lake' (known: ice)" in capsys.readouterr().out
    (home / "manifest.yaml").write_text("catalogs: {lake: {type: sql, uri: 'sqlite:///lake.db'}}\n")
    assert main(["outbox", "retry", "1"]) == 0
    assert capsys.readouterr().out == "✓ 1 message sent\n"
    assert [one.contract_id for one in listed(load_settings())] == ["sales.shop/orders"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["retry"], "`floe outbox retry` takes message ids"),
        (["list", "3"], "`floe outbox list` takes no ids"),
        (["retry", "99"], "no message 99"),
    ],
)
def test_wrong_ids_are_said(words: list[str], says: str, capsys: pytest.CaptureFixture[str]):
    put("pigeon")
    assert main(["outbox", *words]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("id_", ["x", "0", "-1", "1.5", "²"])
def test_an_id_is_a_number(id_: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        main(["outbox", "retry", id_])
    assert caught.value.code == 2


def test_a_registry_out_of_reach_is_said(home: Path, capsys: pytest.CaptureFixture[str]):
    (home / "manifest.yaml").write_text("registry: {url: 'postgresql://me:hunter2@127.0.0.1:9/x'}\n")
    for words in ([], ["send"], ["retry", "1"]):
        assert main(["outbox", *words]) == 2
        said = capsys.readouterr().err
        assert "FLOE-E542" in said
        assert "hunter2" not in said


def test_doctor_tells_of_waiting_and_dead_messages(capsys: pytest.CaptureFixture[str]):
    put("notification")
    put("pigeon")
    main(["outbox", "send"])
    put("notification")
    capsys.readouterr()
    main(["doctor", "--format", "json"])
    checks = {one["name"]: one["said"] for one in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["registry"].endswith("schema up to date; outbox: 1 waiting, 1 dead (`floe outbox`)")
