"""Sinks that other packages bring: entry points of the group floe.sinks."""

import sys
import threading
from pathlib import Path

import pytest

import floe
from floe.actions.load.settings import load_settings
from floe.actions.outbox import send_due
from floe.registry import open_store, outbox
from tests.conftest import Lake
from tests.helpers.orders import frame, order

AT = "2026-11-16T00:00:00.000Z"
MODULE = """
def sink(settings):
    def send(message):
        with open(settings.root / "carried", "a") as file:
            file.write(f"{message.id} {message.payload.get('text')} {message.payload.get('kind')}\\n")
    return send

def broken(settings):
    raise RuntimeError("no feathers")
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with two sinks."""
    folder = tmp_path / "site"
    info = folder / "pigeons-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pigeons\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[floe.sinks]\npigeon = pigeons:sink\nhen = pigeons:broken\n")
    (folder / "pigeons.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])


@pytest.mark.usefixtures("package")
def test_a_sink_of_another_package_sends_and_a_broken_one_harms_no_other(tmp_path: Path):
    settings = load_settings(start=tmp_path)
    with open_store(settings.registry.url, tmp_path).begin(writes=True) as connection:
        for sink in ("hen", "pigeon", "notification"):
            outbox.put(connection, sink=sink, key="a", payload={"text": "coo"}, at=AT)
    done = send_due(settings)
    assert (done.sent, done.failed, done.dead) == (3, 1, 0)  # the notification went on to both
    assert (tmp_path / "carried").read_text() == "2 coo None\n5 None None\n"
    assert done.said[0].startswith("The sink 'hen' (pigeons:broken) cannot be used: RuntimeError: no feathers")


@pytest.mark.spark
@pytest.mark.usefixtures("package")
def test_an_installed_sink_is_told_of_a_refused_write(spark, lake: Lake):
    assert not lake.settings.alerts
    with pytest.raises(floe.ViolationError):
        floe.enforce(frame(spark, order(None)), lake.table_id, settings=lake.settings)
    for thread in threading.enumerate():
        if thread.name == "floe-outbox":
            thread.join()
    send_due(lake.settings)
    assert (lake.root / "carried").read_text().split()[1:] == ["None", "contract-violation"]
