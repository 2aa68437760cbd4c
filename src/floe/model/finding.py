"""What a rule says about a contract, and where."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from floe.model.tree import Place, Step, dotted


class Severity(IntEnum):
    """How bad it is; ordered."""

    INFO = 1
    WARNING = 2
    ERROR = 3
    CRITICAL = 4

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def of(cls, word: str) -> "Severity":
        """The severity a word names.

        >>> Severity.of("warning") is Severity.WARNING
        True
        """
        return cls[word.upper()]


@dataclass(frozen=True, slots=True)
class Message:
    """What a rule yields: what is wrong, both values, what to do, and where below the thing it was asked about."""

    text: str
    detail: str = ""
    suggestion: str = ""
    at: tuple[Step, ...] = ()
    key: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A message with its code, severity and place."""

    code: str
    name: str
    severity: Severity
    message: str
    detail: str = ""
    suggestion: str = ""
    place: Place | None = None
    path: tuple[Step, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "code": f"FLOE-{self.code}",
            "name": self.name,
            "severity": str(self.severity),
            "message": self.message,
            "detail": self.detail,
            "suggestion": self.suggestion,
            "file": self.place.file if self.place else None,
            "line": self.place.line if self.place else None,
            "column": self.place.column if self.place else None,
            "path": dotted(self.path),
        }
