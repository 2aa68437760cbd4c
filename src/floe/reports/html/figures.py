"""Key figures as one HTML page with charts that needs nothing else."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from floe.model.figures import Figure
from floe.reports.html.chart import Chart, chart
from floe.reports.text.figures import value_text
from floe.system.html import Status, render

_STATUS = {
    "met": Status("✓", "met", "good"),
    "missed": Status("✗", "missed", "bad"),
    "unknown": Status("?", "unknown", "warn"),
}


class _Card(NamedTuple):
    """A figure with its chart."""

    title: str
    status: Status
    value: str
    target: str
    detail: str
    chart: Chart | None


def figures_html(summary: Mapping[str, Any], figures: Sequence[Figure]) -> str:
    """The page; `summary` is `Figures.to_dict()`."""
    counts, first, last = summary["summary"], summary["first"], summary["last"]
    headline = f"{counts['met']} met, {counts['missed']} missed, {counts['unknown']} unknown"
    cards = [
        _Card(
            figure.title,
            _STATUS[entry["status"]],
            value_text(entry),
            figure.target,
            figure.detail,
            chart(figure, first, last),
        )
        for figure, entry in zip(figures, summary["figures"], strict=True)
    ]
    return render(
        "floe.reports",
        "figures.html",
        title=f"floe figures: {headline}",
        kind="Key figures",
        headline=headline,
        first=first,
        last=last,
        days=summary["days"],
        cards=cards,
        foot="Written by floe figures",
    )
