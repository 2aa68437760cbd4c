"""A2 metadata-changed, and respelled for what is written otherwise and promises the same."""

from collections.abc import Iterator
from typing import Any

from floe.contract.compat.change import Delta, change
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
from floe.contract.compat.parts import Part, contract_parts, differing
from floe.model import Field
from floe.model.change import Bump, Impact

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
# names floe gives a meaning beside what is promised: no bump of their own, but somebody should look
_FELT = ("onViolation", "schemaEvolution", "qualityLevel", "qualityThreshold", "costBudget", "masking", "deprecated")


@change(
    "metadata-changed",
    "A2",
    bump=Bump.PATCH,
    reader=Impact.OK,
    writer=Impact.OK,
    each=ContractPair | DatasetPair | FieldPair | RelationshipPair,
    basis="given",
)
def metadata_changed(pair: Any) -> Iterator[Delta]:
    """A description, business name, example, tag, link or custom property reads otherwise, or another key that promises nothing.

    Why: people read it, no program relies on it.

    Fix: nothing; raise the PATCH.
    """
    for part in _parts(pair):
        felt = Impact.RISK if (part.custom or part.path) in _FELT else None
        about = None if isinstance(pair, ContractPair) else pair.new
        yield Delta(path=part.path, old=part.old, new=part.new, reader=felt, writer=felt, about=about)


def _parts(pair: Any) -> Iterator[Part]:
    if not (pair.old and pair.new):
        return
    match pair:
        case ContractPair():
            yield from contract_parts(pair, "metadata")
        case DatasetPair(old, new) if old and new:
            yield from _without(differing(old.node, new.node, "schema", DATASET_KEYS), DATASET_CUSTOM)
        case FieldPair(old, new) if old and new:
            yield from _without(differing(old.node, new.node, "properties", FIELD_KEYS), FIELD_CUSTOM)
        case RelationshipPair(old, new) if old and new:
            yield from differing(old.node, new.node, "relationships", RELATIONSHIP_KEYS)


def _without(parts: Iterator[Part], judged: tuple[str, ...]) -> Iterator[Part]:
    return (part for part in parts if part.custom not in judged)


@change("respelled", "A2", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, each=Pair, last=True)
def respelled(pair: Pair) -> Iterator[Delta]:
    """A part is written in other words that promise the same.

    Why: the document is another one, and so is its hash; nobody else notices.

    Fix: nothing; raise the PATCH.
    """
    if pair.old and pair.new:
        for part in _whole(pair):
            yield Delta(path=part.path, old=part.old, new=part.new, about=pair.new)


def _keys_told(old: Field, new: Field) -> Iterator[str]:
    """What a column says of its place in a key or partition, which is judged on the dataset."""
    yield from ("primaryKeyPosition", "partitionKeyPosition")
    if (old.key_position is None) != (new.key_position is None):
        yield from ("primaryKey", "required")
    if (old.partition_position is None) != (new.partition_position is None):
        yield "partitioned"


def _whole(pair: Pair) -> Iterator[Part]:
    match pair:
        case ContractPair(old, new):
            yield from differing(old.node, new.node, "root", (key for key in old.node | new.node if key != "name"))
        case DatasetPair(old, new) if old and new:
            yield from differing(old.node, new.node, "schema", _CHILDREN)
        case FieldPair(old, new) if old and new:
            told = _keys_told(old, new) if pair.place == "column" else ()
            yield from differing(old.node, new.node, "properties", (*_CHILDREN, *told))
        case RulePair(old, new) if old and new:
            # listed values are judged on their field
            listed = ("arguments", "validValues") if pair.field and old.valid_values is not None else ()
            yield from differing(old.node, new.node, "quality", listed)
        case RelationshipPair(old, new) if old and new:
            yield from differing(old.node, new.node, "relationships")
        case SlaPair(old, new) if old and new:
            yield from differing(old.node, new.node, "slaProperties")
        case ServerPair(old, new) if old and new:
            yield from differing(old.node, new.node, "servers")
