"""E514 constraint-weakened."""

from collections.abc import Iterator

from floe.contract.formats.options import bounds
from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import TieredField
from floe.contract.lint.values import place_of_values
from floe.lang.json_text import dumps, plain
from floe.model import Message, Severity


@rule("E514", "constraint-weakened", Severity.ERROR, value=TieredField)
def constraint_weakened(field: TieredField) -> Iterator[Message]:
    """A child accepts values that its parent refuses: duplicates, unlisted values, other bounds or another pattern.

    Why: consumers of the domain expect the parent's constraint in every table.

    Fix: use the parent's constraint or a stricter one. A constraint that the child does not mention is inherited.
    """
    if field.parent.unique and field.noun.node.get("unique") is False:
        yield _weaker(field, "unique", "unique: true", "unique: false", ("unique",))
    yield from _values(field)
    yield from _bounds(field)
    yield from _forms(field)


def _values(field: TieredField) -> Iterator[Message]:
    theirs, mine = field.parent.values, field.noun.values
    if theirs is None or mine is None:
        return
    listed = {dumps(plain(their)) for their in theirs}
    more = [str(value) for value in mine if dumps(plain(value)) not in listed]
    if more:
        words = (f"one of {', '.join(map(str, theirs))}", f"also {', '.join(more)}")
        yield _weaker(field, "the listed values", *words, place_of_values(field.noun))


def _bounds(field: TieredField) -> Iterator[Message]:
    for theirs, mine in zip(bounds(field.parent.options), bounds(field.noun.options), strict=True):
        if theirs and mine and theirs.differs(mine) and theirs.looser(mine):
            yield _weaker(field, mine.key, str(theirs), str(mine), ("logicalTypeOptions", mine.key))


def _forms(field: TieredField) -> Iterator[Message]:
    for key in ("pattern", "format"):
        theirs, mine = field.parent.options.get(key), field.noun.options.get(key)
        if theirs is not None and mine is not None and theirs != mine:
            yield Message(
                f"The {key} of '{field.path}' cannot be compared with the parent's",
                f"Parent requires '{theirs}', child specifies '{mine}'",
                f"Use the parent's {key}, or make sure that every valid text of the child matches it",
                severity=Severity.INFO,
                at=("logicalTypeOptions", key),
            )


def _weaker(field: TieredField, what: str, wanted: str, given: str, at: tuple[str | int, ...]) -> Message:
    return Message(
        f"Constraint weakening for field '{field.path}': {what}",
        f"Parent requires {wanted}, child specifies {given}",
        f"Use the parent's constraint or a stricter one for '{field.path}', or remove it to inherit it",
        at=at,
    )
