"""Find the tables of a bootstrap source and read their rows."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from floe import engine, tables
from floe.actions.bootstrap.proposals import Evidence
from floe.contract.formats.foreign.documents import name_of
from floe.model import Contract, Dataset, EngineError, TableError
from floe.model.contract import Target
from floe.model.profile import Observation
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables import probe, reader_of
from floe.tables.locate import TableSelector, find_target, holds_table, named_target, tables_below

if TYPE_CHECKING:
    from floe.tables import TableFacts

_FILES = (".sql", ".ddl", ".json", ".avsc", ".yaml", ".yml", ".parquet", ".parq", ".pq", ".csv", ".orc", ".avro")
_EMPTY = Contract(api_version="v3.1.0", id="table", version="1.0.0")


class SourceTable(NamedTuple):
    """A table: its name, how its source is called, its columns, what else is known, and how its rows were read."""

    name: str
    shown: str
    target: Target | None
    schema: Struct
    ground: Evidence
    read: str


def find_tables(source: Any, name: str | None, most: int, settings: Settings) -> list[SourceTable]:
    """Every table of a source: the only one, those of a namespace, those of a folder of tables."""
    if not isinstance(source, str | Path):
        return [_frame(source, name or "dataset", most, settings)]
    targets = _targets(str(source), settings)
    if name and len(targets) > 1:
        raise TableError(
            f"{source} contains {len(targets)} tables, which cannot share the name '{name}'", "Pass one table"
        )
    return [_table(target, shown, name, most, settings) for shown, target in targets]


def _targets(source: str, settings: Settings) -> list[tuple[str, Target]]:
    path = Path(source)
    if os.path.isdir(path) and (below := tables_below(path)):
        return [(str(path), _target(f"./{path}" if not path.is_absolute() else str(path), settings)) for path in below]
    if os.path.exists(path) or _is_path(source):
        return [(source, _by_path(source, settings))]
    catalog = source.split(".", maxsplit=1)[0]
    if catalog in settings.catalogs:
        return [(name, named_target(name, settings)) for name in _in_catalog(source, settings)]
    if "." not in source or source.endswith(_FILES):
        raise _nothing_at(source)
    if source.count(".") > 1 and catalog != "spark_catalog":
        listed = ", ".join(settings.catalogs) or "none"
        raise TableError(f"No catalog is called '{catalog}'", f"Catalogs in the settings: {listed} (`floe doctor`)")
    return [(source, named_target(source, settings))]


def _is_path(source: str) -> bool:
    return "/" in source or source.startswith(".")


def _by_path(source: str, settings: Settings) -> Target:
    """The table at a path or an address."""
    path = Path(source)
    if "://" not in source and not path.exists():
        raise _nothing_at(source)
    target = _target(source if _is_path(source) else f"./{source}", settings)
    if path.is_dir() and not holds_table(path):
        raise TableError(f"{source} contains no Delta, Iceberg or Parquet table", "Pass a table folder or file")
    return target


def _nothing_at(source: str) -> TableError:
    return TableError(f"{source} does not exist", "Pass a table folder, a file, or a catalog name")


def _target(table: str, settings: Settings) -> Target:
    return find_target(settings, _EMPTY, Dataset(name="table"), TableSelector(table=table), None)


def _in_catalog(name: str, settings: Settings) -> list[str]:
    """A table of a catalog, else all of a namespace."""
    from floe.tables.iceberg import metadata as iceberg

    catalog, *rest = name.split(".")
    if not rest:
        raise TableError(f"'{catalog}' is a catalog", f"Pass a namespace, {catalog}.NAMESPACE, or a table")
    if len(rest) > 1 and iceberg.by_name(name, settings) is not None:
        return [name]
    tables = iceberg.tables_in(name, settings)
    if tables is None:
        raise TableError(
            f"The catalog '{catalog}' has no table or namespace {'.'.join(rest)}", "Check the name (`floe doctor`)"
        )
    if not tables:
        raise TableError(f"The namespace {name} has no tables", "Pass another namespace, or write its tables first")
    return tables


def _table(target: Target, shown: str, name: str | None, most: int, settings: Settings) -> SourceTable:
    called = (
        name or name_of(target.name.rsplit(".", 1)[-1] if target.name else str(target.path).rstrip("/")) or "dataset"
    )
    if reader_of(target).needs_spark(target):
        return _by_spark(target, called, most, settings)
    facts = probe(target, settings)
    if facts is None or facts.schema is None:
        raise TableError(f"There is no table at {shown}", "Pass a table folder, a Parquet file, or a catalog name")
    seen, read = _observed(target, facts, most, settings)
    ground = Evidence(seen, facts.files, facts.key, facts.partition, reader_of(target).descriptions(target))
    return SourceTable(called, shown, target, facts.schema, ground, read)


def _observed(target: Target, facts: "TableFacts", most: int, settings: Settings) -> tuple[Observation | None, str]:
    if most <= 0:
        return None, "No rows were read; the proposals come from the statistics of the table's files."

    assert facts.schema
    try:
        seen = engine.metadata.profile.observe(
            tables.batches.batches(target, facts.schema, settings), facts.schema, most
        )
    except tables.batches.NotReadHereError as why:
        return _observed_by_spark(target, facts.schema, why.message, settings)
    total = engine.metadata.proof.row_count(facts.files) if facts.files is not None else None
    return seen, _said(seen, total)


def _said(seen: Observation, total: int | None) -> str:
    if not seen.rows:
        return "The table has no rows, so there are no proposals."
    if seen.whole:
        return f"All {seen.rows:,} rows were read."
    of = f" of {total:,}" if total is not None else ""
    return f"The first {seen.rows:,}{of} rows were read (--rows); their values are only proposed."


def _observed_by_spark(target: Target, schema: Struct, why: str, settings: Settings) -> tuple[Observation | None, str]:
    try:
        frame = engine.spark.profile.frame_of(target, settings)
        seen = engine.spark.profile.observe_frame(frame, schema) if frame is not None else None
    except EngineError as error:
        return None, f"Its rows were not read: {why}, and {error.message}."
    return seen, _said(seen, seen.rows) if seen else "Its rows were not read."


def _by_spark(target: Target, name: str, most: int, settings: Settings) -> SourceTable:
    """A table that only Spark's own catalog knows."""
    frame = engine.spark.profile.frame_of(target, settings)
    if frame is None:
        raise TableError(f"There is no table {target}", "Pass a table folder, a Parquet file, or a catalog name")
    return _frame(frame, name, most, settings)._replace(target=target, shown=str(target))


def _frame(frame: Any, name: str, most: int, settings: Settings) -> SourceTable:
    """A DataFrame, or only its schema."""
    whole = hasattr(frame, "schema")
    schema = tables.spark.schema.struct_of(frame.schema if whole else frame)
    seen = engine.spark.profile.observe_frame(frame, schema) if whole and most > 0 else None
    read = _said(seen, seen.rows) if seen else "No rows were read."
    ground = Evidence(seen)
    return SourceTable(name, "a DataFrame" if whole else "a schema", None, schema, ground, read)
