"""Whether two texts are the same to the program that reads them."""

from itertools import zip_longest
from typing import Any


def same_sql(value: Any, other: Any) -> bool:
    """Whether two SQL texts differ in spaces, comments and the case of words of the language alone."""
    if not (isinstance(value, str) and isinstance(other, str)):
        return False
    tokens = [_tokens(text) for text in (value, other)]
    return None not in tokens and tokens[0] == tokens[1]


def _tokens(text: str) -> list[tuple[str, str]] | None:
    # only a diff of changed SQL needs it
    from sqlglot.dialects.spark import Spark  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        found = Spark().tokenize(text)
    except SqlglotError:
        return None
    while found and found[-1].token_type.name == "SEMICOLON":
        found.pop()
    out = []
    for token, after in zip_longest(found, found[1:]):
        kind = token.token_type.name
        called = kind == "VAR" and after is not None and after.token_type.name == "L_PAREN"
        exact = kind in ("STRING", "IDENTIFIER", "VAR") and not called
        out.append((kind, token.text if exact else token.text.upper()))
    return out


def same_text(value: Any, other: Any) -> bool:
    """Whether two texts of another engine differ in spaces alone."""
    return isinstance(value, str) and isinstance(other, str) and value.split() == other.split()
