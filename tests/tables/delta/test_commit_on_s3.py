"""A commit of staged files on S3 whose request or answer is lost on the way."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyarrow import parquet as pq

from floe.model import TableError
from floe.model.plan import Plan
from floe.settings import ObjectStore
from floe.tables import storage
from floe.tables.delta import commit as delta
from floe.tables.state import TableMovedError, Tag
from tests.helpers.plans import plan_of
from tests.helpers.proxy import Proxy, proxied
from tests.helpers.s3_server import KEY, SECRET, s3_server

ROWS = pa.table({"id": pa.array([3, 4, 5], pa.int64())})


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with s3_server(tmp_path_factory.mktemp("s3")) as s3, proxied(int(s3.endpoint.rpartition(":")[2])) as between:
        yield between


@pytest.fixture
def table(proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table of two rows at version 0."""
    monkeypatch.setattr(storage, "_ATTEMPTS", 1)
    proxy.mode = "pass"
    endpoint = f"http://127.0.0.1:{proxy.port}"
    store = ObjectStore(prefix="s3://", endpoint=endpoint, region="us-east-1", key_id=KEY, secret=SECRET)
    storage.use(lambda: (store,))
    place = f"s3://lake/{tmp_path.name}"
    write_deltalake(place, pa.table({"id": pa.array([1, 2], pa.int64())}), storage_options=storage.delta_options(place))
    proxy.only = f"PUT /lake/{tmp_path.name}/_delta_log/{1:020}.json".encode()
    return place


def plan() -> Plan:
    return plan_of("- {name: id, physicalType: bigint, required: true}")


def commit(table: str) -> str | None:
    system, path = storage.system_of(f"{table}/floe-r1/part-0.parquet")
    pq.write_table(ROWS, path, filesystem=system)
    return delta.commit_files(table, storage.files_below(f"{table}/floe-r1"), plan(), Tag("r1", None, 3), "0")


def rows(table: str) -> list[int]:
    log = DeltaTable(table, storage_options=storage.delta_options(table))
    return sorted(pa.table(log.to_pyarrow_table())["id"].to_pylist())


def test_the_files_are_committed_as_they_lie(table: str):
    assert commit(table) is None
    assert rows(table) == [1, 2, 3, 4, 5]
    log = DeltaTable(table, storage_options=storage.delta_options(table))
    assert f"{table}/floe-r1/part-0.parquet" in log.file_uris()


def test_a_commit_whose_answer_was_lost_is_found(table: str, proxy: Proxy):
    proxy.mode = "cut"
    assert commit(table) is None
    proxy.mode = "pass"
    assert rows(table) == [1, 2, 3, 4, 5]


def test_a_commit_that_never_arrived_is_unknown_and_a_repeat_is_no_second_one(table: str, proxy: Proxy):
    proxy.mode = "drop"
    with pytest.raises(TableError, match="Whether the batch was committed is unknown"):
        commit(table)
    assert storage.is_file(f"{table}/floe-r1/part-0.parquet")
    proxy.mode = "pass"
    assert rows(table) == [1, 2]
    assert commit(table) is None
    assert rows(table) == [1, 2, 3, 4, 5]


def test_the_version_of_another_writer_is_not_overwritten(table: str):
    other = pa.table({"id": pa.array([9], pa.int64())})
    write_deltalake(table, other, mode="append", storage_options=storage.delta_options(table))
    with pytest.raises(TableMovedError):
        commit(table)
    assert rows(table) == [1, 2, 9]


def test_files_of_another_store_are_left_to_spark(table: str, tmp_path: Path):
    pq.write_table(ROWS, tmp_path / "part-0.parquet")
    said = delta.commit_files(table, storage.files_below(str(tmp_path)), plan(), Tag("r1", None, 3), "0")
    assert said is not None
    assert "cannot be moved into the table" in said
    assert (tmp_path / "part-0.parquet").is_file()
    assert rows(table) == [1, 2]


def test_files_with_other_rows_than_were_judged_are_not_committed(table: str):
    system, path = storage.system_of(f"{table}/floe-r1/part-0.parquet")
    pq.write_table(ROWS, path, filesystem=system)
    with pytest.raises(TableError):
        delta.commit_files(table, storage.files_below(f"{table}/floe-r1"), plan(), Tag("r1", None, 4), "0")
    assert rows(table) == [1, 2]
