"""Diffs in Markdown, for pull requests."""

from collections.abc import Sequence

from floe.model.change import Bump, Change, Diff
from floe.reports.markdown.findings import findings_markdown, markdown_text
from floe.reports.style import plural
from floe.reports.text.diff import shown

_LONGEST = 80
_HEAD = ("| bump | change | where | old | new | readers | writers |", "|---|---|---|---|---|---|---|")


def diffs_markdown(diffs: Sequence[Diff]) -> str:
    """One section per contract."""
    return "\n\n".join(diff_markdown(diff) for diff in diffs) or "No contract changed."


def diff_markdown(diff: Diff) -> str:
    """The verdict, a table of changes, the migration texts, the findings."""
    parts = [_verdict(diff)]
    parts += [f"*{markdown_text(note)}*" for note in _notes(diff)]
    if diff.changes:
        parts.append("\n".join([*_HEAD, *map(_row, diff.changes)]))
    if diff.migrations:
        parts.append("\n".join(f"- {_plan(path, plan)}" for path, plan in diff.migrations.items()))
    if diff.findings:
        parts.append(findings_markdown(diff.findings, "").rstrip())
    return "\n\n".join(parts)


def _verdict(diff: Diff) -> str:
    mark = "✓" if diff.ok else "✗"
    name = markdown_text(diff.contract)
    if diff.old is None:
        return f"### {mark} {name} {diff.new}: new contract"
    said = f"**{diff.bump}**, {plural(len(diff.changes), 'change')}" if diff.changes else "no change"
    rollout = f"; rollout {diff.rollout}, consumers: {diff.consumer_impact}" if diff.changes else ""
    return f"### {mark} {name} {diff.old} → {diff.new or 'none'}\n\n{said}{rollout}"


def _notes(diff: Diff) -> list[str]:
    notes = list(diff.notes) if diff.old else []
    if diff.earlier is not None:
        worst = max((value.bump for value in (diff, *diff.earlier)), default=Bump.NONE)
        notes.append(f"compared with {plural(1 + len(diff.earlier), 'version')}, worst {worst}")
    if diff.compatibility and diff.compatibility.mode != "none":
        state = "holds" if diff.compatibility.compatible else "is broken"
        notes.append(f"{diff.compatibility.mode} compatibility {state}")
    return notes


def _row(change: Change) -> str:
    danger = " (dangerous)" if change.dangerous else ""
    cells = (
        str(change.bump),
        f"{change.change} ({change.row})",
        change.path or "contract",
        _short(change.old),
        _short(change.new),
        str(change.reader),
        f"{change.writer}{danger}",
    )
    return "| " + " | ".join(markdown_text(cell) for cell in cells) + " |"


def _short(value: object) -> str:
    text = shown(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _plan(path: str, plan: object) -> str:
    values = plan if isinstance(plan, dict) else {}
    until = f" (until {values['deadline']})" if values.get("deadline") else ""
    return markdown_text(f"{path or 'contract'}: {values.get('migration', '')}{until}")
