"""What the tables that can be reached without Spark say to a contract."""

from pathlib import Path

from floe.actions.find_table import Way, find_target
from floe.model import Contract, Dataset, Field, Finding, FloeError, Severity, locate
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct, Type, accepts


def drift(contract: Contract, settings: Settings) -> tuple[list[str], list[Finding]]:
    """The tables that were compared, and where they differ from the contract."""
    compared: list[str] = []
    found: list[Finding] = []
    for dataset in contract.datasets:
        try:
            target = find_target(settings, contract, dataset, Way(), None)
            columns = _columns(target, settings)
        except FloeError:
            continue
        if columns is not None:
            compared.append(str(target))
            found += _compared(dataset, columns, str(target))
    return compared, found


def _columns(target: Target, settings: Settings) -> dict[str, Type | None] | None:
    """The columns of a table with their types where they are known; None where no table is reachable."""
    if target.format == "delta":
        if not target.path or not (Path(target.path) / "_delta_log").is_dir():
            return None
        from floe.contract.formats import json_text, spark_json
        from floe.data.tables.delta import spark_schema

        table = spark_json.read(json_text.parse(spark_schema(target.path), target.path), "table")
        return {column.name: column.type for column in table.columns}
    uri = str((settings["catalogs"].get((target.name or "").split(".")[0]) or {}).get("uri", ""))
    if not uri.startswith("sqlite:///") or not (settings.root / uri.removeprefix("sqlite:///")).is_file():
        return None
    from floe.data.tables import probe

    facts = probe(target, settings)
    return dict.fromkeys(facts.columns) if facts else None


def _compared(dataset: Dataset, columns: dict[str, Type | None], table: str) -> list[Finding]:
    found = []
    for field in dataset.fields:
        path = f"{dataset.name}.{field.path}"
        if field.column not in columns:
            found.append(
                _finding("E531", "missing-column", field, f"Column '{path}' is not in the table", f"Table: {table}")
            )
        elif (actual := columns[field.column]) and not _fits(field.type, actual):
            said = f"Contract: {field.type}, Table: {actual}"
            found.append(_finding("E530", "type-mismatch", field, f"Type mismatch for column '{field.path}'", said))
    known = {field.column for field in dataset.fields}
    for name in columns:
        if name not in known:
            text = f"Table has column '{dataset.name}.{name}', which the contract does not"
            place = locate(dataset.node, "properties", key=True)
            found.append(Finding("E532", "extra-column", Severity.INFO, text, f"Table: {table}", "", place, dataset.at))
    return found


def _fits(promised: Type, actual: Type) -> bool:
    return isinstance(promised, Struct) or accepts(promised, actual) or str(promised) == str(actual)


def _finding(code: str, name: str, field: Field, text: str, detail: str) -> Finding:
    suggestion = "Update contract schema or table definition to match"
    place = locate(field.node, "name")
    return Finding(code, name, Severity.CRITICAL, text, detail, suggestion, place, field.at)
