"""K13 classification-changed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import FieldPair
from floe.model.change import Bump, Impact


@change(
    "classification-changed",
    "K13",
    bump=Bump.PATCH,
    reader=Impact.OK,
    writer=Impact.OK,
    value=FieldPair,
    basis="given",
)
def classification_changed(field: FieldPair) -> Iterator[Delta]:
    """The classification of a field changed.

    Why: masking and access follow the label; data and queries stay the same.

    Fix: for a lower label, get the approval of a steward (E517).
    """
    if (both := field.both) and both[0].classification != both[1].classification:
        old, new = both[0].classification, both[1].classification
        yield Delta(old=old, new=new, klass=_way(old, new, field), note=_note(old, new, field), about=both[1])


def _way(old: str | None, new: str | None, field: FieldPair) -> str | None:
    """Raised, lowered, or None where a label is not in the list of the settings; no label is the lowest."""
    labels = [label.casefold() for label in field.contracts.terms.labels]
    if any(label is not None and label.casefold() not in labels for label in (old, new)):
        return None
    before, after = (-1 if label is None else labels.index(label.casefold()) for label in (old, new))
    if after == before:
        return "alias"
    return "lowered" if after < before else "raised"


def _note(old: str | None, new: str | None, field: FieldPair) -> str:
    match _way(old, new, field):
        case "lowered":
            return "a lower classification requires a steward's approval (E517)"
        case None:
            return "a label outside the list of classifications cannot be compared; a lower one needs approval (E517)"
    return ""
