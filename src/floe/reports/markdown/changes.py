"""docs/changes.md: every kind of change between two versions of a contract."""

from collections.abc import Sequence
from typing import Protocol

from floe.model.change import Bump, Impact
from floe.reports.style import Style
from floe.reports.text.explain import paragraphs

_HEAD = """# Changes

The kinds of change that `floe diff` reports. Each has the version bump that it requires by default and its impact on readers
and writers: `ok`, `risk` (works, but results may surprise) or `break`. The output of `floe diff` may differ from the default,
because types, service levels and rules depend on the values. `floe explain field-removed` prints the text of this page.

This page is generated: `floe explain changes --format markdown > docs/changes.md`.
"""
_SECTIONS = {
    "A": "The document",
    "B": "Tables",
    "C": "Columns and nested fields",
    "D": "Types",
    "K": "Constraints, keys, classification",
    "F": "Service levels",
    "G": "Quality rules",
    "H": "Semantics",
    "I": "Servers and roles",
}


class DocumentedChange(Protocol):
    """A kind of change as far as a reader of its documentation needs it."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def row(self) -> str: ...  # noqa: D102
    @property
    def bump(self) -> Bump: ...  # noqa: D102
    @property
    def reader(self) -> Impact: ...  # noqa: D102
    @property
    def writer(self) -> Impact: ...  # noqa: D102
    @property
    def doc(self) -> str: ...  # noqa: D102


def changes_markdown(kinds: Sequence[DocumentedChange]) -> str:
    """The whole page."""
    parts = [_HEAD]
    for letter, about in _SECTIONS.items():
        parts.append(f"## {about}\n")
        parts += [change_markdown(kind) + "\n" for kind in kinds if kind.row.startswith(letter)]
    return "\n".join(parts).rstrip("\n") + "\n"


def change_markdown(kind: DocumentedChange) -> str:
    """One kind."""
    return f"**`{kind.name}`** ({_facts(kind)}). " + "  \n".join(paragraphs(kind.doc))


def changes_text(kinds: Sequence[DocumentedChange], style: Style) -> str:
    """Every kind in one line each."""
    return "\n".join(f"{style.paint(kind.name, 'bold')}  {_facts(kind)}" for kind in kinds)


def change_text(kind: DocumentedChange, style: Style) -> str:
    """One kind, with why and what to do."""
    return "\n".join([f"{style.paint(kind.name, 'bold')} ({_facts(kind)})", *paragraphs(kind.doc)])


def _facts(kind: DocumentedChange) -> str:
    return f"{kind.row}, {kind.bump}, reader {kind.reader}, writer {kind.writer}"
