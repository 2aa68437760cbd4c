"""E507 name-unsafe."""

from collections.abc import Iterator

from floe.contract.lint.names import UNSEEN, called, names, visible
from floe.contract.lint.rule import rule
from floe.model import Contract, Dataset, Field, Message, Server, Severity


@rule("E507", "name-unsafe", Severity.ERROR, value=(Contract, Dataset, Field, Server))
def name_unsafe(part: Contract | Dataset | Field | Server) -> Iterator[Message]:
    """A name contains an invisible character: a control, zero-width or text direction character.

    Why: two different names look the same in logs, pages and queries.

    Fix: remove the character.
    """
    for key, name in names(part):
        if unseen := UNSEEN.search(name):
            yield Message(
                f"The {key} '{visible(name)}' contains an invisible character",
                f"It is {called(unseen[0])} at character {unseen.start() + 1}",
                "Remove the character",
                at=(key,),
            )
