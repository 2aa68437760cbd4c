"""What a pull request changes, as one comment."""

from collections.abc import Sequence

from floe.model import Finding
from floe.model.change import Bump, Diff
from floe.reports.markdown.diff import diffs_markdown
from floe.reports.markdown.findings import findings_markdown, markdown_text
from floe.reports.style import plural

# a comment with this mark is replaced
MARK = "<!-- floe ci -->"


def ci_markdown(
    diffs: Sequence[Diff], steps: Sequence[tuple[str, Sequence[Finding]]], approved: Sequence[str], failed: bool
) -> str:
    """The verdict first, then what changed, then what is wrong, step by step."""
    bump = max((diff.bump for diff in diffs), default=Bump.NONE)
    verdict = "✗ not ready" if failed else "✓ fine"
    parts = [MARK, f"## floe: {verdict}, {plural(len(diffs), 'contract')} changed, {bump}"]
    parts.append(diffs_markdown(diffs))
    parts += [f"✓ {markdown_text(text)}" for text in approved]
    for name, findings in steps:
        counting = [finding for finding in findings if finding.counts]
        # findings of the diff are part of its contract
        if counting and name != "diff":
            parts += [f"### {name}", findings_markdown(counting, "").rstrip()]
    return "\n\n".join(parts)
