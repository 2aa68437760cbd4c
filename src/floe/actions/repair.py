"""Repair: files of an Iceberg table that carry no field ids are written again, with them."""

from dataclasses import dataclass
from typing import Any

from floe.actions.find import find_contract
from floe.actions.find_table import Way, find_target
from floe.model import TableError
from floe.model.settings import Settings


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


def repair(name: str, settings: Settings, way: Way) -> Repaired:
    """Write a table's files again where one of them carries no field ids; else change nothing."""
    from floe.data.tables.field_ids import field_ids
    from floe.registry import open_store

    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset) or dataset.name
    target = find_target(
        settings, contract, dataset, way, open_store(settings["registry.url"], settings.root).table(table_id)
    )
    if target.format != "iceberg" or not target.name:
        raise TableError(
            f"{target} is no Iceberg table of a catalog; only these have field ids that can be repaired",
            "Name the table as its catalog does with --table",
        )
    found = field_ids(target, settings)
    if found is None:
        raise TableError(f"The table {target} does not exist", "Write it first, or name another with --table")
    if not found.lacking:
        return Repaired(str(target), 0, found.files, None)
    from floe.data.spark.repair import rewrite

    snapshot = rewrite(target, settings)
    left = field_ids(target, settings)
    if left is None or left.lacking:
        raise TableError(f"{target} still holds files without field ids", "Repeat when nobody else adds files to it")
    return Repaired(str(target), found.lacking, found.files, snapshot)
