"""Iceberg tables, by catalog name; by a metadata file only to read."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import takewhile

from pyspark.errors import ParseException
from pyspark.sql import Column, DataFrame, DataFrameWriterV2, Row, SparkSession

from floe.lang.sql.literals import quote, text
from floe.model import EngineError
from floe.model.contract import Target
from floe.model.plan import Expectation, Plan
from floe.model.types import Struct, Type
from floe.settings import Settings
from floe.tables import iceberg
from floe.tables.delta.table import create_statement
from floe.tables.iceberg import metadata
from floe.tables.iceberg.metadata import metadata_file
from floe.tables.iceberg.names import NAME_MAPPING
from floe.tables.spark.errors import ENGINE_ERRORS
from floe.tables.spark.schema import FieldIds, Protection, struct_of
from floe.tables.spark.unskipped import without_statistics
from floe.tables.state import Commit, State, TableMovedError, Tag, commit_of, conf, merge_statement, rows_lost, view
from floe.tables.storage import StoredFile, local_path

_PART = re.compile(r"Part \d+")


def stored(type_: Type) -> Type:
    """The type as Iceberg stores it."""
    return metadata.stored(type_)


def partition_value(column: Column) -> Column:
    """Text as Iceberg keeps it in a partition column: as it is."""
    return column


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether the table is there."""
    return spark.catalog.tableExists(target.sql) if target.name else metadata_file(str(target.path)) is not None


def read(spark: SparkSession, target: Target, snapshot: str | None = None) -> DataFrame:
    """The table's rows now, or at a snapshot."""
    if not target.name:
        reader = spark.read.format("iceberg")
        reader = reader.option("versionAsOf", snapshot) if snapshot is not None else reader
        return reader.load(metadata_file(str(target.path)))
    spark.sql(f"REFRESH TABLE {target.sql}")
    if snapshot is not None:
        return spark.sql(f"SELECT * FROM {target.sql} VERSION AS OF {int(snapshot)}")
    return spark.table(target.sql)


def read_state(spark: SparkSession, target: Target, state: State) -> DataFrame:
    """The table's rows now, with the columns it has now: those of a snapshot keep the names they had then.

    Where others commit after the state was read, no commit onto it succeeds, so that nothing is let through by this.
    Files that live by a name mapping may have statistics of other columns, by which Spark would leave out rows.
    """
    rows = read(spark, target)
    return without_statistics(rows, rows.columns) if NAME_MAPPING in state.properties else rows


def snapshot(spark: SparkSession, target: Target) -> str | None:
    """The snapshot readers see."""
    if not target.name:
        main = spark.sql(f"SELECT snapshot_id FROM {target.sql}.refs WHERE name = 'main'").head()
        return str(main["snapshot_id"]) if main else None
    spark.sql(f"REFRESH TABLE {target.sql}")
    return _current(_properties(spark, target))


def _properties(spark: SparkSession, target: Target) -> dict[str, str]:
    return {row["key"]: row["value"] for row in spark.sql(f"SHOW TBLPROPERTIES {target.sql}").collect()}


def _current(properties: dict[str, str]) -> str | None:
    current = properties.get("current-snapshot-id", "none")
    return None if current == "none" else current


def create(
    spark: SparkSession, target: Target, schema: Struct, partition: tuple[str, ...], properties: dict[str, str]
) -> None:
    """Create the table, empty, and its namespace where that is missing."""
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {Target('iceberg', str(target.name).rsplit('.', 1)[0]).sql}")
    spark.sql(create_statement(target, "iceberg", schema, partition, properties))


def location(spark: SparkSession, target: Target, settings: Settings) -> str:
    """The location of the table, or its future location if the catalog has one."""
    if exists(spark, target):
        described = spark.sql(f"DESCRIBE TABLE EXTENDED {target.sql}").where("col_name = 'Location'").head()
        if described:
            return local_path(str(described["data_type"]))
    catalog, _, table = str(target.name).partition(".")
    known = settings.catalogs.get(catalog, {}).get("warehouse")
    warehouse = known or spark.conf.get(f"spark.sql.catalog.{catalog}.warehouse", None)
    return f"{settings.place(str(warehouse or settings.tables.warehouse))}/{table.replace('.', '/')}"


def data_folder(spark: SparkSession, target: Target, location: str) -> str | None:
    """The folder of the table's data files, also of a table that is still to be created."""
    del spark, target
    return f"{location}/data"


def data_files(target: Target, location: str, run_id: str, settings: Settings) -> list[str] | None:
    """The files of the current snapshot, and those of snapshots of a run, whether they are current or not."""
    del location
    return iceberg.commit.data_files(target, run_id, settings)


def field_ids(target: Target, schema: Struct, created: bool, settings: Settings) -> FieldIds | None:
    """The table's field ids, which staged files must carry to become its own; None where they cannot become its own."""
    return iceberg.commit.field_ids(target, schema, created, settings)


