"""A diff as workflow commands, which GitHub shows at the lines of a pull request."""

from collections.abc import Sequence

from floe.model.change import Diff
from floe.reports.github.findings import findings_github
from floe.reports.style import Style
from floe.reports.text.diff import diffs_text


def diff_github(diffs: Sequence[Diff]) -> str:
    """One command per finding, and the diff in plain text, in which no line can be a command."""
    found = [finding for diff in diffs for value in (diff, *(diff.earlier or ())) for finding in value.findings]
    text = diffs_text(diffs, Style(colour=False)).replace("::", ":\u200b:")
    return "\n".join(part for part in (findings_github(found), text) if part)
