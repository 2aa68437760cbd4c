"""Findings: what a rule reports about a contract, and where."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from floe.model.contract import Noun


Step = str | int


class Place(NamedTuple):
    """A position in a file; lines and columns count from one."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def dotted(path: tuple[Step, ...]) -> str:
    """A path as people write it.

    >>> dotted(("schema", 0, "properties", 2, "name"))
    'schema[0].properties[2].name'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


class Severity(IntEnum):
    """How bad it is; ordered."""

    INFO = 1
    WARNING = 2
    ERROR = 3
    CRITICAL = 4

    word: str  # the name as outputs write it

    def __new__(cls, level: int) -> "Severity":
        """A member with its word."""
        member = int.__new__(cls, level)
        member._value_ = level
        member.word = ("info", "warning", "error", "critical")[level - 1]
        return member

    def __str__(self) -> str:
        return self.word

    @classmethod
    def of(cls, word: str) -> "Severity":
        """The severity a word names.

        >>> Severity.of("warning") is Severity.WARNING
        True
        """
        return cls[word.upper()]


@dataclass(frozen=True, slots=True)
class Message:
    """The result of a rule: what is wrong, both values, what to do, and the place below the checked part.

    `severity` is set if it is not the rule's own, `about` if the message is about another part. Messages
    of one rule with the same `alike` are about many similar parts; beyond a few they are reported once, with their number.
    `target` is the name of something else that the message is about, which a later step looks up.
    """

    text: str
    detail: str = ""
    suggestion: str = ""
    at: tuple[Step, ...] = ()
    key: bool = False
    severity: Severity | None = None
    about: "Noun | None" = None
    alike: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A message with its code, severity and place; `ignored` is the reason an author gave, `known` means in the baseline."""

    code: str
    name: str
    severity: Severity
    message: str
    detail: str = ""
    suggestion: str = ""
    place: Place | None = None
    path: tuple[Step, ...] = field(default=())
    ignored: str = ""
    known: bool = False
    alike: str = field(default="", compare=False, repr=False)
    target: str = field(default="", compare=False, repr=False)

    @property
    def counts(self) -> bool:
        """Whether it is held against the contract: neither ignored for a reason nor known before."""
        return not self.ignored and not self.known

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        shape: dict[str, Any] = {
            "code": f"FLOE-{self.code}",
            "name": self.name,
            "severity": self.severity.word,
            "message": self.message,
            "detail": self.detail,
            "suggestion": self.suggestion,
            "file": self.place.file if self.place else None,
            "line": self.place.line if self.place else None,
            "column": self.place.column if self.place else None,
            "path": dotted(self.path),
        }
        if self.ignored:
            shape["ignored"] = self.ignored
        if self.known:
            shape["known"] = True
        return shape
