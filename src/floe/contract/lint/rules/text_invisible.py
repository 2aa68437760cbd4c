"""E507 text-invisible."""

import re
from collections.abc import Iterator

from floe.contract.lint.names import NAME_KEYS, called
from floe.contract.lint.rule import rule
from floe.contract.lint.views import Texts
from floe.model import Message, Severity

# in running text joiners, marks, variation selectors and line ends have their use
_UNSEEN_IN_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f]"
)


@rule("E507", "text-invisible", Severity.WARNING, value=Texts)
def text_invisible(texts: Texts) -> Iterator[Message]:
    """A text contains control characters, or characters that change the direction of text.

    Why: people read another text than programs do.

    Fix: remove the character.
    """
    for at, text in texts.found:
        if at[-1] not in NAME_KEYS and not text.isprintable() and (unseen := _UNSEEN_IN_TEXT.search(text)):
            yield Message(
                f"The text of '{at[-1]}' contains an invisible character",
                f"It is {called(unseen[0])} at character {unseen.start() + 1}",
                "Remove the character",
                at=at,
            )
