"""E507 name-unsafe."""

from collections.abc import Iterator

from floe.contract.lint.names import UNSEEN, called, names, visible
from floe.contract.lint.rule import rule
from floe.model import Contract, Dataset, Field, Message, Server, Severity


@rule("E507", "name-unsafe", Severity.ERROR, value=(Contract, Dataset, Field, Server))
def name_unsafe(part: Contract | Dataset | Field | Server) -> Iterator[Message]:
    """A name holds a character that cannot be seen: control, zero-width, or one that turns the direction of writing.

    Why: two names look the same and are not, in every log, page and query.

    Fix: remove the character.
    """
    for key, name in names(part):
        if unseen := UNSEEN.search(name):
            yield Message(
                f"The {key} '{visible(name)}' holds a character that cannot be seen",
                f"It is {called(unseen[0])} at character {unseen.start() + 1}",
                "Remove the character",
                at=(key,),
            )
