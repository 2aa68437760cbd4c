"""Whom a change reaches, in Markdown for pull requests."""

from collections.abc import Iterator, Sequence

from floe.model.impact import ImpactOf, Reached
from floe.tell.report.findings_markdown import markdown_text
from floe.tell.report.impact_text import cells, verdict

_HEAD = ("| impact | who | contact | what | how |", "|---|---|---|---|---|")


def impacts_markdown(impacts: Sequence[ImpactOf]) -> str:
    """One section per contract."""
    return "\n\n".join("\n\n".join(_section(one)) for one in impacts) or "No contract changed."


def _section(one: ImpactOf) -> Iterator[str]:
    yield f"### {markdown_text(verdict(one))}"
    if one.affected:
        yield "**Affected**"
        yield _table(one.affected)
    if one.may_break:
        yield "**May break**: nobody knows whether they use what changed"
        yield _table(one.may_break)


def _table(reached: Sequence[Reached]) -> str:
    rows = ["| " + " | ".join(map(markdown_text, cells(one))) + " |" for one in reached]
    return "\n".join([*_HEAD, *rows])
