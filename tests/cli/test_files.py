"""Odd files and places through the command: each is said, none is a fault of floe's, nothing waits for ever."""

import os
from pathlib import Path

import pytest

from floe.cli import main

_GOOD = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:orders
name: orders
version: 1.0.0
status: active
domain: sales
dataProduct: shop
"""


@pytest.fixture(autouse=True)
def _stand_in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text(_GOOD, "utf-8")


def test_a_link_that_leads_to_itself_is_unreadable(capsys):
    Path("loop.yaml").symlink_to("loop.yaml")
    assert main(["lint", "."]) == 1
    said = capsys.readouterr()
    assert "FLOE-E509: loop.yaml cannot be read: too many levels of symbolic links" in said.out
    assert said.err == ""


def test_a_link_that_leads_to_itself_can_be_known(capsys):
    Path("loop.yaml").symlink_to("loop.yaml")
    assert main(["lint", ".", "--write-baseline", "known.json"]) == 0
    assert main(["lint", ".", "--baseline", "known.json"]) == 0


def test_a_pipe_in_a_folder_is_no_contract(capsys):
    os.mkfifo("pipe.yaml")
    assert main(["lint", "."]) == 0
    assert capsys.readouterr().out == "✓ 1 file: no error, no warning\n"


def test_a_device_without_end_is_too_large(capsys):
    assert main(["lint", "/dev/zero"]) == 1
    assert "FLOE-E509: /dev/zero has more than 268,435,456 bytes" in capsys.readouterr().out


def test_an_empty_path_is_not_this_folder(capsys):
    assert main(["lint", ""]) == 1
    assert "FLOE-E500: The path is empty" in capsys.readouterr().out
