"""K11 primary-key-changed, K12 partition-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import DatasetPair, earlier
from floe.contract.compat.stores import FIXED_PARTITIONS, server_formats
from floe.model import Field
from floe.model.change import Bump, Impact

# formats whose folders are named by the partition: Delta's, and those that are nothing but files
_FOLDERS = (
    "delta",
    "parquet",
    "csv",
    "tsv",
    "json",
    "avro",
    "orc",
    "text",
    "xml",
    "hudi",
    "s3",
    "adls",
    "azure",
    "gcs",
)


@change(
    "primary-key-changed",
    "K11",
    bump=Bump.MAJOR,
    reader=Impact.BREAK,
    writer=Impact.BREAK,
    value=DatasetPair,
    basis="given",
)
def primary_key_changed(dataset: DatasetPair) -> Iterator[Delta]:
    """The columns of the primary key or their order changed.

    Why: joins, merges and duplicate checks of readers and writers depend on the key.

    Fix: keep the key, or publish a MAJOR version with a migration text.
    """
    if dataset.old and dataset.new:
        old, new = dataset.old.primary_key, dataset.new.primary_key
        if _differ(dataset, old, new):
            yield Delta(old=_columns(old), new=_columns(new), about=dataset.new)


@change("partition-changed", "K12", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=DatasetPair)
def partition_changed(dataset: DatasetPair) -> Iterator[Delta]:
    """The partition columns or their order changed.

    Why: query results stay the same. Iceberg changes its metadata only; a Delta table or a folder of files has to be
    rewritten.

    Fix: plan the rewrite, and write with the new partitioning from then on.
    """
    if dataset.old and dataset.new:
        old, new = dataset.old.partition, dataset.new.partition
        if _differ(dataset, old, new):
            formats = server_formats(dataset.contracts.new, dataset.contracts.terms.table_format)
            yield Delta(
                old=_columns(old),
                new=_columns(new),
                writer=Impact.BREAK if any(name in FIXED_PARTITIONS for name in formats) else None,
                more={"migration_required": any(text in _FOLDERS for text in formats)},
                about=dataset.new,
            )


def _differ(dataset: DatasetPair, old: tuple[Field, ...], new: tuple[Field, ...]) -> bool:
    """Whether columns differ, a renamed one being the same."""
    if not (dataset.old and dataset.new) or _columns(old) == _columns(new):
        return False
    fields = dataset.new.fields
    before = dict(zip((field.column for field in fields), earlier(dataset.old.fields, fields), strict=True))
    return _columns(old) != [before[column] for column in _columns(new)]


def _columns(fields: tuple[Field, ...]) -> list[str]:
    return [field.column for field in fields]
