"""Fault 10: a full disk is named wherever it is met, leaves nothing half-written, and the work goes on when there is room."""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import floe
from floe.actions.load.settings import load_settings
from floe.actions.outbox import send_waiting
from floe.cli import main
from floe.registry import open_store
from floe.tables.formats import readable
from tests.conftest import Lake, make_lake, spark_settings
from tests.helpers.disk import SmallDisk, small_disk
from tests.helpers.gates import quarantining, rows_of
from tests.helpers.monitored import fill, promise
from tests.helpers.orders import frame, order
from tests.helpers.places import at
from tests.helpers.repositories import contract, write

NAMED = r"(?i)no space left on device"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "small", "4m") as made:
        yield made


@pytest.mark.spark
def test_a_gate_on_a_full_disk_writes_a_batch_once_and_whole(spark, spark_root: Path, disk: SmallDisk):
    """The project and its table on one disk, which is full at each step of a write in turn."""
    settings = spark_settings(spark_root, disk.folder)
    lake = make_lake(disk.folder, settings, "full")
    floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="b1", settings=settings)
    expected = [(1, "placed", "9.90")]
    for number, place in enumerate(("before-stage", "judged", "prepared"), 2):
        batch = frame(spark, order(number))
        with at(place, disk.fill), pytest.raises(floe.FloeError, match=NAMED) as caught:
            floe.enforce(batch, lake.table_id, batch_id=f"b{number}", settings=settings)
        assert "make room" in str(caught.value).lower()
        assert rows_of(spark, lake) == expected
        assert not list((disk.folder / ".floe" / "pending").iterdir())
        assert not lake.staged
        disk.make_room()
        again = floe.enforce(batch, lake.table_id, batch_id=f"b{number}", settings=settings)
        expected = [*expected, (number, "placed", "9.90")]
        assert (again.written, again.repeated, rows_of(spark, lake)) == (1, False, expected)


@pytest.mark.spark
def test_a_batch_that_was_written_is_answered_although_nothing_can_be_recorded(
    spark, spark_root: Path, disk: SmallDisk
):
    settings = spark_settings(spark_root, disk.folder)
    lake = make_lake(disk.folder, settings, "unrecorded")
    floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="b1", settings=settings)
    with at("after-commit", disk.fill):
        result = floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b2", settings=settings)
    assert (result.written, result.refused) == (1, False)
    (note,) = [note for note in result.notes if "E542" in note]
    assert "the run is not recorded" in note
    assert "No space left on device" in note
    disk.make_room()
    assert [path.name for path in (disk.folder / ".floe" / "unrecorded").iterdir()] == []
    assert floe.enforce(frame(spark, order(2)), lake.table_id, batch_id="b2", settings=settings).repeated
    assert [row[0] for row in rows_of(spark, lake)] == [1, 2]


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_rows_that_find_no_room_in_the_quarantine_keep_the_good_ones_waiting(spark, lake: Lake, disk: SmallDisk):
    from floe.engine.gate.quarantine import quarantine_target

    quarantining(lake)
    settings = lake.settings.with_values({"tables.warehouse": str(disk.folder)})
    elsewhere = Lake(lake.root, settings, lake.table_id, "delta")
    floe.enforce(frame(spark, order(1)), lake.table_id, batch_id="b1", settings=settings)
    batch = frame(spark, order(2), order(3, status="lost"))
    with at("judged", disk.fill), pytest.raises(floe.TableError, match=NAMED):
        floe.enforce(batch, lake.table_id, batch_id="b2", settings=settings)
    disk.make_room()
    assert [row[0] for row in rows_of(spark, elsewhere)] == [1]
    again = floe.enforce(batch, lake.table_id, batch_id="b2", settings=settings)
    assert (again.written, again.quarantined) == (1, 1)
    apart = quarantine_target(elsewhere.target)
    assert [row.order_id for row in readable(apart).read(spark, apart).collect()] == [3]


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_sparks_own_disk_is_named_and_nothing_is_green(spark, lake: Lake, tmp_path: Path):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    shuffled = frame(spark, order(2), order(3)).repartition(3)
    with _scratch(spark) as disk:
        disk.fill()
        with pytest.raises(floe.TableError, match=NAMED) as caught:
            floe.enforce(shuffled, lake.table_id, batch_id="b", settings=lake.settings)
        assert "spark.local.dir" in str(caught.value)
        result = floe.verify(shuffled, str(lake.contract()), lake.settings)
        assert result.outcome == "not_evaluated"
        assert all("make room on it" in str(outcome.cause) for outcome in result.not_evaluated)
        disk.make_room()
        again = floe.enforce(shuffled, lake.table_id, batch_id="b", settings=lake.settings)
    assert (again.written, again.repeated) == (2, False)
    assert [row[0] for row in rows_of(spark, lake)] == [1, 2, 3]


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["delta"], indirect=True)
@pytest.mark.parametrize("left", [(), (".00000000000000000000.json.9d1f.tmp", "_staged_commits/")])
def test_a_table_whose_creation_was_cut_off_is_created(spark, lake: Lake, left: tuple[str, ...]):
    """A log without a commit, and nothing beside it, is what a killed CREATE TABLE leaves."""
    log = Path(str(lake.target.path)) / "_delta_log"
    log.mkdir(parents=True)
    for name in left:
        (log / name).mkdir() if name.endswith("/") else (log / name).touch()
    written = floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    assert (written.created, written.written) == (True, 1)
    assert [row[0] for row in rows_of(spark, lake)] == [1]


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_a_table_that_lost_its_log_is_never_created_anew(spark, lake: Lake):
    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    log = Path(str(lake.target.path)) / "_delta_log"
    for entry in log.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    with pytest.raises(floe.TableError):
        floe.enforce(frame(spark, order(2)), lake.table_id, settings=lake.settings)


