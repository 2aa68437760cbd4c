"""Whom a change reaches, for people."""

from collections.abc import Iterator, Sequence

from floe.model.impact import ImpactOf, Reached
from floe.tell.report.style import Style, clean, plural


def impacts_text(impacts: Sequence[ImpactOf], style: Style) -> str:
    """One block per contract: who is affected, and who may be."""
    return "\n".join("\n".join(_block(one, style)) for one in impacts) or "No contract changed."


def _block(one: ImpactOf, style: Style) -> Iterator[str]:
    yield style.paint(clean(verdict(one)), "bold")
    if one.affected:
        yield from _listed("affected", one.affected, style, "red")
    if one.may_break:
        yield from _listed("may break: nobody knows whether they use what changed", one.may_break, style, "yellow")


def verdict(one: ImpactOf) -> str:
    """What a change comes to, in a line."""
    head = f"{one.contract} {one.old or 'none'} → {one.new or 'none'}: {one.bump}"
    if not one.changed:
        return f"{head}, nothing that a reader notices"
    if not one.affected and not one.may_break:
        return f"{head}, reaches nobody who is known"
    return f"{head}, reaches {plural(len(one.affected), 'consumer')}, may break {len(one.may_break)} more"


def _listed(title: str, reached: Sequence[Reached], style: Style, colour: str) -> Iterator[str]:
    yield f"  {style.paint(title, colour)}"
    rows = [tuple(map(clean, cells(one))) for one in reached]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield "    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def cells(one: Reached) -> tuple[str, ...]:
    """Impact, who, whom to ask, by what, over which way."""
    use = one.use
    who = f"{use.team} ({use.name})" if use.name else use.team
    what = ", ".join(one.columns) or ", ".join(dict.fromkeys(f"{c.change} {c.path}".strip() for c in one.changes))
    way = "directly" if len(one.way) == 1 else "through " + " → ".join(one.way[1:])
    return str(one.impact), who, use.contact, what, way
