"""Whom a change reaches, in Markdown for pull requests."""

from collections.abc import Iterator, Sequence

from floe.model.impact import ImpactOf, Reached
from floe.reports.markdown.findings import markdown_text
from floe.reports.text.impact import cells, verdict

_HEAD = ("| impact | who | contact | what | how |", "|---|---|---|---|---|")


def impacts_markdown(impacts: Sequence[ImpactOf]) -> str:
    """One section per contract."""
    return "\n\n".join("\n\n".join(_section(impact_of)) for impact_of in impacts) or "No contract changed."


def _section(impact_of: ImpactOf) -> Iterator[str]:
    yield f"### {markdown_text(verdict(impact_of))}"
    if impact_of.affected:
        yield "**Affected**"
        yield _table(impact_of.affected)
    if impact_of.may_break:
        yield "**May break**: it is unknown whether they use the changed parts"
        yield _table(impact_of.may_break)


def _table(reached: Sequence[Reached]) -> str:
    rows = ["| " + " | ".join(map(markdown_text, cells(value))) + " |" for value in reached]
    return "\n".join([*_HEAD, *rows])
