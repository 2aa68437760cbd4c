"""The text of a query without comments, and with its literals set aside: what two readers of SQL could read differently."""

import re
from typing import NamedTuple

STANDS_FOR = "floe_variable"
OBJECT, PROPERTY = "floe object", "floe property"
_OBJECTS, _PROPERTIES = ("object", "table", "model"), ("property", "column", "field")
_PART = re.compile(
    r"(?P<line>--(?:\\\n|[^\r\n])*)"
    r"|(?P<block>/\*)"
    r"|(?P<raw>\b[rR](?:'[^']*'|\"[^\"]*\"))"
    r"|(?P<string>'(?:''|\\[\s\S]|[^'\\])*'|\"(?:\"\"|\\[\s\S]|[^\"\\])*\")"
    r"|(?P<name>`(?:``|[^`])*`)"
    r"|(?P<variable>\$\{(?P<first>[^}]*)\}|\{\{[^}]*\}\}|\{(?P<second>[A-Za-z_][\w.]*)\}|(?<![\w$])\$[A-Za-z_]\w*)"
)
_COMMENT_MARK = re.compile(r"/\*|\*/")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-3][0-7]{2}|[\s\S])")
_CONTROLS = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


class Bare(NamedTuple):
    """A query whose literals are named `floe_text_0`, `floe_text_1`, …, the literals, and the variables left in it."""

    text: str
    strings: tuple[str, ...]
    variables: tuple[str, ...]


def bare(text: str) -> Bare:
    """The query as its readers agree on it; ValueError where a literal, name or comment does not end.

    >>> bare("select 'it''s' /* x */ from {object} -- y")
    Bare(text="select 'floe_text_0'   from `floe object`  ", strings=("it's",), variables=())
    """
    written: list[str] = []
    strings: list[str] = []
    variables: list[str] = []
    at = 0
    while found := _PART.search(text, at):
        written.append(_plain(text[at : found.start()]))
        at = found.end()
        match found.lastgroup:
            case "line":
                written.append(" ")
            case "block":
                at = _comment_end(text, at)
                written.append(" ")
            case "raw" | "string":
                strings.append(_unescaped(found))
                written.append(f"'floe_text_{len(strings) - 1}'")
            case "name":
                _not_ours(found[0])
                written.append(found[0])
            case _:
                written.append(_variable(found, variables))
    written.append(_plain(text[at:]))
    return Bare("".join(written), tuple(strings), tuple(variables))


def _plain(part: str) -> str:
    _not_ours(part)
    if mark := next((mark for mark in "'\"`" if mark in part), None):
        raise ValueError(f"what begins with {mark} does not end")
    return part


def _not_ours(part: str) -> None:
    """Refuse the word that stands for variables: a query that contains it would be ambiguous."""
    if STANDS_FOR in part.lower():
        raise ValueError(f"{STANDS_FOR} is a word that floe reserves")


def _comment_end(text: str, at: int) -> int:
    """The end of a comment; comments may be nested."""
    depth = 1
    for mark in _COMMENT_MARK.finditer(text, at):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    raise ValueError("a comment does not end")


def _variable(found: re.Match[str], variables: list[str]) -> str:
    name = (found["first"] or found["second"] or "").strip()
    if name in _OBJECTS:
        return f"`{OBJECT}`"
    if name in _PROPERTIES:
        return f"`{PROPERTY}`"
    variables.append(found[0])
    return STANDS_FOR


def _unescaped(found: re.Match[str]) -> str:
    """The text a literal means to Spark."""
    if found["raw"]:
        return found["raw"][2:-1]
    mark = found["string"][0]
    return _ESCAPE.sub(_meant, found["string"][1:-1].replace(mark * 2, f"\\{mark}"))


def _meant(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "uU" and len(code) > 1:
        return chr(int(code[1:], 16)) if int(code[1:], 16) <= 0x10FFFF else "\ufffd"
    if len(code) == 3:
        return chr(int(code, 8))
    return "\\" + code if code in "%_" else _CONTROLS.get(code, code)
