"""Schema documents of other tools as ODCS trees."""

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from floe.contract.formats.foreign import avro_read, dbt_manifest, json_schema_read, spark_json, sql_ddl
from floe.contract.formats.foreign.loss import LostParts, reading_notes
from floe.contract.formats.foreign.table import SchemaTable, document
from floe.contract.formats.text import json_text
from floe.model import ContractError, Map, Place, yaml_text

_SUFFIXES = re.compile(r"\.(schema|odcs|datacontract|avsc|json|sql|yaml|yml|ddl)(?=\.|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Documents:
    """What a document of another tool makes: one tree per contract, and what ODCS has no place for in each."""

    kind: str
    trees: tuple[tuple[str, Map, tuple[LostParts, ...]], ...]


def read(data: bytes, source: str, model: str | None = None, dialect: str | None = None) -> Documents | None:
    """The contracts in a document of another tool; None where it is none, ContractError where it is broken."""
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")
    if source.lower().endswith((".sql", ".ddl")) or sql_ddl.recognises(text):
        return _sql(text, source, dialect)
    tree = _tree(text, source)
    if dbt_manifest.recognises(tree):
        return _dbt(tree, source, model)
    name = name_of(source)
    if spark_json.recognises(tree):
        return _whole("Spark schema", name, (spark_json.read(tree, name),), (), tree.place)
    if avro_read.recognises(tree):
        tables, lost = avro_read.read(tree)
        return _whole("Avro schema", tables[0].name, tables, lost, tree.place)
    if json_schema_read.recognises(tree):
        table, lost = json_schema_read.read(tree, name)
        return _whole("JSON Schema", table.name, (table,), lost, tree.place)
    return None


def name_of(source: str) -> str:
    """A contract's name after the file it came from.

    >>> name_of("schemas/orders.schema.json"), name_of("<text>")
    ('orders', 'dataset')
    """
    stem = _SUFFIXES.sub("", PurePath(source.replace("\\", "/")).name)
    return re.sub(r"[^\w.-]+", "_", stem).strip("_") if not source.startswith("<") else "dataset"


def _tree(text: str, source: str) -> Any:
    """The document as a tree where it may be one of ours; None leaves it to the reader of contracts."""
    if text.lstrip()[:1] in ("{", "["):
        return json_text.parse(text, source)
    if "$schema" not in text[:2000] and '"type"' not in text[:2000]:
        return None
    try:
        return yaml_text.parse(text, source)
    except ContractError:
        return None


def _whole(
    kind: str, name: str, tables: tuple[SchemaTable, ...], lost: tuple[LostParts, ...], place: Place
) -> Documents:
    tree = document(name, tables, place)
    return Documents(kind, ((name, tree, (*lost, *reading_notes(tables))),))


def _sql(text: str, source: str, dialect: str | None) -> Documents:
    found = sql_ddl.read(text, source, dialect)
    name = found.tables[0].name if len(found.tables) == 1 else name_of(source)
    return _whole(f"{found.dialect} SQL", name, found.tables, found.lost, Place(source, 1, 1))


def _dbt(tree: Map, source: str, model: str | None) -> Documents:
    manifest = dbt_manifest.Manifest(tree, source)
    names = dbt_manifest.only_model(manifest, model)
    return Documents("dbt manifest", tuple((name, *manifest.contract(name)) for name in names))
