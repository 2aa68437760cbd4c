"""Two schemas side by side, for people."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from floe.model.types import Struct
from floe.reports.style import clean, plural


class Differing(Protocol):
    """Where two schemas disagree."""

    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def expected(self) -> str | None: ...  # noqa: D102
    @property
    def actual(self) -> str | None: ...  # noqa: D102


def columns_text(name: str, promised: Struct, actual: Struct, found: Sequence[Differing]) -> str:
    """Every column that is promised or there, expected beside actual; what differs is marked and named."""
    rows = [("", "column", "expected", "actual"), *_rows(promised, actual, found)]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(
        [f"The columns of the DataFrame differ from {clean(name)}: {plural(len(found), 'difference')}", *lines]
    )


def _rows(promised: Struct, actual: Struct, found: Sequence[Differing]) -> Iterator[tuple[str, str, str, str]]:
    there = {member.name.casefold(): member for member in actual.members}
    wrong = {differing.path: differing for differing in found}
    for member in promised.members:
        other = there.get(member.name.casefold())
        path = f"`{member.name}`" if "." in member.name else member.name
        below = [differing for differing in found if differing.path.startswith((f"{path}.", f"{path}[", f"{path}{{"))]
        mark = "✗" if path in wrong or below else " "
        yield mark, clean(member.name), clean(str(member.type)), clean(str(other.type)) if other else "missing"
        for differing in below:
            yield (
                "✗",
                clean(f"  {differing.path}"),
                clean(differing.expected or "not in contract"),
                clean(differing.actual or "missing"),
            )
    for differing in found:
        if differing.name == "extra-column" and not any(
            _within(differing.path, member.name) for member in promised.members
        ):
            yield "✗", clean(differing.path), "not in contract", clean(str(differing.actual))


def _within(path: str, column: str) -> bool:
    start = f"`{column}`" if "." in column else column
    return path.startswith((f"{start}.", f"{start}[", f"{start}{{"))
