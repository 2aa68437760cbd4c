"""A table's snapshot and columns in one word: whether something was committed, without reading statistics."""

import os

from floe.model.settings import Settings
from floe.model.table import Target


def snapshot(target: Target, settings: Settings) -> str | None:
    """The snapshot's name, of Iceberg with its schema's number: an ALTER TABLE makes no snapshot there.

    None where there is no table, TableError where it is out of reach.
    """
    if target.format == "iceberg":
        from floe.data.tables import iceberg  # noqa: PLC0415  (heavy)

        table = iceberg.open_table(target, settings)
        now = table.current_snapshot() if table else None
        return f"{now.snapshot_id} {table.metadata.current_schema_id}" if table and now else None
    if target.format == "parquet":
        from floe.data.tables.folder import list_files  # noqa: PLC0415  (heavy)

        found = list_files(str(target.path))
        return found.snapshot if found else None
    return _delta(target, settings)


def _delta(target: Target, settings: Settings) -> str | None:
    """The newest commit's file, where the log is a folder here; else what the log's reader says."""
    if target.path and "://" not in target.path:
        log = os.path.join(target.path, "_delta_log")
        if not os.path.isdir(log):
            return None
        with os.scandir(log) as entries:
            return max(
                (one.name for one in entries if one.name.endswith(".json") and one.name[:20].isdigit()), default=None
            )
    from floe.data.tables.facts import probe  # noqa: PLC0415  (only where the log is elsewhere)

    facts = probe(target, settings)
    return facts.snapshot if facts else None
