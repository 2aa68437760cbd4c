"""A2 metadata-changed, and respelled for what is written otherwise and promises the same."""

from collections.abc import Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import (
    ContractPair,
    DatasetPair,
    FieldPair,
    Pair,
    RelationshipPair,
    RulePair,
    ServerPair,
    SlaPair,
)
from floe.contract.compat.parts import DocumentPart, contract_parts, differing
from floe.contract.formats.dialects.column import logical
from floe.contract.formats.odcs import step
from floe.lang.json_text import dumps, plain
from floe.model import Field
from floe.model.change import Bump, Impact
from floe.model.types import MapOf

DATASET_KEYS = (
    *("name", "physicalName", "physicalType", "dataGranularityDescription", "properties", "quality", "relationships"),
)
DATASET_CUSTOM = ("measures", "dimensions", "featureSet", "joinKeys", "snapshotKeys", "layer")
FIELD_KEYS = (
    *("name", "physicalName", "logicalType", "physicalType", "logicalTypeOptions", "required", "unique", "enum"),
    *("primaryKey", "primaryKeyPosition", "partitioned", "partitionKeyPosition", "classification", "encryptedName"),
    *("transformLogic", "criticalDataElement", "quality", "relationships", "properties", "items", "map"),
)
FIELD_CUSTOM = ("default", "renamedFrom")
RELATIONSHIP_KEYS = ("type", "from", "to")
_CHILDREN = ("properties", "items", "map", "quality", "relationships")
_IDENTITY = ("id", "name", "domain", "dataProduct")
_SECTIONS: dict[type[Pair], str] = {
    ContractPair: "root",
    DatasetPair: "schema",
    FieldPair: "properties",
    RulePair: "quality",
    RelationshipPair: "relationships",
    SlaPair: "slaProperties",
    ServerPair: "servers",
}
# names floe gives a meaning beside what is promised: no bump of their own, but somebody should look
_FELT = ("onViolation", "schemaEvolution", "qualityLevel", "qualityThreshold", "costBudget", "masking", "deprecated")


@change(
    "metadata-changed",
    "A2",
    bump=Bump.PATCH,
    reader=Impact.OK,
    writer=Impact.OK,
    value=ContractPair | DatasetPair | FieldPair | RelationshipPair,
    basis="given",
)
def metadata_changed(pair: Any) -> Iterator[Delta]:
    """A description, business name, example, tag, link, custom property or another key without effect on data changed.

    Why: people read it; no program depends on it.

    Fix: raise the PATCH version.
    """
    for part in _parts(pair):
        felt = Impact.RISK if (part.custom or part.path) in _FELT else None
        about = None if isinstance(pair, ContractPair) else pair.new
        yield Delta(path=part.path, old=part.old, new=part.new, reader=felt, writer=felt, about=about)


def _parts(pair: Any) -> Iterator[DocumentPart]:
    if not (pair.old and pair.new):
        return
    match pair:
        case ContractPair():
            yield from contract_parts(pair, "metadata")
        case DatasetPair(old, new) if old and new:
            yield from _without(differing(old.node, new.node, "schema", DATASET_KEYS), DATASET_CUSTOM)
        case FieldPair(old, new) if old and new:
            yield from _without(differing(old.node, new.node, "properties", FIELD_KEYS), FIELD_CUSTOM)
            yield from _values(old.node.get("enum"), new.node.get("enum"))
        case RelationshipPair(old, new) if old and new:
            yield from differing(old.node, new.node, "relationships", RELATIONSHIP_KEYS)


def _values(old: Any, new: Any) -> Iterator[DocumentPart]:
    """What is said otherwise of a listed value that is in both versions."""
    before, after = (
        {dumps(value.get("value")): value for value in listed if isinstance(value, dict)}
        if isinstance(listed, list)
        else {}
        for listed in (old, new)
    )
    for name in before.keys() & after.keys():
        one, other = ({key: plain(part) for key, part in side[name].items()} for side in (before, after))
        if one != other:
            yield DocumentPart(
                f"enum.{step(str(one.pop('value', '')))}", one, {k: v for k, v in other.items() if k != "value"}
            )


def _without(parts: Iterator[DocumentPart], judged: tuple[str, ...]) -> Iterator[DocumentPart]:
    return (part for part in parts if part.custom not in judged)


@change("respelled", "A2", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=Pair, last=True)
def respelled(pair: Pair) -> Iterator[Delta]:
    """A part is written differently with the same meaning.

    Why: the document and its hash changed; nothing else did.

    Fix: raise the PATCH version.
    """
    for part in _whole(pair):
        yield Delta(path=part.path, old=part.old, new=part.new, about=pair.new)


def _key_words(old: Field, new: Field) -> Iterator[str]:
    """What a column says of its place in a key or partition, which is judged on the dataset."""
    yield from ("primaryKeyPosition", "partitionKeyPosition")
    if (old.key_position is None) != (new.key_position is None):
        yield from ("primaryKey", "required")
    if (old.partition_position is None) != (new.partition_position is None):
        yield "partitioned"


def _by_option(parts: Iterator[DocumentPart]) -> Iterator[DocumentPart]:
    """Parts of a field, the options of its type one by one."""
    for part in parts:
        if part.path != "logicalTypeOptions":
            yield part
            continue
        old, new = part.old or {}, part.new or {}
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key):
                yield DocumentPart(f"{part.path}.{key}", old.get(key), new.get(key))


def _logical_word(old: Field, new: Field) -> Iterator[str]:
    """The key of the logical type, where a change of type says all that it says."""
    as_before = old.logical_type == new.logical_type
    if old.type != new.type and (as_before or (_implied(old) and _implied(new))):
        yield "logicalType"


def _implied(field: Field) -> bool:
    """Whether a field's logical type says nothing beside its type."""
    of_map = "map" if isinstance(field.type, MapOf) else None
    return field.logical_type is not None and field.logical_type in (logical(field.type)[0], of_map)


def _whole(pair: Pair) -> Iterator[DocumentPart]:
    """What is written otherwise in a part that is in both versions."""
    if not (pair.old and pair.new):
        return
    parts = differing(pair.old.node, pair.new.node, _SECTIONS[type(pair)], _judged_elsewhere(pair))
    yield from _by_option(parts) if isinstance(pair, FieldPair) else parts


def _judged_elsewhere(pair: Pair) -> tuple[str, ...]:
    """The keys of a part that its own parts, or other kinds of change, speak of."""
    match pair:
        case ContractPair(old, new):
            return tuple(key for key in old.node | new.node if key not in _IDENTITY)
        case DatasetPair():
            return _CHILDREN
        case FieldPair(old, new) if old and new:
            of_keys = _key_words(old, new) if pair.place == "column" else ()
            return (*_CHILDREN, *of_keys, *_logical_word(old, new))
        case RulePair(old, field=FieldPair()) if old and old.valid_values is not None:
            return ("arguments", "validValues")  # listed values are judged on their field
    return ()
