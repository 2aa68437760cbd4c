"""What a table holds by itself, for people."""

from collections.abc import Sequence
from typing import Any, Protocol

from floe.reports.style import Style, clean, plural


class Protected(Protocol):
    """What protect and unprotect answer."""

    @property
    def table(self) -> str:
        """The table."""

    @property
    def protections(self) -> Sequence[Any]:
        """What became of each rule."""

    @property
    def removed(self) -> Sequence[str]:
        """What was taken back."""


def protect_text(result: Protected, style: Style) -> str:
    """How much the table holds, then each rule with what became of it."""
    held = [protection for protection in result.protections if protection.held]
    if not result.protections:
        return f"{result.table}: {plural(len(result.removed), 'constraint')} removed"
    lines = [
        f"{style.paint('✓ protected', 'green')} {result.table} enforces {len(held)} of {plural(len(result.protections), 'rule')} itself"
    ]
    lines += [f"    {clean(value.id)}: {clean(value.rule)}" for value in held]
    lines += [
        style.paint(f"    not enforced: {clean(protection.id)}: {clean(protection.cause)}", "yellow")
        for protection in result.protections
        if not protection.held
    ]
    return "\n".join(lines)
