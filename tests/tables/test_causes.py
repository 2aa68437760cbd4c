"""Why a table cannot be used: a value that libraries and Spark tell by classes and conditions, never the name of a folder."""

from pathlib import Path

import pyarrow
import pytest
from deltalake.exceptions import DeltaError
from pyarrow import parquet

from floe import tables
from floe.actions.load.settings import load_settings
from floe.actions.verify.table import read_metadata
from floe.model import TableCause, TableError
from floe.model.contract import Target
from floe.tables.boundary import cause_of, library_errors
from floe.tables.parquet.folder import list_files
from floe.tables.spark import errors


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (PermissionError(13, "Permission denied"), TableCause.PERMISSION),
        (FileNotFoundError(2, "No such file or directory"), TableCause.MISSING),
        (DeltaError("Generic LocalFileSystem error: x: Permission denied (os error 13)"), TableCause.PERMISSION),
        (DeltaError("Generic LocalFileSystem error: x: No such file or directory (os error 2)"), TableCause.MISSING),
        (OSError("When reading 't' in bucket 'b': AWS Error ACCESS_DENIED during HeadObject operation"), "permission"),
        (OSError("When getting 't': AWS Error NO_SUCH_BUCKET during HeadBucket operation"), TableCause.MISSING),
        (DeltaError("Client error with status 403 Forbidden: <Code>AccessDenied</Code>"), TableCause.PERMISSION),
        (DeltaError("Client error with status 404 Not Found: <Code>NoSuchKey</Code>"), TableCause.MISSING),
        (OSError("/not found/forbidden/Permission denied/a.parquet: no magic bytes"), TableCause.UNREADABLE),
        (ValueError("invalid checkpoint"), TableCause.UNREADABLE),
    ],
)
def test_what_a_library_raises(error: Exception, cause: TableCause):
    assert cause_of(error) == cause
    with pytest.raises(TableError) as raised, library_errors("x cannot be read", "Check it"):
        raise error
    assert raised.value.cause == cause


def test_a_catalog_that_does_not_answer_is_the_cause_whatever_it_raises():
    with (
        pytest.raises(TableError) as raised,
        library_errors("The catalog cannot be asked", "Check it", cause=TableCause.CATALOG),
    ):
        raise FileNotFoundError(2, "No such file or directory")
    assert raised.value.cause is TableCause.CATALOG


def test_a_table_that_is_not_there_and_files_that_are_gone(tmp_path: Path):
    settings = load_settings(start=tmp_path)
    with pytest.raises(TableError) as raised:
        read_metadata(Target("delta", path=str(tmp_path / "none")), settings)
    assert raised.value.cause is TableCause.MISSING
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError) as raised:
        list_files(str(tmp_path / "empty"))
    assert raised.value.cause is TableCause.MISSING
    with pytest.raises(TableError) as raised:
        tables.probe(Target("iceberg", "nowhere.db.t"), settings)
    assert raised.value.cause is TableCause.CATALOG


@pytest.mark.spark
def test_what_spark_raises(spark, tmp_path: Path):
    def raised(ask) -> Exception:
        with pytest.raises(errors.ENGINE_ERRORS) as told:
            ask()
        return told.value

    def about(error: Exception) -> tuple[list[str], TableCause]:
        return [condition.name for condition in errors.conditions(error)][:1], errors.cause_of(error)

    frame = pyarrow.table({"t": pyarrow.array([1], pyarrow.timestamp("ns"))})
    parquet.write_table(frame, tmp_path / "nanoseconds.parquet", version="2.6")
    spark.range(3).write.format("delta").save(str(tmp_path / "t"))
    held = spark.read.format("delta").load(str(tmp_path / "t"))
    for file in (tmp_path / "t").glob("*.parquet"):
        file.unlink()
    absent = raised(lambda: spark.read.parquet(str(tmp_path / "not found")).collect())
    assert about(absent) == (["PATH_NOT_FOUND"], TableCause.MISSING)
    assert about(raised(lambda: spark.table("no.such").collect()))[1] is TableCause.MISSING
    assert about(raised(held.collect)) == (["FAILED_READ_FILE.FILE_NOT_EXIST"], TableCause.MISSING)
    illegal = raised(lambda: spark.read.parquet(str(tmp_path / "nanoseconds.parquet")))
    assert about(illegal) == (["PARQUET_TYPE_ILLEGAL"], TableCause.UNREADABLE)
    assert errors.conditions(ConnectionError("PATH_NOT_FOUND")) == []
