"""Change one value of a YAML text, keeping everything else: comments, order, quoting, line ends."""

import re

from floe.model import ContractError, Place

# what YAML takes as the end of a line
_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_ANCHOR = r"(?:&\S+[ \t]+)?(?:!!?\S*[ \t]+)?"


def replace_scalar(text: str, place: Place, old: str, new: str) -> str:
    r"""The text with the plain or quoted value at a place replaced; ContractError where it is not written there.

    >>> replace_scalar("a: 1\nversion: '1.0.0'  # keep\n", Place("x", 2, 10), "1.0.0", "1.1.0")
    "a: 1\nversion: '1.1.0'  # keep\n"
    """
    start = _offset(text, place)
    found = re.compile(rf"{_ANCHOR}(?P<quote>[\"']?)(?P<value>{re.escape(old)})(?P=quote)").match(text, start)
    if not found:
        raise ContractError(
            f"{place}: '{old}' is not written at this place",
            "Write the value there itself, without an alias, or convert the contract to ODCS first (floe convert)",
            "E501",
        )
    return text[: found.start("value")] + new + text[found.end("value") :]


def _offset(text: str, place: Place) -> int:
    start = 0
    for _ in range(place.line - 1):
        end = _LINE_END.search(text, start)
        if not end:
            break
        start = end.end()
    return start + place.column - 1
