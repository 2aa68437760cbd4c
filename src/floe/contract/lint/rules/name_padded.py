"""E508 name-padded."""

from collections.abc import Iterator

from floe.contract.lint.names import names, visible
from floe.contract.lint.rule import rule
from floe.model import Contract, Dataset, Field, Message, Severity


@rule("E508", "name-padded", Severity.WARNING, value=(Contract, Dataset, Field))
def name_padded(part: Contract | Dataset | Field) -> Iterator[Message]:
    """A name begins or ends with a space, or is empty.

    Why: the space is invisible, and a query without it does not find the column.

    Fix: remove the space, or give a name.
    """
    for key, name in names(part):
        if name != name.strip(" ") or not name:
            yield Message(
                f"The {key} '{visible(name)}' {'begins or ends with a space' if name else 'is empty'}",
                "Names are compared character by character",
                "Remove the space" if name else "Give a name",
                at=(key,),
            )
