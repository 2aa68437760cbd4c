"""Find the tables that a bootstrap begins with, and look at their rows."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from floe.actions.bootstrap_propose import Ground
from floe.actions.find_table import Way, find_target
from floe.contract.formats.documents import name_of
from floe.model import Contract, Dataset, EngineError, TableError
from floe.model.observed import Observation
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct

if TYPE_CHECKING:
    from floe.data.tables import TableFacts

_FILES = (".sql", ".ddl", ".json", ".avsc", ".yaml", ".yml", ".parquet", ".parq", ".pq", ".csv", ".orc", ".avro")
_EMPTY = Contract(api_version="v3.1.0", id="table", version="1.0.0")


class Found(NamedTuple):
    """A table: its name, how its source is called, its columns, what else is known, and how its rows were read."""

    name: str
    shown: str
    target: Target | None
    schema: Struct
    ground: Ground
    read: str


def find_tables(source: Any, name: str | None, most: int, settings: Settings) -> list[Found]:
    """Every table of a source: the only one, those of a namespace, those of a folder of tables."""
    if not isinstance(source, str | Path):
        return [_frame(source, name or "dataset", most, settings)]
    targets = _targets(str(source), settings)
    if name and len(targets) > 1:
        raise TableError(f"{source} holds {len(targets)} tables, which cannot all be called '{name}'", "Name one table")
    return [_table(target, shown, name, most, settings) for shown, target in targets]


def _targets(source: str, settings: Settings) -> list[tuple[str, Target]]:
    path = Path(source)
    first = source.split(".", maxsplit=1)[0]
    if os.path.isdir(path) and (below := _tables_below(path)):
        return [(str(one), _target(f"./{one}" if not one.is_absolute() else str(one), settings)) for one in below]
    if os.path.exists(path) or "/" in source or source.startswith("."):
        if "://" not in source and not os.path.exists(path):
            raise TableError(f"There is nothing at {source}", "Name a table's folder, a file, or a catalog name")
        named = source if "/" in source or source.startswith(".") else f"./{source}"
        target = _target(named, settings)
        if os.path.isdir(path) and target.format == "delta" and not (path / "_delta_log").is_dir():
            raise TableError(f"{source} holds no Delta, Iceberg or Parquet table", "Name a table's folder or file")
        return [(source, target)]
    if first in settings["catalogs"]:
        return [(one, Target("iceberg", one)) for one in _in_catalog(source, settings)]
    if "." not in source or source.endswith(_FILES):
        raise TableError(f"There is nothing at {source}", "Name a table's folder, a file, or a catalog name")
    if source.count(".") > 1 and first != "spark_catalog":
        listed = ", ".join(settings["catalogs"]) or "none"
        raise TableError(f"No catalog is called '{first}'", f"Catalogs in the settings: {listed} (`floe doctor`)")
    return [(source, Target("delta", source))]


def _target(table: str, settings: Settings) -> Target:
    return find_target(settings, _EMPTY, Dataset(name="table"), Way(table=table), None)


def _tables_below(folder: Path) -> list[Path]:
    """The Delta and Iceberg tables that stand side by side in a folder."""
    if (folder / "_delta_log").is_dir() or (folder / "metadata").is_dir():
        return []
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise TableError(f"{folder} cannot be read: {error.strerror}", "Check its permissions") from None
    return [one for one in entries if (one / "_delta_log").is_dir() or any((one / "metadata").glob("*.metadata.json"))]


def _in_catalog(name: str, settings: Settings) -> list[str]:
    """A table of a catalog, else all of a namespace."""
    from floe.data.tables import iceberg

    catalog, *rest = name.split(".")
    if not rest:
        raise TableError(f"'{catalog}' is a catalog", f"Name a namespace of it, {catalog}.NAMESPACE, or a table")
    if len(rest) > 1 and iceberg.by_name(name, settings) is not None:
        return [name]
    tables = iceberg.tables_in(name, settings)
    if tables is None:
        raise TableError(
            f"The catalog '{catalog}' has no table or namespace {'.'.join(rest)}", "Check the name (`floe doctor`)"
        )
    if not tables:
        raise TableError(f"The namespace {name} has no tables", "Name another namespace, or write its tables first")
    return tables


def _table(target: Target, shown: str, name: str | None, most: int, settings: Settings) -> Found:
    called = (
        name or name_of(target.name.rsplit(".", 1)[-1] if target.name else str(target.path).rstrip("/")) or "dataset"
    )
    if target.format == "delta" and target.name:
        return _by_spark(target, called, most, settings)
    from floe.data.tables import probe

    facts = probe(target, settings)
    if facts is None or facts.schema is None:
        raise TableError(f"There is no table at {shown}", "Name a table's folder, a Parquet file, or a catalog name")
    seen, read = _observed(target, facts, most, settings)
    ground = Ground(seen, facts.files, facts.key, facts.partition, _descriptions(target))
    return Found(called, shown, target, facts.schema, ground, read)


def _descriptions(target: Target) -> dict[str, str]:
    """What the table itself says of its columns."""
    if target.format != "delta":
        return {}
    from floe.data.tables.delta import spark_schema

    fields = json.loads(spark_schema(str(target.path)))["fields"]
    return {one["name"]: one["metadata"]["comment"] for one in fields if (one.get("metadata") or {}).get("comment")}


def _observed(target: Target, facts: "TableFacts", most: int, settings: Settings) -> tuple[Observation | None, str]:
    if most <= 0:
        return None, "No rows were read; what follows of them is from the statistics of the table's files."
    from floe.data.observe import observe
    from floe.data.observe_rows import NotReadHereError, batches
    from floe.data.prove import row_count

    assert facts.schema
    try:
        seen = observe(batches(target, facts.schema, settings), facts.schema, most)
    except NotReadHereError as why:
        return _observed_by_spark(target, facts.schema, why.message, settings)
    total = row_count(facts.files) if facts.files is not None else None
    return seen, _said(seen, total)


def _said(seen: Observation, total: int | None) -> str:
    if not seen.rows:
        return "The table has no rows, so nothing more is known of them."
    if seen.whole:
        return f"All {seen.rows:,} rows were read."
    of = f" of {total:,}" if total is not None else ""
    return f"The first {seen.rows:,}{of} rows were read (--rows); what only they show is never more than proposed."


def _observed_by_spark(target: Target, schema: Struct, why: str, settings: Settings) -> tuple[Observation | None, str]:
    from floe.data.spark.observe import frame_of, observe_frame

    try:
        frame = frame_of(target, settings)
        seen = observe_frame(frame, schema) if frame is not None else None
    except EngineError as error:
        return None, f"Its rows were not read: {why}, and {error.message}."
    return seen, _said(seen, seen.rows) if seen else "Its rows were not read."


def _by_spark(target: Target, name: str, most: int, settings: Settings) -> Found:
    """A table that only Spark's own catalog knows."""
    from floe.data.spark.observe import frame_of

    frame = frame_of(target, settings)
    if frame is None:
        raise TableError(f"There is no table {target}", "Name a table's folder, a Parquet file, or a catalog name")
    return _frame(frame, name, most, settings)._replace(target=target, shown=str(target))


def _frame(frame: Any, name: str, most: int, settings: Settings) -> Found:
    """A DataFrame, or only its schema."""
    from floe.data.spark.observe import observe_frame
    from floe.data.spark.schema import struct_of

    whole = hasattr(frame, "schema")
    schema = struct_of(frame.schema if whole else frame)
    seen = observe_frame(frame, schema) if whole and most > 0 else None
    read = _said(seen, seen.rows) if seen else "No rows were read."
    ground = Ground(seen)
    return Found(name, "a DataFrame" if whole else "a schema", None, schema, ground, read)
