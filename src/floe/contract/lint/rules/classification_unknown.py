"""E505 classification-unknown."""

import difflib
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import Classified, fold
from floe.model import Message, Severity


@rule("E505", "classification-unknown", Severity.WARNING, value=Classified)
def classification_unknown(part: Classified) -> Iterator[Message]:
    """A classification is not one of the known labels.

    Why: an unknown label cannot be compared with the parent's, and its values are treated as sensitive.

    Fix: use a known label, or list your own labels under classifications in manifest.yaml (an unknown label is then an
    error).
    """
    label = part.noun.classification
    if not isinstance(label, str) or "${" in label or fold(label) in {fold(known) for known in part.labels}:
        return
    near = difflib.get_close_matches(fold(label), part.labels, 1)
    yield Message(
        f"Classification '{label}' of '{part.noun.path}' is unknown",
        f"Known labels: {', '.join(part.labels)}",
        f"Did you mean '{near[0]}'?"
        if near
        else "Use one of them, or list your own in manifest.yaml under classifications",
        at=("classification",),
        alike=fold(label),
        severity=Severity.ERROR if part.listed else None,
    )
