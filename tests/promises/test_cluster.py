"""A cluster whose worker does not share the driver's disk: every row is accounted for, or nothing is written."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import s3_server, two_disks

DRIVER = Path(__file__).parents[1] / "helpers" / "on_two_disks.py"


def _driven(cluster: two_disks.Cluster, store: str, variables: dict[str, str]) -> dict[str, Any]:
    driver = cluster.driver / str(len(variables))  # a root of its own
    driver.mkdir()
    done = subprocess.run(
        [sys.executable, str(DRIVER), cluster.master, str(driver), store],
        cwd=driver,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-5000:]
    found: dict[str, Any] = json.loads((driver / "found.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[two_disks.Cluster]:
    """A cluster whose worker has another disk."""
    why = two_disks.why_not()
    if why:
        pytest.skip(f"mount namespaces are not allowed here: {why}")
    with two_disks.two_disks(tmp_path_factory.mktemp("two")) as running:
        yield running


@pytest.fixture(scope="module")
def found(cluster: two_disks.Cluster) -> dict[str, Any]:
    """What a driver on such a cluster found in a folder that all machines share."""
    return _driven(cluster, str(cluster.shared), {})


@pytest.fixture(scope="module")
def found_on_s3(cluster: two_disks.Cluster, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a driver found that shares nothing with the worker but a bucket."""
    with s3_server.s3_server(tmp_path_factory.mktemp("s3")) as s3:
        return _driven(cluster, "s3://lake", {**s3.variables, "S3_FOLDER": str(s3.folder)})


# written, quarantined, refused, repeated; the sums of the rows are worked out by hand from the ranges in on_two_disks.py
@pytest.mark.spark
@pytest.mark.parametrize("format_", ["delta", "iceberg"])
@pytest.mark.parametrize("store", ["found", "found_on_s3"])
def test_append_merge_and_quarantine_account_for_every_row(request: pytest.FixtureRequest, store: str, format_: str):
    table = request.getfixturevalue(store)[f"{format_}-false"]
    assert table["append"] == [1000, 0, False, False]
    assert table["again"] == [1000, 0, False, True]
    assert table["merge"] == [200, 0, False, False]
    assert table["quarantine"] == [90, 10, False, False]
    assert table["rows"] == [1190, 1190, 406_400]
    assert table["apart"] == 10
    assert table["tested"] == "pass"
    assert table["staged"] == []
    assert table["ways"]["b3"] == "the staged files were committed as they are"


@pytest.mark.spark
@pytest.mark.parametrize("format_", ["delta", "iceberg"])
@pytest.mark.parametrize("store", ["found", "found_on_s3"])
def test_partitions_are_overwritten_with_every_row(request: pytest.FixtureRequest, store: str, format_: str):
    table = request.getfixturevalue(store)[f"{format_}-true"]
    assert table["overwrite"] == [50, 0, False, False]
    assert table["rows"] == [640, 640, 203_100]
    assert table["apart"] == 10
    assert table["tested"] == "pass"
    assert table["staged"] == []


@pytest.mark.spark
def test_a_place_that_executors_do_not_share_is_refused_before_the_write(found: dict[str, Any]):
    refused = found["refused"]
    for place in ("table", "staging"):
        assert refused[place].startswith("TableError: "), refused[place]
        assert "do not share the staging folder" in refused[place]
        assert "tables.staging" in refused[place]
    assert refused["made"] == ""


@pytest.mark.spark
def test_a_lost_executor_neither_loses_nor_doubles_rows(found: dict[str, Any]):
    assert found["lost"] == {"killed": True, "written": 1000, "rows": [1000, 1000, 499_500]}


# 100 rows, then one of another program, then the 100 that were judged again after it; the sums by hand
@pytest.mark.spark
def test_of_two_writers_of_one_version_on_s3_both_are_in_the_table(found_on_s3: dict[str, Any]):
    race = found_on_s3["race"]
    assert (race["written"], race["way"]) == (100, "the staged files were committed as they are")
    assert race["rows"] == [201, 14_950 + 7 + 24_950]
    assert race["key of the other"] == [0, 1]
    assert race["versions"] == 3


@pytest.mark.spark
def test_a_commit_of_spark_on_s3_overwrites_no_other(found_on_s3: dict[str, Any]):
    assert found_on_s3["log"] == ["written", "FileAlreadyExistsException", "written", "first\n"]


@pytest.mark.spark
def test_old_leftovers_on_s3_go_and_what_the_table_has_stays(found_on_s3: dict[str, Any]):
    assert found_on_s3["swept"] == {
        "records": ["young"],
        "staged": ["committed", "undone", "young"],
        "rows": [30, 435],
        "before RESTORE": 190 + 445,  # 0 to 19 and 40 to 49
    }
