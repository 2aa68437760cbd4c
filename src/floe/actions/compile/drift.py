"""What the tables that can be reached without Spark say to a contract."""

import os

from floe import tables
from floe.engine.metadata.schema import Difference, differences
from floe.model import Contract, Dataset, Finding, FloeError, Severity, locate
from floe.model.table import Target
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

_ROOTS = "sqlite:///"


def targets(contract: Contract, settings: Settings) -> list[tuple[Dataset, Target]]:
    """The table of each dataset, where the contract and the settings say one."""
    found = []
    for dataset in () if settings.untrusted else contract.datasets:
        try:
            found.append((dataset, find_target(settings, contract, dataset, TableSelector(), None)))
        except FloeError:
            continue
    return found


def drift(tables: list[tuple[Dataset, Target]], settings: Settings) -> tuple[list[str], list[Finding]]:
    """The tables that were compared, and where they differ from the contract."""
    compared: list[str] = []
    found: list[Finding] = []
    for dataset, target in tables:
        try:
            schema = _schema(target, settings) if reachable(target.name, target.path, settings) else None
        except FloeError:
            continue
        if schema is not None:
            compared.append(str(target))
            found += [_finding(dataset, difference, str(target)) for difference in differences(dataset.schema, schema)]
    return compared, found


def reachable(name: str | None, path: str | None, settings: Settings) -> bool:
    """Whether there may be a table that can be asked without Spark: a folder with a log, or a catalog in a file."""
    if path:
        return os.path.isdir(os.path.join(path, "_delta_log"))
    uri = str((settings.catalogs.get((name or "").split(".")[0]) or {}).get("uri", ""))
    return uri.startswith(_ROOTS) and (settings.root / uri.removeprefix(_ROOTS)).is_file()


def _schema(target: Target, settings: Settings) -> Struct | None:
    """A table's columns with their types; None where there is no table."""
    return tables.reader_of(target).schema(target, settings)


def _finding(dataset: Dataset, difference: Difference, table: str) -> Finding:
    top = difference.path.split(".", 1)[0].split("[", 1)[0].split("{", 1)[0]
    field = next((field for field in dataset.fields if field.column == top), None)
    if difference.code == "E532":
        text = f"Table has column '{dataset.name}.{difference.path}', which the contract does not"
        place = locate(dataset.node, "properties", key=True)
        return Finding("E532", difference.name, Severity.INFO, text, f"Table: {table}", "", place, dataset.at)
    suggestion = "Update contract schema or table definition to match"
    text, detail = f"Column '{dataset.name}.{difference.path}' is not in the table", f"Table: {table}"
    if difference.code == "E530":
        text = f"Type mismatch for column '{difference.path}'"
        detail = f"Contract: {difference.expected}, Table: {difference.actual}"
    place = locate((field or dataset).node, "name")
    return Finding(
        difference.code, difference.name, Severity.CRITICAL, text, detail, suggestion, place, (field or dataset).at
    )
