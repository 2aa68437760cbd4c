"""What a kind of change is."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Any

from floe.model import Noun
from floe.model.change import Bump, Impact


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What a kind yields: where, both values, and what differs from the kind's own bump and impacts here.

    `path` is below the pair's own path (empty: the pair itself); `about` is the part whose place is shown.
    """

    old: Any = None
    new: Any = None
    path: str | None = None
    row: str | None = None
    bump: Bump | None = None
    reader: Impact | None = None
    writer: Impact | None = None
    dangerous: bool = False
    klass: str | None = None
    formats: Mapping[str, str] | None = None
    note: str = ""
    about: Noun | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """A kind of change, with its row of docs/design/compatibility.md and its documentation.

    `each` is the pair, or the union of pairs, that it is asked about; of one that is `last` only what no other kind
    told of the pair is said.
    """

    name: str
    row: str
    bump: Bump
    reader: Impact
    writer: Impact
    value: type | UnionType
    ask: Callable[[Any], Iterator[Delta]]
    doc: str
    basis: str = "ruling"
    last: bool = False


def change(  # noqa: PLR0913  (a row of the table has as many columns)
    name: str,
    row: str,
    *,
    bump: Bump,
    reader: Impact,
    writer: Impact,
    value: type | UnionType,
    basis: str = "ruling",
    last: bool = False,
) -> Callable[[Callable[[Any], Iterator[Delta]]], ChangeKind]:
    """Make a kind of change of a function; its docstring is the kind's documentation."""
    return lambda ask: ChangeKind(name, row, bump, reader, writer, value, ask, ask.__doc__ or "", basis, last)
