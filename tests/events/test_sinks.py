"""Senders: what they write, and what they say where they cannot."""

import json
from pathlib import Path

import pytest

from floe.events.file import file_sender
from floe.model import SendError
from floe.model.outbox_message import Outgoing

MESSAGE = Outgoing(7, "notification", "sales.shop/orders", {"text": "línea\nzwei"}, "2026-11-16T12:00:00.000Z")


def test_a_message_is_one_line(tmp_path: Path):
    path = tmp_path / "below" / "told.jsonl"
    sender = file_sender(path)
    sender.send(MESSAGE)
    sender.send(MESSAGE)
    lines = path.read_text().splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0]) == {
        "id": 7,
        "at": "2026-11-16T12:00:00.000Z",
        "sink": "notification",
        "key": "sales.shop/orders",
        "payload": {"text": "línea\nzwei"},
    }


def test_half_a_line_of_a_killed_writer_harms_no_other(tmp_path: Path):
    path = tmp_path / "told.jsonl"
    path.write_text('{"id": 1}\n{"id": 2, "pay')
    file_sender(path).send(MESSAGE)
    lines = path.read_text().splitlines()
    assert lines[:2] == ['{"id": 1}', '{"id": 2, "pay']
    assert json.loads(lines[2])["id"] == 7


def test_a_path_that_is_a_folder_is_said(tmp_path: Path):
    with pytest.raises(SendError, match="cannot be written: Is a directory") as caught:
        file_sender(tmp_path).send(MESSAGE)
    assert not caught.value.permanent