def advanced(state: State, there: State, statements: int) -> bool:
    """Whether only statements of floe, which make no snapshot, are between two states of a table."""
    del statements
    return there.identity == state.identity and there.snapshot == state.snapshot


def is_new(state: State) -> bool:
    """Whether a table that was just created is as it was created."""
    return state.snapshot is None


def append(rows: DataFrame, target: Target, tag: Tag, keys: Sequence[tuple[str, ...]], state: State) -> None:
    """Add rows in one commit, onto the snapshot that their keys were checked against.

    What is required was checked on the rows, not on Spark's flags.
    """
    if keys:
        _on_branch(rows.sparkSession, target, tag, state, lambda name: _writer(rows, name, tag).append())
    else:
        _writer(rows, target.sql, tag).append()


def overwrite_partitions(rows: DataFrame, target: Target, tag: Tag, state: State) -> None:
    """Put rows in the place of everything in their partitions, in one commit."""
    _on_branch(rows.sparkSession, target, tag, state, lambda name: _writer(rows, name, tag).overwritePartitions())


def _on_branch(
    spark: SparkSession, target: Target, tag: Tag, state: State, write: Callable[[str], None], counted: bool = True
) -> None:
    """Write to a branch of the checked snapshot, then let main move there, which Iceberg refuses where main has moved.

    A write to main itself would be rebased onto whatever others committed meanwhile, unchecked.
    """
    branch = f"floe_{tag.run_id}"
    base = f" AS OF VERSION {int(state.snapshot)}" if state.snapshot else ""
    try:
        spark.sql(f"ALTER TABLE {target.sql} CREATE BRANCH {quote(branch)}{base}")
    except ParseException:
        raise EngineError(
            "This Spark session lacks Iceberg's SQL extensions, so a batch cannot be committed onto the snapshot it was checked against",
            "Add org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions to spark.sql.extensions, or use `floe enforce`",
        ) from None
    try:
        if not base and _ref(spark, target, "main"):
            raise TableMovedError  # the branch was made of what another writer committed first
        write(f"{target.sql}.{quote(f'branch_{branch}')}")
        if counted:
            _check_rows(spark, target, branch, tag)
        _fast_forward(spark, target, branch, state)
    finally:
        spark.sql(f"ALTER TABLE {target.sql} DROP BRANCH IF EXISTS {quote(branch)}")


def _check_rows(spark: SparkSession, target: Target, branch: str, tag: Tag) -> None:
    """Compare the rows that a branch's snapshot added with the rows that were checked, before anybody can see them."""
    head = _ref(spark, target, branch)
    row = spark.sql(
        f"SELECT summary['added-records'] AS n FROM {target.sql}.snapshots WHERE snapshot_id = {head}"
    ).head()
    added = int(row["n"] or 0) if row else 0
    if added != tag.rows:
        raise rows_lost(tag.rows, added, f"the write to {target}")


def _fast_forward(spark: SparkSession, target: Target, branch: str, state: State) -> None:
    catalog = quote(str(target.name).split(".", 1)[0])
    call = f"CALL {catalog}.system.fast_forward(table => {text(target.sql)}, branch => 'main', to => {text(branch)})"
    try:
        spark.sql(call).collect()
    except ENGINE_ERRORS as error:
        head, main = _ref(spark, target, branch), _ref(spark, target, "main")
        if head == main:
            return  # it moved, and only the answer was lost
        if main != state.snapshot:
            raise TableMovedError from error
        raise


def _ref(spark: SparkSession, target: Target, name: str) -> str | None:
    """The snapshot of a branch of the table."""
    spark.sql(f"REFRESH TABLE {target.sql}")
    row = spark.sql(f"SELECT snapshot_id FROM {target.sql}.refs WHERE name = {text(name)}").head()
    return str(row["snapshot_id"]) if row else None


def _writer(rows: DataFrame, name: str, tag: Tag) -> DataFrameWriterV2:
    writer = rows.writeTo(name).option("check-nullability", "false")
    for key, value in tag.marks.items():
        writer = writer.option(f"snapshot-property.{key}", value)
    return writer


def merge(rows: DataFrame, target: Target, keys: tuple[str, ...], tag: Tag, state: State) -> None:
    """Update rows by key and add the others, in one commit."""
    session = {f"spark.sql.iceberg.snapshot-property.{key}": value for key, value in tag.marks.items()}
    session["spark.sql.iceberg.check-nullability"] = "false"
    spark = rows.sparkSession
    with conf(spark, session), view(rows, tag) as source:
        _on_branch(
            spark, target, tag, state, lambda name: _run(spark, merge_statement(name, source, keys)), counted=False
        )


def _run(spark: SparkSession, statement: str) -> None:
    spark.sql(statement)