@contextmanager
def _scratch(spark) -> Iterator[SmallDisk]:
    """A small disk over the folder where the session keeps what it shuffles, with the subfolders that it has made already."""
    (folder,) = spark._jvm.org.apache.spark.SparkEnv.get().blockManager().diskBlockManager().localDirs()
    path = Path(folder.getPath())
    made = [below.name for below in path.iterdir() if below.is_dir()]
    with small_disk(path, "1m") as disk:
        for name in made:
            (path / name).mkdir()
        yield disk


def test_a_test_tells_what_it_found_although_nothing_can_be_recorded(disk: SmallDisk, monkeypatch, capsys):
    monkeypatch.chdir(disk.folder)
    path = promise(disk.folder, "orders")
    fill(disk.folder, "orders")
    assert main(["test", str(path)]) == 0
    disk.fill()
    code = main(["test", str(path), "--format", "json"])
    told = capsys.readouterr()
    (result,) = json.loads(told.out[told.out.index("{") :])["results"]
    assert (code, result["outcome"]) == (0, "pass")
    assert "E542" in told.err
    assert "No space left on device" in told.err
    disk.make_room()
    assert main(["test", str(path)]) == 0
    assert len(open_store("sqlite:///.floe/registry.db", disk.folder).runs(10)) == 2  # the first and the last


def test_an_event_that_finds_no_room_waits_and_leaves_no_half_line(disk: SmallDisk, tmp_path: Path):
    root = tmp_path / "project"
    path = promise(root, "orders")
    table = fill(root, "orders")
    given = {"lineage.transport": "file", "lineage.path": str(disk.folder / "lineage.jsonl")}
    settings = load_settings(given, start=root)
    disk.fill()
    floe.verify(str(table), str(path), settings)
    for thread in threading.enumerate():
        if thread.name == "floe-outbox":
            thread.join()
    done = send_waiting(settings, everything=True)
    assert (done.sent, done.failed) == (0, 1)
    assert "No space left on device" in done.said[0]
    assert "Make room" in done.said[0]
    assert (disk.folder / "lineage.jsonl").read_bytes() == b""
    disk.make_room()
    assert send_waiting(settings, everything=True).sent == 2
    kinds = [json.loads(line)["eventType"] for line in (disk.folder / "lineage.jsonl").read_text().splitlines()]
    assert kinds == ["START", "COMPLETE"]


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (("convert", "orders.yaml", "--to", "html", "--output", "small/orders.html"), "orders.html"),
        (("init", "small/shop"), "shop"),
    ],
)
def test_a_command_that_finds_no_room_for_its_file_leaves_none(
    disk: SmallDisk, tmp_path: Path, monkeypatch, capsys, words, made
):
    monkeypatch.chdir(tmp_path)
    write("contracts/orders.yaml", contract())
    write("orders.yaml", contract())
    disk.fill()
    code = main(list(words))
    told = capsys.readouterr().err
    assert code == 2
    assert "no space left on device" in told.lower()
    assert "make room" in told.lower()
    assert "internal error" not in told
    assert [path.name for path in disk.folder.rglob("*") if path.is_file() and path != disk.filler] == []
    disk.make_room()
    assert main(list(words)) == 0
    assert (disk.folder / made).exists()


def test_what_is_logged_to_a_full_disk_changes_no_answer(tmp_path: Path):
    promise(tmp_path, "orders")
    fill(tmp_path, "orders")
    words = [sys.executable, "-m", "floe", "monitor", "run", "--once"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, text=True, timeout=300, check=False
        )
    assert done.returncode == 0
    assert "1 dataset checked: 1 ok" in done.stdout
