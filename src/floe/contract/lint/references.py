"""Relationships: where they lead."""

from collections.abc import Iterator
from dataclasses import dataclass

from floe.contract.lint.views import Names, ReferenceOf, fold
from floe.model import Dataset, Step


@dataclass(frozen=True, slots=True)
class ReferenceTarget:
    """What a reference says: the document (empty: this one), the dataset and the field."""

    document: str
    dataset: str
    field: str


def target(text: str) -> ReferenceTarget:
    """A reference by its parts: `table.column`, `file.yaml#table.column`, `schema/id/properties/id`.

    >>> target("orders.customer.id")
    ReferenceTarget(document='', dataset='orders', field='customer.id')
    >>> target("crm.yaml#schema/customers/properties/id")
    ReferenceTarget(document='crm.yaml', dataset='customers', field='id')
    """
    document, mark, path = text.rpartition("#")
    path = path.strip().lstrip("/") if mark else text.strip()
    if "/" in path:
        steps = [step for step in path.split("/") if step]
        steps = steps[1:] if steps and fold(steps[0]) == "schema" else steps
        fields = [step for step in steps[1:] if fold(step) not in ("properties", "items")]
        return ReferenceTarget(document, steps[0] if steps else "", ".".join(fields))
    dataset, _, field = path.partition(".")
    return ReferenceTarget(document, dataset, field)


def sides(part: ReferenceOf) -> Iterator[tuple[str, tuple[Step, ...], str]]:
    """Each reference of a relationship: whether it is `from` or `to`, where it stands, its text."""
    for side, texts in (("from", part.noun.source), ("to", part.noun.target)):
        listed = isinstance(part.noun.node.get(side), list)
        for i, text in enumerate(texts):
            if isinstance(text, str) and "${" not in text:
                yield side, (side, i) if listed else (side,), text


def resolved(names: Names, own: Dataset, text: str) -> tuple[Dataset | None, str, str]:
    """The dataset of this contract that a reference leads to, the dataset's name and the field's."""
    found = target(text)
    dataset = names.dataset(found.dataset)
    if dataset is None and not found.document and not found.field and names.has(own, found.dataset):
        return own, own.name, found.dataset
    if dataset is None and not found.document and found.field.count("."):  # a.b.c: schema, table, column
        middle, _, last = found.field.rpartition(".")
        if inner := names.dataset(middle):
            return inner, middle, last
    return (None if found.document else dataset), found.dataset, found.field