def commit_of_run(spark: SparkSession, target: Target, tag: Tag, mode: str) -> Commit | None:
    """The commit that this run has just made, with the rows that Iceberg counted in it; None where it made none."""
    spark.sql(f"REFRESH TABLE {target.sql}")
    row = spark.sql(
        f"SELECT snapshot_id, summary['added-records'] AS added FROM {target.sql}.snapshots "
        f"WHERE summary['floe.run_id'] = {text(tag.run_id)} ORDER BY committed_at DESC LIMIT 1"
    ).head()
    if row is None:
        return None
    # a MERGE rewrites rows that it does not touch, so what it added is no number of the batch's rows
    rows = tag.rows if mode == "merge" else int(row["added"] or 0)
    return Commit(str(row["snapshot_id"]), tag.run_id, rows)


def follows(commit: Commit, state: State) -> bool:
    """Always: a branch that others overtook is refused."""
    del commit, state
    return True


def next_attempt(spark: SparkSession, target: Target, tag: Tag) -> int:
    """Iceberg knows no transactions by number, so it skips none."""
    del spark, target, tag
    return 1


def committed(spark: SparkSession, target: Target, tag: Tag) -> Commit | None:
    """The commit of a batch, else of a run, where the current snapshot descends from it.

    A snapshot that was rolled back is not held; a cherry-picked one names the snapshot it came from.
    """
    spark.sql(f"REFRESH TABLE {target.sql}")
    key = "floe.batch_id" if tag.batch_id else "floe.run_id"
    found = spark.sql(
        f"SELECT snapshot_id, summary FROM {target.sql}.snapshots WHERE summary['{key}'] = {text(tag.marks[key])}"
    )
    marked = {str(row["snapshot_id"]): row["summary"] for row in found.collect()}
    if not marked:  # as nearly always, and cheaper than the way up
        return None
    for row in _ancestors(spark, target):
        for snapshot in (str(row["snapshot_id"]), str(row["source"])):
            if snapshot in marked:
                return commit_of(row["snapshot_id"], marked[snapshot])
    return None


def forgotten_before(spark: SparkSession, target: Target) -> datetime | None:
    """The time before which expired snapshots no longer have batches; None if none expired."""
    ancestors = _ancestors(spark, target)
    oldest = ancestors[-1] if ancestors else None
    return oldest["committed"] if oldest is not None and oldest["parent_id"] is not None else None


def _ancestors(spark: SparkSession, target: Target) -> list[Row]:
    """The current snapshot and those it descends from, as far as they are kept, newest first."""
    rows = spark.sql(
        "SELECT snapshot_id, parent_id, summary['source-snapshot-id'] AS source, "
        f"to_utc_timestamp(committed_at, current_timezone()) AS committed FROM {target.sql}.snapshots"
    )
    by_id = {row["snapshot_id"]: row for row in rows.collect()}
    current = _ref(spark, target, "main")
    row = by_id.get(int(current)) if current else None
    found = []
    while row is not None:
        found.append(row)
        row = by_id.get(row["parent_id"])
    return found


def state(spark: SparkSession, target: Target) -> State:
    """The current state of the table, by statements that start no job."""
    schema = struct_of(read(spark, target).schema)
    properties = _properties(spark, target)
    described = [
        (row["col_name"], row["data_type"]) for row in spark.sql(f"DESCRIBE TABLE EXTENDED {target.sql}").collect()
    ]
    partition = _partition(described)
    location = next((kind for name, kind in described if name == "Location"), str(target))
    return State(
        schema=schema,
        snapshot=_current(properties),
        identity=location,
        properties=properties,
        partition=partition,
        location=location,
    )


def _partition(described: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The partition columns as DESCRIBE lists them: by name, or by transform where one of them is transformed."""
    names = [name for name, _ in described]
    if "# Partition Information" not in names:
        return tuple(kind for name, kind in described if _PART.fullmatch(name))
    start = names.index("# Partition Information") + 2  # the heading of the list is below it
    return tuple(takewhile(bool, names[start:]))


def commit_files(
    target: Target, files: Sequence[StoredFile], plan: Plan, tag: Tag, state: State, settings: Settings
) -> str | None:
    """Make staged files the table's own; else why Spark must write them."""
    return iceberg.commit.commit_files(target, files, plan, tag, state, settings)


def protect(spark: SparkSession, target: Target, rules: Sequence[Expectation], settings: Settings) -> list[Protection]:
    """Make the table itself enforce rules."""
    from floe.tables.iceberg import protect as protection  # noqa: PLC0415  (it reads tables by this module)

    return protection.protect(spark, target, rules, settings)


def unprotect(spark: SparkSession, target: Target, settings: Settings) -> list[str]:
    """Remove what `protect` added."""
    from floe.tables.iceberg import protect as protection  # noqa: PLC0415  (as above)

    return protection.unprotect(spark, target, settings)
