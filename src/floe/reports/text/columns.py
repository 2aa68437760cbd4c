"""Two schemas in columns, for people."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from floe.model.types import Member, Struct
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
    """Every expected or actual column, with differences marked and named."""
    rows = [("", "column", "expected", "actual"), *_rows(promised, actual, found)]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(
        [f"The columns of the DataFrame differ from {clean(name)}: {plural(len(found), 'difference')}", *lines]
    )


def _rows(promised: Struct, actual: Struct, found: Sequence[Differing]) -> Iterator[tuple[str, str, str, str]]:
    there = {member.name.casefold(): member for member in actual.members}
    for member in promised.members:
        yield from _column_rows(member, there.get(member.name.casefold()), found)
    names = [member.name for member in promised.members]
    for differing in found:
        if differing.name == "extra-column" and not any(_within(differing.path, name) for name in names):
            yield "✗", clean(differing.path), "not in contract", clean(str(differing.actual))


def _column_rows(
    member: Member, other: Member | None, found: Sequence[Differing]
) -> Iterator[tuple[str, str, str, str]]:
    """An expected column and that of the frame, with the differences inside it below."""
    below = [differing for differing in found if _within(differing.path, member.name)]
    differs = below or any(differing.path == _written(member.name) for differing in found)
    actual_type = clean(str(other.type)) if other else "missing"
    yield "✗" if differs else " ", clean(member.name), clean(str(member.type)), actual_type
    for differing in below:
        expected, actual = differing.expected or "not in contract", differing.actual or "missing"
        yield "✗", clean(f"  {differing.path}"), clean(expected), clean(actual)


def _within(path: str, column: str) -> bool:
    """Whether a path leads to a part of a column."""
    start = _written(column)
    return path.startswith((f"{start}.", f"{start}[", f"{start}{{"))


def _written(column: str) -> str:
    return f"`{column}`" if "." in column else column
