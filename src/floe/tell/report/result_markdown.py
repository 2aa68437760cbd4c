"""What came of plans as Markdown, for pull requests and wikis."""

from collections.abc import Collection, Sequence

from floe.model.result import Outcome, Result
from floe.tell.report.findings_markdown import markdown_text
from floe.tell.report.result_text import ask_text, rows_text, samples_text, values_text, verdict


def result_markdown(results: Sequence[Result], accepted: Collection[str]) -> str:
    """A heading with the verdict for each dataset, and a table of what is broken or unknown."""
    return "\n\n".join(_dataset(result, accepted) for result in results)


def _dataset(result: Result, accepted: Collection[str]) -> str:
    head = f"### {verdict(result)[0]}: {markdown_text(result.dataset)}"
    about = f"{result.contract}:{result.version}, {rows_text(result)}, snapshot {result.snapshot or '–'}. Ask: {ask_text(result)}"
    rows = [_row(one, accepted) for one in (*result.failed, *result.not_evaluated)]
    table = ["", "| severity | code | bad rows | what |", "|---|---|---|---|", *rows] if rows else []
    return "\n".join([head, "", markdown_text(about), *table])


def _row(one: Outcome, accepted: Collection[str]) -> str:
    samples = samples_text(one)
    said = [one.message, values_text(one), samples and f"e.g. {samples}", "accepted" if one.id in accepted else ""]
    what = "<br>".join(markdown_text(part) for part in said if part)
    count = "–" if one.violations is None else f"{one.violations:,}"
    return f"| {one.severity} | FLOE-{one.code} {markdown_text(one.name)} | {count} | {what} |"
