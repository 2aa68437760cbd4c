"""What a code means, for people in a terminal."""

import textwrap
from collections.abc import Sequence
from typing import Protocol

from floe.model import Severity
from floe.model.codes import Code
from floe.model.result import LEVELS, MATRIX
from floe.reports.style import Style

_WIDTH = 100
ENFORCEMENT_NOTE = (
    "Bronze writes in every cell. With onViolation: quarantine, rows that violate data rules, required fields or keys go to "
    "quarantine and the rest is written; schema violations always refuse the batch."
)


class Documented(Protocol):
    """A rule as far as a reader of its documentation needs it."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def severity(self) -> Severity: ...  # noqa: D102
    @property
    def doc(self) -> str: ...  # noqa: D102


class Explained(Protocol):
    """A code with its names and rules."""

    @property
    def code(self) -> Code: ...  # noqa: D102
    @property
    def rules(self) -> Sequence[Documented]: ...  # noqa: D102
    @property
    def reading(self) -> Sequence[tuple[str, str]]: ...  # noqa: D102


def explain_text(explained: Explained, style: Style) -> str:
    """A code, its meaning, and each name under it with why and what to do."""
    code = explained.code
    lines = [f"{style.paint(f'FLOE-{code.code}', 'bold')}: {code.meaning} ({code.severity})"]
    for name, meaning in explained.reading:
        lines += ["", style.paint(name, "bold"), _wrapped(meaning)]
    for rule in explained.rules:
        lines += ["", f"{style.paint(rule.name, 'bold')} ({rule.severity})"]
        lines += [_wrapped(part) for part in paragraphs(rule.doc)]
    return "\n".join(lines)


def codes_text(explained: Sequence[Explained], style: Style) -> str:
    """Every code in one line each."""
    return "\n".join(f"{style.paint(f'FLOE-{value.code.code}', 'bold')}  {value.code.meaning}" for value in explained)


def paragraphs(doc: str) -> list[str]:
    """The paragraphs of a docstring, each in one line."""
    return [" ".join(part.split()) for part in doc.strip().split("\n\n") if part.strip()]


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def enforcement_text(style: Style) -> str:
    """Who blocks what: at compile and run time, and at a gate."""
    when, gate = enforcement_tables()
    return "\n\n".join([_table(when, style), _table(gate, style), textwrap.fill(ENFORCEMENT_NOTE, 112)])


def enforcement_tables() -> tuple[Sequence[tuple[str, ...]], Sequence[tuple[str, ...]]]:
    """The effect of each level on compile, monitor and gates; the first row is the head."""
    when = [("level", "compile", "run time (monitor)"), *((level, *what) for level, what in LEVELS.items())]
    gate = [("at a Silver or Gold gate", *LEVELS), *((row, *map(str, cells.values())) for row, cells in MATRIX.items())]
    return when, gate


def _table(rows: Sequence[tuple[str, ...]], style: Style) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([style.paint(lines[0], "bold"), *lines[1:]])
