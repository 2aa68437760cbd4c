"""Patterns as the standard writes them (ECMA-262), read into a tree of character sets."""

import re
from dataclasses import dataclass
from functools import lru_cache

MAX_LENGTH = 4096
_DEEPEST = 50
# A set of characters is a bit mask: one bit for each of the first 256, one for all the others.
OTHERS = 1 << 256
ANY = (1 << 257) - 1


def _mask(characters: str) -> int:
    mask = 0
    for character in characters:
        mask |= 1 << ord(character) if ord(character) < 256 else OTHERS
    return mask


_LATIN = [chr(number) for number in range(256)]
_DIGITS = _mask("0123456789")
_WORDS = _mask("".join(c for c in _LATIN if c.isascii() and (c.isalnum() or c == "_")))
_SPACES = _mask(" \t\n\r\v\f\u00a0") | OTHERS
_LETTERS = _mask("".join(filter(str.isalpha, _LATIN))) | OTHERS
_CATEGORIES = {"L": _LETTERS, "N": _DIGITS | OTHERS}
_CLASSES = {
    "d": _DIGITS,
    "w": _WORDS,
    "s": _SPACES,
    "D": ANY & ~_DIGITS,
    "W": ANY & ~_WORDS,
    "S": ANY & ~_SPACES | OTHERS,
}
_DOT = ANY & ~_mask("\n\r")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "v": "\v", "f": "\f", "0": "\0"}
_NOT_ECMA = {"A": "^", "Z": "$", "z": "$", "G": "^", "Q": "", "E": "", "h": r"[ \t]", "R": r"\r?\n"}
_QUANTIFIER = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_GROUP = re.compile(r"\?(?:(:)|(<?[=!])|<([A-Za-z_$][\w$]*)>)")
_PROPERTY = re.compile(r"[pP]\{([^}]*)\}")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}")


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    mask: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after the other; without parts it matches the empty text."""

    parts: tuple["Node", ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several branches."""

    branches: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A body again and again, at least and at most so often (None: without end)."""

    body: "Node"
    least: int
    most: int | None


Node = Chars | Sequence | Choice | Repeat


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that could be read: its tree, its lookarounds, whether it refers back, and the same for Python and Java."""

    tree: Node
    around: tuple[Node, ...]
    refers_back: bool
    python: str | None
    java: str | None = None

    def finds(self, text: str) -> bool | None:
        """Whether the pattern is found in a text; None if Python cannot express it."""
        return None if self.python is None else _compiled(self.python).search(text) is not None


@lru_cache(maxsize=1024)
def _compiled(python: str) -> re.Pattern[str]:
    return re.compile(python, re.ASCII)


@lru_cache(maxsize=4096)
def parse_pattern(text: str) -> Pattern:
    """The pattern of a text; ValueError says why it is not one.

    >>> parse_pattern("^[A-Z]{3}$").finds("ABC"), parse_pattern("^[A-Z]{3}$").finds("ABC" + chr(10))
    (True, False)
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"it has {len(text):,} characters, at most {MAX_LENGTH:,} are allowed")
    reader = _PatternReader(text)
    tree = reader.choice(0)
    if reader.at < len(text):
        raise ValueError(f"')' at character {reader.at + 1} closes no group")
    python = "".join(reader.python) if reader.in_python else None
    java = "".join(map(_java, reader.python)) if reader.in_java else None
    return Pattern(tree, tuple(reader.around), reader.refers_back, _sound(python), java)


def _java(written: str) -> str:
    r"""A part as Java writes it: Python's end of input is \z there, its named groups have no P."""
    return {r"\Z": r"\z"}.get(written) or (f"?<{written[3:]}" if written.startswith("?P<") else written)


def _sound(python: str | None) -> str | None:
    """Python cannot look behind at a variable length, which ECMA-262 can."""
    try:
        return python if python is None or _compiled(python) else None
    except (re.error, OverflowError, RecursionError):
        return None


