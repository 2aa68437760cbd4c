"""Diff with a live table: its log compared with the contract, without Spark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import tables
from floe.actions.diff.contract_set import Source, load_set, refuse_broken
from floe.actions.load.find import with_values
from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.contract.compat.pairs import Terms
from floe.contract.compat.versions import name_of
from floe.contract.formats.odcs import step
from floe.lang.type_text import from_spark_json
from floe.model import Contract, ContractError, Dataset, Field, Finding, Map, Place, Severity, TableError
from floe.model.change import Change, Diff
from floe.model.codes import BY_CODE
from floe.model.types import Array, MapOf, Member, Struct, Type, accepts
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from floe.tables import TableFacts

_PREFIX = "table:"
# the facts of a table: columns, types, nullability, partition
_ROWS = ("C", "D", "K12")
_SILENT = (
    "only columns, types, nullability and partition are compared: "
    "a table has no rules, service levels, keys, classifications or owners"
)
_NOT_NULL = re.compile(r"\(?\s*(?:`(?P<quoted>[^`]+)`|(?P<plain>\w+))\s+IS\s+NOT\s+NULL\s*\)?", re.IGNORECASE)


def is_table(source: Source | None) -> bool:
    """Whether a source names a live table."""
    return isinstance(source, str) and source.startswith(_PREFIX) and "\n" not in source


@dataclass(frozen=True, slots=True)
class _LiveTable:
    """A table as its log shows it: name, columns, partition, and CHECK constraints that floe does not compare."""

    name: str
    schema: Struct
    partition: tuple[str, ...]
    others: tuple[str, ...]


def diff_table(old: Source, new: Source, terms: Terms, settings: Settings) -> Diff:
    """Where a contract and a live table differ, or two tables; the differences of a contract also as E53x findings."""
    if settings.untrusted:
        raise TableError("An untrusted checkout cannot read tables", "Read the checkout, then unset FLOE_UNTRUSTED")
    if is_table(old) and is_table(new):
        return _of_tables(str(old), str(new), terms, settings)
    table, source = (str(old), new) if is_table(old) else (str(new), old)
    contract = with_values(_contract(source, settings), settings)
    dataset = _dataset(contract, table)
    seen = _look(table, contract, dataset, settings)
    promised = replace(contract, datasets=(dataset,))
    actual = replace(contract, datasets=(_as_seen(dataset, seen),))
    first = is_table(old)
    found = _told(changes(*((actual, promised) if first else (promised, actual)), CHANGES, terms))
    return Diff(
        contract=name_of(contract),
        old=table if first else contract.version,
        new=contract.version if first else table,
        changes=found,
        findings=tuple(sorted(_findings(found, first, bool(dataset.partition)), key=lambda finding: -finding.severity)),
        notes=_notes(seen),
    )


def schema_findings(contract: Contract, actual: Any) -> list[Finding]:
    """The differences between the schema of a table and a contract with one dataset."""
    found = schema_changes(contract, actual)
    return sorted(_findings(found, first=False, parted=True), key=lambda finding: -finding.severity)


def schema_changes(contract: Contract, actual: Any) -> tuple[Change, ...]:
    """The same as changes from the contract to the table."""
    schema = actual if isinstance(actual, Struct) else from_spark_json(actual.jsonValue())
    if not isinstance(schema, Struct):
        raise TypeError(f"{schema} is not the schema of a table")
    if len(contract.datasets) != 1:
        raise ValueError(f"{contract.source or contract.id} has {len(contract.datasets)} datasets; one is compared")
    (dataset,) = contract.datasets
    named = tuple(field.column for field in dataset.partition)  # a schema has no partition columns
    seen = replace(contract, datasets=(_as_seen(dataset, _LiveTable("schema", schema, named, ())),))
    return _told(changes(contract, seen, CHANGES))


def _told(found: list[Change]) -> tuple[Change, ...]:
    return tuple(change for change in found if change.row.startswith(_ROWS))


def _notes(*tables: _LiveTable) -> tuple[str, ...]:
    held = [
        f"{live_table.name} has CHECK constraints that are not compared: {', '.join(live_table.others)}"
        for live_table in tables
        if live_table.others
    ]
    return (_SILENT, *held)


def _of_tables(old: str, new: str, terms: Terms, settings: Settings) -> Diff:
    empty = Contract(api_version="v3.1.0", id="table", version="0.0.0")
    tables = [_look(name, empty, Dataset(name=name.removeprefix(_PREFIX)), settings) for name in (old, new)]
    before, after = (
        replace(empty, datasets=(_as_seen(Dataset(name=tables[0].name.removeprefix(_PREFIX)), live_table),))
        for live_table in tables
    )
    found = _told(changes(before, after, CHANGES, terms))
    return Diff(contract=old, old=old, new=new, changes=found, notes=_notes(*tables))


def _contract(source: Source, settings: Settings) -> Contract:
    found = load_set(source, settings)
    refuse_broken(found)
    if len(found.contracts) != 1:
        raise ContractError(
            f"{found.name} contains {len(found.contracts)} contracts, but one is compared with a table",
            "Pass one contract file",
            "E500",
        )
    return found.contracts[0]


def _dataset(contract: Contract, table: str) -> Dataset:
    """The dataset of a table: the only one, or else the one of that name."""
    if len(contract.datasets) == 1:
        return contract.datasets[0]
    name = table.removeprefix(_PREFIX)
    for dataset in contract.datasets:
        names = {dataset.name, dataset.physical_name, contract.table_id(dataset)}
        if name in names or re.split(r"[./\\]", name.rstrip("/"))[-1] in names:
            return dataset
    raise ContractError(
        f"None of the {len(contract.datasets)} datasets of {contract.source or contract.id} has the name '{name}'",
        f"Its datasets: {', '.join(dataset.name for dataset in contract.datasets) or 'none'}",
        "E500",
    )


def _look(table: str, contract: Contract, dataset: Dataset, settings: Settings) -> _LiveTable:
    """The log of a table; TableError if there is none, or if it needs Spark."""
    name = table.removeprefix(_PREFIX)
    if not name:
        raise TableError(
            "table: has no table name", "Write the path or catalog name after the colon, e.g. table:out/orders"
        )
    way = TableSelector(table=f"./{name}" if Path(name).is_dir() else name)
    if name == contract.table_id(dataset) and name.split(".")[0] not in settings.catalogs:
        way = TableSelector()
    try:
        target = find_target(settings, contract, dataset, way, None)
        facts = tables.probe(target, settings)
    except TableError as error:
        said = error.suggestion.replace("with --table", "after table:")
        raise TableError(error.message, said, error.code) from None
    if facts is None or facts.schema is None:
        raise TableError(f"There is no table at {target}", "Pass a Delta folder, or a table of one of the catalogs")
    return _seen(table, facts)


def _seen(table: str, facts: "TableFacts") -> _LiveTable:
    assert facts.schema is not None
    checks = {key: text for key, text in facts.properties.items() if key.startswith("delta.constraints.")}
    filled = {key: found for key, text in checks.items() if (found := _NOT_NULL.fullmatch(text.strip()))}
    names = {found["quoted"] or found["plain"] for found in filled.values()}
    members = tuple(
        replace(member, nullable=member.nullable and member.name not in names) for member in facts.schema.members
    )
    others = tuple(key.removeprefix("delta.constraints.") for key in checks if key not in filled)
    return _LiveTable(table, Struct(members), facts.partition, others)


def _as_seen(dataset: Dataset, seen: _LiveTable) -> Dataset:
    """The dataset as the table has it; facts that a table does not have come from the contract."""
    fields = _members(dataset.fields, seen.schema, "", True, dataset.node.place)
    positions = {name: index for index, name in enumerate(seen.partition, 1)}
    return replace(
        dataset, fields=tuple(replace(field, partition_position=positions.get(field.column)) for field in fields)
    )


def _members(fields: tuple[Field, ...], actual: Struct, prefix: str, sure: bool, place: Place) -> tuple[Field, ...]:
    by_name = {field.column: field for field in fields}
    by_case = {field.column.casefold(): field for field in fields}
    there = {member.name for member in actual.members}
    out = []
    for member in actual.members:
        near = by_case.get(member.name.casefold())
        field = by_name.get(member.name) or (near if near and near.column not in there else None)
        out.append(_field(field, member, sure) if field else _unpromised(member, prefix, place))
    return tuple(out)


def _unpromised(member: Member, prefix: str, place: Place) -> Field:
    node = Map(place)
    node.update(name=member.name, physicalType=str(member.type))
    path = f"{prefix}{step(member.name)}"
    return Field(
        name=member.name, column=member.name, path=path, type=member.type, required=not member.nullable, node=node
    )


def _field(field: Field, member: Member, sure: bool) -> Field:
    """A field of the contract with the type and nullability of the table.

    Inside arrays, maps and optional structs a table has no NOT NULL, so nullability there means nothing.
    """
    required = not member.nullable or (field.required and not sure)
    inside = sure and not member.nullable
    below: tuple[Field, ...] = ()
    match member.type:
        case Struct() as struct if field.fields and isinstance(field.type, Struct):
            below = _members(field.fields, struct, f"{field.path}.", inside, field.node.place)
        case Array(element, nullable) if field.fields and isinstance(field.type, Array):
            below = (_field(field.fields[0], Member("", element, nullable), False),)
        case MapOf(key, value, nullable) if field.fields and isinstance(field.type, MapOf):
            parts = (Member("", key, False), Member("", value, nullable))
            below = tuple(_field(one, part, False) for one, part in zip(field.fields, parts, strict=True))
    name = member.name or field.column
    type_ = _type(field.type, member.type, inside)
    return replace(field, column=name, type=type_, required=required, fields=below, type_error=None)


def _type(promised: Type, actual: Type, sure: bool) -> Type:
    """The type of the table, with the type of the contract where the two are compatible."""
    match promised, actual:
        case Struct(), Struct(members):
            mine = {member.name: member for member in promised.members}
            return Struct(tuple(_member(mine.get(member.name), member, sure) for member in members))
        case Array(element, nullable), Array(other, other_nullable):
            return Array(_type(element, other, False), nullable and other_nullable)
        case MapOf(key, value, nullable), MapOf(other_key, other_value, other_nullable):
            return MapOf(_type(key, other_key, False), _type(value, other_value, False), nullable and other_nullable)
    return promised if accepts(promised, actual) or str(promised) == str(actual) else actual


def _member(promised: Member | None, actual: Member, sure: bool) -> Member:
    if promised is None:
        return actual
    nullable = actual.nullable and (promised.nullable or sure)
    return Member(actual.name, _type(promised.type, actual.type, sure and not actual.nullable), nullable)


def _findings(found: tuple[Change, ...], first: bool, parted: bool) -> Iterator[Finding]:
    """The differences as drift of the table; `first` where the table is the old side."""
    for change in found:
        code, name, severity = _drift(change, first, parted)
        if code:
            contract, table = (change.new, change.old) if first else (change.old, change.new)
            yield Finding(
                code,
                name,
                severity or BY_CODE[code].severity,
                f"{_WORDS[name]} '{change.path}'",
                f"Contract: {_shown(contract)}, Table: {_shown(table)}",
                "Correct the table, or publish a new version of the contract",
                change.place,
            )


_WORDS = {
    "type-mismatch": "Type mismatch for column",
    "missing-column": "The table has no column",
    "extra-column": "The contract has no column",
    "nullability-drift": "Nullability differs for column",
    "partition-drift": "Partition differs for",
}


def _drift(change: Change, first: bool, parted: bool) -> tuple[str, str, Severity | None]:
    match change.change:
        case "type-changed" | "timezone-changed" if change.klass != "alias":
            return "E530", "type-mismatch", None
        case "field-removed":
            return ("E532", "extra-column", None) if first else ("E531", "missing-column", None)
        case "field-added" | "required-field-added":
            return ("E531", "missing-column", None) if first else ("E532", "extra-column", None)
        case "field-case-changed":
            return "E531", "missing-column", Severity.WARNING
        case "field-made-required" | "field-made-optional" | "element-made-required" | "element-made-optional":
            return "E533", "nullability-drift", None
        case "partition-changed":
            # a contract without partition columns does not require any
            return "E534", "partition-drift", None if parted else Severity.INFO
    return "", "", None


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value or "nothing")
