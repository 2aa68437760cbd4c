"""Findings as a Markdown table, for pull requests and wikis."""

import re
from collections.abc import Sequence

from floe.model import Finding
from floe.reports.style import clean

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!])")


def findings_markdown(findings: Sequence[Finding], summary: str) -> str:
    """A table of the findings that count, and the summary of the run."""
    rows = [_row(finding) for finding in findings if finding.counts]
    head = ["| severity | code | what | where |", "|---|---|---|---|"] if rows else []
    return "\n".join([*head, *rows, *([""] if rows else []), markdown_text(summary)])


def _row(finding: Finding) -> str:
    said = [finding.message, finding.detail, finding.suggestion and f"Suggestion: {finding.suggestion}"]
    what = "<br>".join(markdown_text(part) for part in said if part)
    where = markdown_text(str(finding.place or ""))
    return f"| {finding.severity} | FLOE-{finding.code} {finding.name} | {what} | {where} |"


def markdown_text(text: str) -> str:
    """Text without markup, HTML, line breaks and links."""
    one_line = clean(text.replace("\r", " ").replace("\n", " "))
    return _MARKUP.sub(r"\\\1", one_line).replace("&", "&amp;").replace("://", ":&#8203;//")
