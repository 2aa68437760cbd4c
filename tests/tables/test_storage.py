"""The door to storage, on disks and on a local S3 service."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction

from floe.actions.load.settings import load_settings
from floe.model import TableCause, TableError
from floe.model.contract import Target
from floe.settings import ObjectStore
from floe.tables import probe, storage
from tests.helpers.s3_server import KEY, S3, SECRET, s3_server


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    with s3_server(tmp_path_factory.mktemp("s3")) as running:
        yield running


def reach(s3: S3, secret: str = SECRET) -> None:
    found = ObjectStore(prefix="s3://", endpoint=s3.endpoint, region="us-east-1", key_id=KEY, secret=secret)
    storage.use(lambda: (found,))


@pytest.fixture(params=["disk", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder of its own."""
    if request.param == "disk":
        return str(tmp_path)
    reach(request.getfixturevalue("s3"))
    return f"s3://lake/{tmp_path.name}"


def test_files_are_written_listed_moved_and_removed(place: str):
    if not storage.is_remote(place):
        (Path(place) / "a" / "b").mkdir(parents=True)
    assert storage.files_below(f"{place}/none") == []
    assert storage.read_text(f"{place}/none") is None
    storage.write_text(f"{place}/a/one", "1")
    storage.write_text(f"{place}/a/b/name with = and ü", "22")
    files = storage.files_below(f"{place}/a")
    assert [(file.place, file.size) for file in files] == [
        (f"{place}/a/b/name with = and ü", len("22")),
        (f"{place}/a/one", 1),
    ]
    assert all(file.changed is not None for file in files)
    storage.move(f"{place}/a/one", f"{place}/a/b/two")
    assert not storage.is_file(f"{place}/a/one")
    assert storage.read_text(f"{place}/a/b/two") == "1"
    storage.remove_files([f"{place}/a/b/two", f"{place}/a/b/two"])  # the second time it is gone already
    assert [file.place for file in storage.files_below(place)] == [f"{place}/a/b/name with = and ü"]
    storage.remove_folder(f"{place}/a")
    storage.remove_folder(f"{place}/a")
    assert storage.files_below(place) == []


def test_of_two_commits_of_one_version_the_second_fails(s3: S3):
    reach(s3)
    options = storage.delta_options("s3://lake/two")
    write_deltalake("s3://lake/two", pa.table({"id": [1]}), storage_options=options)
    once = CommitProperties(max_commit_retries=0)
    first, second = (DeltaTable("s3://lake/two", storage_options=options) for _ in range(2))
    action = AddAction("x.parquet", 1, {}, 0, True, "{}")
    first.create_write_transaction([action], mode="append", schema=first.schema(), commit_properties=once)
    with pytest.raises(CommitFailedError):
        second.create_write_transaction([action], mode="append", schema=second.schema(), commit_properties=once)


def test_a_table_is_probed_and_an_absent_one_is_absent(s3: S3, tmp_path: Path):
    reach(s3)
    settings = load_settings(start=tmp_path)
    write_deltalake("s3://lake/t", pa.table({"id": [1, 2]}), storage_options=storage.delta_options("s3://lake/t"))
    facts = probe(Target("delta", path="s3a://lake/t"), settings)
    assert facts is not None
    assert sum(file.rows or 0 for file in facts.files or ()) == 2
    assert probe(Target("delta", path="s3://lake/none"), settings) is None
    storage.write_text("s3://lake/other/file", "x")
    with pytest.raises(TableError, match="exists, but it is not a Delta table"):
        probe(Target("delta", path="s3://lake/other"), settings)


def test_a_bucket_that_is_not_there_and_wrong_keys_are_errors_and_never_an_absent_table(s3: S3, tmp_path: Path):
    reach(s3)
    settings = load_settings(start=tmp_path)
    with pytest.raises(TableError, match="there is no bucket 'nobucket'") as missing:
        probe(Target("delta", path="s3://nobucket/t"), settings)
    assert missing.value.cause is TableCause.MISSING
    reach(s3, "a-secret-that-is-wrong")
    with pytest.raises(TableError) as denied:
        probe(Target("delta", path="s3://lake/t"), settings)
    assert denied.value.cause is TableCause.PERMISSION


def test_the_bucket_of_a_url_tells_how_it_is_reached():
    stores = [ObjectStore(prefix=prefix) for prefix in ("s3://", "s3://lake")]
    storage.use(lambda: tuple(stores))
    found = [storage.store_of(url) for url in ("s3://lake/raw/t", "s3a://lake/t", "s3://lakes/t", "s3://lake")]
    assert found == [stores[1], stores[1], stores[0], stores[1]]


@pytest.mark.parametrize("url", ["s3://lake/../other", "s3://lake/a/../../b"])
def test_a_url_that_leads_out_of_its_folder_is_refused(url: str):
    with pytest.raises(TableError, match="leads out"):
        storage.normalized(url)
