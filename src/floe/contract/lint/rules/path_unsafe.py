"""E507 path-unsafe."""

import re
from collections.abc import Iterator

from floe.contract.lint.names import visible
from floe.contract.lint.rule import rule
from floe.contract.lint.views import shown
from floe.model import Dataset, Message, Server, Severity
from floe.model.contract import AIMS, unsafe_in

_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}`]*)?\}")


@rule("E507", "path-unsafe", Severity.ERROR, value=(Server, Dataset))
def path_unsafe(part: Server | Dataset) -> Iterator[Message]:
    """The path, location or name of a table contains a backtick, a control character, or an unknown `${`.

    Why: it becomes part of the SQL that creates and changes the table. floe quotes it and refuses what could end the
    quotes; other tools may not.

    Fix: remove the character. floe quotes names itself.
    """
    for key in AIMS if isinstance(part, Server) else ("physicalName",):
        value = part.node.get(key)
        if isinstance(value, str) and (unsafe := unsafe_in(_VARIABLE.sub("", value))):
            yield Message(
                f"The {key} '{visible(shown(value))}' contains {unsafe}",
                "It becomes part of SQL statements",
                "Remove it; floe quotes names itself",
                at=(key,),
            )
