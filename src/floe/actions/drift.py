"""What the tables that can be reached without Spark say to a contract."""

import os

from floe.actions.find_table import Way, find_target
from floe.data.plan.schema import Difference, differences
from floe.model import Contract, Dataset, Finding, FloeError, Severity, locate
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct

_ROOTS = "sqlite:///"


def targets(contract: Contract, settings: Settings) -> list[tuple[Dataset, Target]]:
    """The table of each dataset, where the contract and the settings say one."""
    found = []
    for dataset in () if settings.untrusted else contract.datasets:
        try:
            found.append((dataset, find_target(settings, contract, dataset, Way(), None)))
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
            found += [_finding(dataset, one, str(target)) for one in differences(dataset.schema, schema)]
    return compared, found


def reachable(name: str | None, path: str | None, settings: Settings) -> bool:
    """Whether there may be a table that can be asked without Spark: a folder with a log, or a catalog in a file."""
    if path:
        return os.path.isdir(os.path.join(path, "_delta_log"))
    uri = str((settings["catalogs"].get((name or "").split(".")[0]) or {}).get("uri", ""))
    return uri.startswith(_ROOTS) and (settings.root / uri.removeprefix(_ROOTS)).is_file()


def _schema(target: Target, settings: Settings) -> Struct | None:
    """A table's columns with their types; None where there is no table."""
    if target.path and target.format == "delta":
        from floe.contract.formats import json_text, spark_json
        from floe.data.tables.delta import spark_schema
        from floe.model.types import Member

        table = spark_json.read(json_text.parse(spark_schema(target.path), target.path), "table")
        return Struct(tuple(Member(column.name, column.type) for column in table.columns))
    from floe.data.tables import probe

    facts = probe(target, settings)
    return facts.schema if facts else None


def _finding(dataset: Dataset, one: Difference, table: str) -> Finding:
    top = one.path.split(".", 1)[0].split("[", 1)[0].split("{", 1)[0]
    field = next((each for each in dataset.fields if each.column == top), None)
    if one.code == "E532":
        text = f"Table has column '{dataset.name}.{one.path}', which the contract does not"
        place = locate(dataset.node, "properties", key=True)
        return Finding("E532", one.name, Severity.INFO, text, f"Table: {table}", "", place, dataset.at)
    suggestion = "Update contract schema or table definition to match"
    text, detail = f"Column '{dataset.name}.{one.path}' is not in the table", f"Table: {table}"
    if one.code == "E530":
        text = f"Type mismatch for column '{one.path}'"
        detail = f"Contract: {one.expected}, Table: {one.actual}"
    place = locate((field or dataset).node, "name")
    return Finding(one.code, one.name, Severity.CRITICAL, text, detail, suggestion, place, (field or dataset).at)
