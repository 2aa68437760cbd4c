"""Names that deceive."""

import re
import unicodedata
from collections.abc import Iterator

from floe.model import Contract, Dataset, Field, Server

# control characters, zero-width characters, and those that turn the direction of writing
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)


NAME_KEYS = ("name", "physicalName", "id", "domain", "dataProduct", "server", "version")


def names(part: Contract | Dataset | Field | Server) -> Iterator[tuple[str, str]]:
    """The names a part goes by, with their keys."""
    for key in NAME_KEYS:
        if isinstance(name := part.node.get(key), str):
            yield key, name


def visible(name: str) -> str:
    """A name with its unseen characters written by their number."""
    return UNSEEN.sub(lambda unseen: f"\\u{ord(unseen[0]):04x}", name)


def called(character: str) -> str:
    """A character as Unicode calls it."""
    return f"U+{ord(character):04X} {unicodedata.name(character, 'control character')}"
