"""E511 classification-weakened."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import TieredField
from floe.contract.lint.views import fold
from floe.model import Message, Severity


@rule("E511", "classification-weakened", Severity.CRITICAL, value=TieredField)
def classification_weakened(field: TieredField) -> Iterator[Message]:
    """A child gives a field a lower classification than its parent.

    Why: masking and access follow the label, so lowering it exposes data that the parent protects.

    Fix: use the parent's classification or a stronger one.
    """
    mine, theirs = field.noun.classification, field.parent.classification
    if not mine or not theirs or fold(mine) == fold(theirs):
        return
    given, wanted = field.rank(mine), field.rank(theirs)
    if given is None or wanted is None:
        stranger = mine if given is None else theirs
        yield Message(
            f"Classification of '{field.path}' cannot be compared with the parent's",
            f"Parent requires '{theirs}', child specifies '{mine}'; '{stranger}' is not among the labels",
            f"List '{stranger}' in classifications of manifest.yaml, from the weakest to the strongest",
            at=("classification",),
            severity=Severity.INFO,
        )
    elif given < wanted:
        yield Message(
            f"Classification weakening for field '{field.path}'",
            f"Parent requires '{theirs}', child specifies '{mine}'",
            f"Use classification '{theirs}' or stronger for '{field.path}'",
            at=("classification",),
        )
