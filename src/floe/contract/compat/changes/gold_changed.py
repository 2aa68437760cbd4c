"""H3 gold-keys-changed and H4 feature-added."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ContractPair, DatasetPair, FieldPair
from floe.lang.json_text import plain
from floe.model.change import Bump, Impact

_KEYS = ("featureSet", "joinKeys", "snapshotKeys")


@change(
    "gold-keys-changed", "H3", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ContractPair | DatasetPair
)
def gold_keys_changed(pair: ContractPair | DatasetPair) -> Iterator[Delta]:
    """The feature set, join keys or snapshot keys of a dataset changed.

    Why: models were trained on features that were joined by the old keys.

    Fix: keep them, or publish a MAJOR version with its own feature set.
    """
    if pair.old and pair.new:
        for key in _KEYS:
            old, new = plain(pair.old.custom.get(key)), plain(pair.new.custom.get(key))
            if old != new:
                yield Delta(path=key, old=old, new=new, about=pair.new)


@change("feature-added", "H4", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=FieldPair, basis="given")
def feature_added(field: FieldPair) -> Iterator[Delta]:
    """A Gold dataset has a new column.

    Why: a model that was trained without it receives another schema_version and feature_version.

    Fix: raise the MINOR version and the schema_version; train models on the new feature_version or pin the old one.
    """
    if not field.new or field.old or field.new.required or field.place != "column":
        return
    contract = field.contracts.new
    dataset = next((dataset for dataset in contract.datasets if dataset.at == field.new.at[: len(dataset.at)]), None)
    if dataset and contract.layer(dataset) == "gold":
        note = "requires a new schema_version and feature_version"
        yield Delta(new=str(field.new.type), note=note, about=field.new)
