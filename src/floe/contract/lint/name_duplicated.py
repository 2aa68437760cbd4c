"""E508 name-duplicated, for columns and datasets."""

import unicodedata
from collections.abc import Iterator, Sequence

from floe.contract.lint.rule import rule
from floe.model import Contract, Dataset, Field, Message, Noun, Severity


@rule("E508", "column-duplicated", Severity.ERROR, each=Noun)
def column_duplicated(parent: Noun) -> Iterator[Message]:
    """Two columns of one dataset, or two parts of one struct, have the same name.

    Why: Spark resolves names without case, so the two cannot be told apart and queries fail as ambiguous.

    Fix: rename or remove one of them; names that differ in case or in Unicode form only are the same name.
    """
    if isinstance(parent, Dataset | Field):
        yield from _twice(
            [(field.column, ("properties", i, "name")) for i, field in enumerate(parent.fields) if field.name]
        )


@rule("E508", "dataset-duplicated", Severity.ERROR, each=Contract)
def dataset_duplicated(contract: Contract) -> Iterator[Message]:
    """Two datasets of one contract have the same name.

    Why: a promise about one of them cannot be told from a promise about the other.

    Fix: rename or remove one of them.
    """
    yield from _twice([(dataset.name, ("schema", i, "name")) for i, dataset in enumerate(contract.datasets)])


def _twice(names: Sequence[tuple[str, tuple[str | int, ...]]]) -> Iterator[Message]:
    seen: dict[str, str] = {}
    for name, at in names:
        folded = unicodedata.normalize("NFKC", name).casefold()
        if folded in seen:
            same = "again" if seen[folded] == name else f"and '{seen[folded]}' are one name without case"
            yield Message(
                f"Name '{name}' stands {same}" if same == "again" else f"'{name}' {same}",
                f"first '{seen[folded]}', then '{name}'",
                "Rename or remove one of the two",
                at=at,
            )
        seen.setdefault(folded, name)