class _PatternReader:
    """Reads a pattern from left to right, writing it for Python as it goes."""

    def __init__(self, text: str) -> None:
        self.text = text
        flags = re.match(r"\(\?[ims]+\)", text)  # not ECMA-262, but Java and Python agree on what it means
        self.at = flags.end() if flags else 0
        self.python: list[str] = [flags[0]] if flags else []
        self.in_python = self.in_java = True
        self.refers_back = False
        self.around: list[Node] = []

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, written: str | None = None) -> str:
        character = self.peek()
        self.at += 1
        self.python.append(character if written is None else written)
        return character

    def choice(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise ValueError(f"groups are nested deeper than {_DEEPEST} levels")
        branches = [self.sequence(depth)]
        while self.peek() == "|":
            self.take()
            branches.append(self.sequence(depth))
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated(self.part(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def part(self, depth: int) -> Node:
        match self.peek():
            case "(":
                return self.group(depth)
            case "[":
                return self.set()
            case "\\":
                return self.escape()
            case ".":
                self.take(r"[^\n\r\u2028\u2029]")
                return Chars(_DOT)
            case "^":
                self.take()
                return Sequence()
            case "$":
                self.take(r"\Z")
                return Sequence()
            case "*" | "+" | "?" as mark:
                raise ValueError(f"'{mark}' at character {self.at + 1} repeats nothing")
        character = self.peek()
        self.take(re.escape(character))
        return Chars(_mask(character))

    def repeated(self, part: Node) -> Node:
        bounds = self.quantifier()
        if bounds is None:
            return part
        if self.peek() == "?":
            self.take()
        if self.peek() in ("*", "+", "?") or (self.peek() == "{" and _QUANTIFIER.match(self.text, self.at)):
            raise ValueError(f"'{self.peek()}' at character {self.at + 1} repeats a repetition")
        return Repeat(part, *bounds)

    def quantifier(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if bounds := simple.get(self.peek()):
            self.take()
            return bounds
        braces = _QUANTIFIER.match(self.text, self.at)
        if not braces:
            return None
        least = int(braces[1][:9])
        most: int | None = least
        if braces[2]:  # a comma, so that there is an upper bound or none
            most = int(braces[3][:9]) if braces[3] else None
        if most is not None and most < least:
            raise ValueError(f"'{braces[0]}' at character {self.at + 1} has its numbers out of order")
        self.at = braces.end()
        self.python.append(braces[0])
        return least, most

    def group(self, depth: int) -> Node:
        start = self.at
        self.take()
        looking = False
        if self.peek() == "?":
            kind = _GROUP.match(self.text, self.at)
            if not kind:
                raise ValueError(
                    f"'({self.text[self.at : self.at + 3]}' at character {start + 1} is not a group of ECMA-262"
                )
            self.at = kind.end()
            looking = bool(kind[2])
            self.python.append(f"?P<{kind[3]}>" if kind[3] else kind[0])
        inside = self.choice(depth + 1)
        if self.peek() != ")":
            raise ValueError(f"the group at character {start + 1} is not closed")
        self.take()
        if looking:
            self.around.append(inside)
            return Sequence()
        return inside

    def escape(self) -> Node:
        start = self.at
        self.at += 1
        letter = self.peek()
        if letter == "":
            raise ValueError("it ends with a backslash")
        if letter in "bB":
            self.take("\\" + letter)
            return Sequence()
        if letter in _NOT_ECMA:
            raise ValueError(f"'\\{letter}' at character {start + 1} means the letter {letter} in ECMA-262")
        if letter in "123456789k":
            self.refers_back = True
            self.at += 1
            self.in_python = self.in_java = False
            return Sequence()
        mask, written = self.escaped()
        self.python.append(written)
        return Chars(mask)

    def escaped(self) -> tuple[int, str]:
        """The set that the text after a backslash names, and how Python writes it inside or outside brackets."""
        letter = self.peek()
        if prop := _PROPERTY.match(self.text, self.at):
            self.at = prop.end()
            self.in_python = False
            self.in_java &= len(prop[1]) <= 2  # general categories; scripts have other names in Java
            mask = _CATEGORIES.get(prop[1][:1], ANY)
            return (ANY & ~mask | OTHERS if letter == "P" else mask), f"\\{prop[0]}"
        if code := _HEX.match(self.text, self.at):
            self.at = code.end()
            number = int(code[1] or code[2] or code[3], 16)
            if number > 0x10FFFF:
                raise ValueError(f"'\\{code[0]}' is not a character")
            return _mask(chr(number)), re.escape(chr(number))
        self.at += 1
        if letter in _CLASSES:
            return _CLASSES[letter], "\\" + letter
        if letter == "c" and self.peek().isalpha():
            control = chr(ord(self.peek()) % 32)
            self.at += 1
            return _mask(control), re.escape(control)
        character = _CONTROLS.get(letter, letter)
        return _mask(character), re.escape(character)

    def set(self) -> Node:
        start = self.at
        if self.text.startswith("[[:", start):
            raise ValueError(f"'[[:' at character {start + 1} begins a POSIX class, which ECMA-262 does not have")
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        mask, written = 0, []
        while self.peek() != "]":
            if self.peek() == "":
                raise ValueError(f"'[' at character {start + 1} is not closed")
            part, text = self.member()
            mask |= part
            written.append(text)
        self.at += 1
        if written:
            self.python.append(f"[{'^' * negated}{''.join(written)}]")
        else:
            self.python.append(r"[\s\S]" if negated else r"(?!)")
        if not negated:
            return Chars(mask)
        return Chars(ANY & ~mask | (OTHERS if mask != ANY else 0))

    def member(self) -> tuple[int, str]:
        """One character, class or range inside brackets."""
        low, written = self.single()
        if self.peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return low, written
        self.at += 1
        high, last = self.single()
        if bin(low).count("1") != 1 or bin(high).count("1") != 1:
            return low | high | _mask("-"), f"{written}\\-{last}"
        if low > high:
            raise ValueError(f"the range that ends at character {self.at} is out of order")
        return ((high << 1) - 1) & ~(low - 1), f"{written}-{last}"

    def single(self) -> tuple[int, str]:
        if self.peek() == "\\":
            self.at += 1
            if self.peek() == "":
                raise ValueError("it ends with a backslash")
            if self.peek() == "b":
                self.at += 1
                return _mask("\b"), r"\x08"
            return self.escaped()
        character = self.peek()
        self.at += 1
        return _mask(character), re.escape(character)
