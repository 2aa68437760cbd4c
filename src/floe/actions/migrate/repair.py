"""Repair: files of an Iceberg table that carry no field ids are written again, with them."""

from dataclasses import dataclass
from typing import Any

from floe import engine, registry, tables
from floe.actions.load.find import find_contract
from floe.model import TableError
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target


@dataclass(frozen=True, slots=True)
class Repaired:
    """A table, how many of its files carried no field ids, and its snapshot after they were written again."""

    table: str
    lacking: int
    files: int
    snapshot: str | None

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {"table": self.table, "lacking": self.lacking, "files": self.files, "snapshot": self.snapshot}


def repair(name: str, settings: Settings, way: TableSelector) -> Repaired:
    """Write a table's files again where one of them carries no field ids; else change nothing."""
    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset) or dataset.name
    target = find_target(
        settings, contract, dataset, way, registry.open_store(settings.registry.url, settings.root).table(table_id)
    )
    reader = tables.reader_of(target)
    if not target.name or reader.needs_spark(target):
        raise TableError(
            f"{target} is not an Iceberg table of a catalog; only those can be repaired",
            "Pass the catalog name of the table with --table",
        )
    found = reader.files_without_ids(target, settings)
    if found is None:
        raise TableError(f"The table {target} does not exist", "Write it first, or pass another table with --table")
    if not found.lacking:
        return Repaired(str(target), 0, found.files, None)

    snapshot = engine.spark.repair.rewrite(target, settings)
    left = reader.files_without_ids(target, settings)
    if left is None or left.lacking:
        raise TableError(f"{target} still has files without field ids", "Run it again when no other writer adds files")
    return Repaired(str(target), found.lacking, found.files, snapshot)
