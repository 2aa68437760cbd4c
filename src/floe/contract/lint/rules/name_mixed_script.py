"""E507 name-mixed-script."""

import unicodedata
from collections.abc import Iterator

from floe.contract.lint.names import names, visible
from floe.contract.lint.rule import rule
from floe.model import Contract, Dataset, Field, Message, Severity

_MIXED_WELL = {frozenset(("LATIN", script)) for script in ("HIRAGANA", "KATAKANA", "CJK", "HANGUL", "BOPOMOFO")}


@rule("E507", "name-mixed-script", Severity.WARNING, value=(Contract, Dataset, Field))
def name_mixed_script(part: Contract | Dataset | Field) -> Iterator[Message]:
    """A name mixes letters of two scripts that look alike.

    Why: a Cyrillic а in a Latin name is invisible to readers and makes it a different name.

    Fix: write the name in one script.
    """
    for key, name in names(part):
        scripts = set() if name.isascii() else {_script(char) for char in name if char.isalpha()}
        if (
            len(scripts) > 1
            and frozenset(scripts) not in _MIXED_WELL
            and not scripts <= {"HIRAGANA", "KATAKANA", "CJK"}
        ):
            yield Message(
                f"The {key} '{visible(name)}' mixes scripts",
                f"Its letters are {' and '.join(sorted(script.capitalize() for script in scripts))}",
                "Write the name in one script",
                at=(key,),
            )


def _script(character: str) -> str:
    """The script of a letter, by the first word of its Unicode name."""
    return unicodedata.name(character, "UNKNOWN").split(" ")[0].split("-")[0]
