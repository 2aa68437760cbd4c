"""Whom a change reaches, for people."""

from collections.abc import Iterator, Sequence

from floe.model.impact import ImpactOf, Reached
from floe.reports.style import Style, clean, plural


def impacts_text(impacts: Sequence[ImpactOf], style: Style) -> str:
    """One block per contract: who is affected, and who may be."""
    return "\n".join("\n".join(_block(impact_of, style)) for impact_of in impacts) or "No contract changed."


def _block(impact_of: ImpactOf, style: Style) -> Iterator[str]:
    yield style.paint(clean(verdict(impact_of)), "bold")
    if impact_of.affected:
        yield from _listed("affected", impact_of.affected, style, "red")
    if impact_of.may_break:
        yield from _listed(
            "may break: it is unknown whether they use the changed parts", impact_of.may_break, style, "yellow"
        )


def verdict(impact_of: ImpactOf) -> str:
    """The impact of a change in one line."""
    head = f"{impact_of.contract} {impact_of.old or 'none'} → {impact_of.new or 'none'}: {impact_of.bump}"
    if not impact_of.changed:
        return f"{head}, no effect on readers"
    if not impact_of.affected and not impact_of.may_break:
        return f"{head}, affects no known consumer"
    return f"{head}, affects {plural(len(impact_of.affected), 'consumer')}, may break {len(impact_of.may_break)} more"


def _listed(title: str, reached: Sequence[Reached], style: Style, colour: str) -> Iterator[str]:
    yield f"  {style.paint(title, colour)}"
    rows = [tuple(map(clean, cells(value))) for value in reached]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield "    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def cells(reached: Reached) -> tuple[str, ...]:
    """Impact, team, contact, columns, and path."""
    use = reached.use
    who = f"{use.team} ({use.name})" if use.name else use.team
    what = ", ".join(reached.columns) or ", ".join(
        dict.fromkeys(f"{c.change} {c.path}".strip() for c in reached.changes)
    )
    way = "directly" if len(reached.way) == 1 else "through " + " → ".join(reached.way[1:])
    return str(reached.impact), who, use.contact, what, way
