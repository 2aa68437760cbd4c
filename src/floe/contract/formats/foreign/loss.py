"""What a contract says that a target format cannot hold."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from floe.contract.formats.foreign.table import SchemaTable, holds_option
from floe.model import Contract, Dataset, Field, QualityRule
from floe.model.types import Family

# Every key of the tree belongs to an aspect; a key in no table is an aspect of its own, so nothing is lost unsaid.
_STRUCTURE = ""
_ROOT = {
    **dict.fromkeys(("apiVersion", "kind", "schema"), _STRUCTURE),
    **dict.fromkeys(
        ("id", "name", "version", "status", "domain", "dataProduct", "tenant", "contractCreatedTs"), "identity"
    ),
    "description": "purpose and terms",
    "authoritativeDefinitions": "links",
    "slaProperties": "service levels",
    "slaDefaultElement": "service levels",
    "customProperties": "custom properties",
}
_DATASET = {
    **dict.fromkeys(("name", "logicalType", "properties"), _STRUCTURE),
    "physicalType": "physical kind",
    "physicalName": "physical name",
    "description": "dataset description",
    "quality": "quality rules",
    "relationships": "references",
    "authoritativeDefinitions": "links",
    "customProperties": "custom properties",
    "dataGranularityDescription": "granularity",
    "businessName": "business names",
    "id": "ids",
}
_FIELD = {
    **_DATASET,
    **dict.fromkeys(("required", "items", "map", "physicalType"), _STRUCTURE),
    **dict.fromkeys(("primaryKey", "primaryKeyPosition"), "primary key"),
    **dict.fromkeys(("partitioned", "partitionKeyPosition"), "partitioning"),
    **dict.fromkeys(("transformSourceObjects", "transformLogic", "transformDescription"), "lineage"),
    "physicalName": "logical names",
    "description": "descriptions",
    "unique": "unique",
    "enum": "listed values",
    "classification": "classification",
}
_OPTIONS = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "bounds"),
    **dict.fromkeys(("minLength", "maxLength"), "lengths"),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems"), "item counts"),
    "pattern": "patterns",
    "format": "formats",
}
_WIDTHS = ("i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128", "f32", "f64")
_NOTHING = (None, False, "", -1)
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class LostParts:
    """One kind of thing that did not fit, and where it stood."""

    what: str
    where: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = f" and {len(self.where) - _SHOWN} more" if len(self.where) > _SHOWN else ""
        return f"{self.what}: {', '.join(self.where[:_SHOWN])}{more}" if self.where else self.what


def losses(
    contract: Contract, datasets: Sequence[Dataset], holds: Set[str], nested: bool = True
) -> tuple[LostParts, ...]:
    """What of the contract and these datasets the target does not hold; `nested` says whether below columns too."""
    found: dict[str, list[str]] = {}
    for aspect, where in (*_contract_aspects(contract), *_dataset_aspects(datasets)):
        if aspect not in holds:
            found.setdefault(aspect, []).append(where)
    for dataset, part in ((owner, part) for owner in datasets for part in owner.walk()):
        for aspect in _field_aspects(part):
            if aspect not in holds or (not nested and len(part.at) > len(dataset.at) + 2):
                found.setdefault(aspect, []).append(f"{dataset.name}.{part.path}")
    found.pop(_STRUCTURE, None)
    return tuple(LostParts(aspect, tuple(dict.fromkeys(where))) for aspect, where in found.items())


def type_notes(datasets: Sequence[Dataset], closes: bool = True) -> tuple[LostParts, ...]:
    """Types that were not read, and families that a target with one type per column closes."""
    fields = [(f"{dataset.name}.{part.path}", part) for dataset in datasets for part in dataset.walk()]
    unread = tuple(f"{path} '{part.physical_type}' as {part.type}" for path, part in fields if part.type_error)
    open_ = tuple(f"{path} ({part.type})" for path, part in fields if closes and isinstance(part.type, Family))
    notes = (
        LostParts("physical types floe does not know", unread),
        LostParts("types without a physical type, written as their widest member", open_),
    )
    return tuple(note for note in notes if note.where)


def reading_notes(tables: Sequence[SchemaTable]) -> tuple[LostParts, ...]:
    """What a schema document says of its columns that ODCS has no place for."""
    parts = [(f"{table.name}.{part.path}", part) for table in tables for part in table.walk()]
    odd = tuple(f"{where} {key}" for where, part in parts for key in part.options if not holds_option(part, key))
    return (LostParts("options that ODCS does not have", odd),) if odd else ()


def _contract_aspects(contract: Contract) -> Iterator[tuple[str, str]]:
    for key, value in contract.node.items():
        for where in _whereabouts(key, value):
            yield _ROOT.get(key, key), where


def _whereabouts(key: str, value: Any) -> list[str]:
    """The names by which the entries of a root key are known."""
    if value in _NOTHING or value in ([], {}):
        return []
    if isinstance(value, list):
        labels = ("property", "server", "channel", "role", "username", "url", "type")
        return [next((str(e[k]) for k in labels if k in e), key) if isinstance(e, Mapping) else str(e) for e in value]
    return [key]


def _dataset_aspects(datasets: Sequence[Dataset]) -> Iterator[tuple[str, str]]:
    for dataset in datasets:
        for key, value in dataset.node.items():
            if key == "quality":
                yield from ((_rule_aspect(rule), dataset.name) for rule in dataset.rules)
            elif value not in (*_NOTHING, "table", [], {}):
                yield _DATASET.get(key, key), dataset.name


def _field_aspects(part: Field) -> Iterator[str]:
    for key, value in part.node.items():
        if value in _NOTHING or value in ([], {}):
            continue
        if key == "logicalTypeOptions":
            yield from (_option_aspect(option, given) for option, given in value.items())
        elif key == "quality":
            yield from map(_rule_aspect, part.rules)
        elif key == "physicalName":
            yield "logical names" if value != part.node.get("name") else _STRUCTURE
        elif key == "description" and not part.name:
            yield "descriptions of elements"
        else:
            yield _FIELD.get(key, key)


def _option_aspect(option: str, value: Any) -> str:
    return _STRUCTURE if option == "format" and value in _WIDTHS else _OPTIONS.get(option, option)


def _rule_aspect(rule: QualityRule) -> str:
    return "listed values" if rule.valid_values is not None else "quality rules"
