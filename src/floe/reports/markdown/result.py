"""Results as Markdown, for pull requests and wikis."""

from collections.abc import Collection, Sequence

from floe.model.result import Outcome, Result
from floe.reports.markdown.findings import markdown_text
from floe.reports.text.result import ask_text, rows_text, samples_text, values_text, verdict


def result_markdown(results: Sequence[Result], accepted: Collection[str]) -> str:
    """A heading with the verdict for each dataset, and a table of what is broken or unknown."""
    return "\n\n".join(_dataset(result, accepted) for result in results)


def _dataset(result: Result, accepted: Collection[str]) -> str:
    head = f"### {verdict(result)[0]}: {markdown_text(result.dataset)}"
    about = f"{result.contract}:{result.version}, {rows_text(result)}, snapshot {result.snapshot or '–'}. Contact: {ask_text(result)}"
    rows = [_row(outcome, accepted) for outcome in (*result.failed, *result.not_evaluated)]
    table = ["", "| severity | code | bad rows | what |", "|---|---|---|---|", *rows] if rows else []
    return "\n".join([head, "", markdown_text(about), *table])


def _row(outcome: Outcome, accepted: Collection[str]) -> str:
    samples = samples_text(outcome)
    said = [
        outcome.message,
        values_text(outcome),
        samples and f"e.g. {samples}",
        "accepted" if outcome.id in accepted else "",
    ]
    what = "<br>".join(markdown_text(part) for part in said if part)
    count = "–" if outcome.violations is None else f"{outcome.violations:,}"
    return f"| {outcome.severity} | FLOE-{outcome.code} {markdown_text(outcome.name)} | {count} | {what} |"
