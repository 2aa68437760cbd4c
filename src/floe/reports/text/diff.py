"""A diff for people: the verdict, old and new side by side, worst first, what is wrong."""

from collections.abc import Sequence

from floe.model.change import Bump, Change, Diff
from floe.reports.style import Style, clean, plural
from floe.reports.text.findings import findings_text

_COLOURS = {Bump.MAJOR: "red", Bump.MINOR: "yellow", Bump.PATCH: "blue", Bump.NONE: "dim"}
_TITLES = ("bump", "row", "change", "where", "old", "new", "reader", "writer")
_WIDTH = 100
# the columns that give way where a line is too long, down to so many characters
_LEAST = {3: 12, 4: 8, 5: 8, 2: 14}


def diffs_text(diffs: Sequence[Diff], style: Style) -> str:
    """One block per contract, and for several what they come to."""
    blocks = [diff_text(diff, style) for diff in diffs]
    if len(diffs) > 1:
        worst = max((diff.bump for diff in diffs), default=Bump.NONE)
        wrong = sum(not diff.ok for diff in diffs)
        mark = style.paint("✗", "red") if wrong else style.paint("✓", "green")
        blocks.append(f"{mark} {plural(len(diffs), 'contract')}: {worst}, {plural(wrong, 'contract')} with errors")
    return "\n\n".join(blocks)


def diff_text(diff: Diff, style: Style) -> str:
    """The bump and what it means first, then a line per change, then findings."""
    lines = [_verdict(diff, style), *_notes(diff)]
    lines += _table(diff.changes, style)
    lines += [f"    {clean(text)}" for text in _migrations(diff)]
    if diff.findings:
        lines.append(findings_text(diff.findings, style))
    for other in diff.earlier or ():
        lines += [f"against {other.old}: {_bump(other, style)}, {plural(len(other.changes), 'change')}"]
        lines += [] if other.ok else [findings_text(other.findings, style)]
    return "\n".join(line for line in lines if line)


def _verdict(diff: Diff, style: Style) -> str:
    mark = style.paint("✓", "green") if diff.ok else style.paint("✗", "red")
    head = f"{mark} {clean(diff.contract)} {diff.old or 'none'} → {diff.new or 'none'}: "
    if not diff.changes:
        return head + (style.paint("no change", "green") if diff.old else "new contract")
    said = f"{_bump(diff, style)}, {plural(len(diff.changes), 'change')}"
    return f"{head}{said}\n  rollout {diff.rollout}, consumers: {diff.consumer_impact}"


def _bump(diff: Diff, style: Style) -> str:
    return style.paint(str(diff.bump), _COLOURS[diff.bump])


def _notes(diff: Diff) -> list[str]:
    notes = [f"· {clean(note)}" for note in diff.notes if diff.changes or diff.old]
    if diff.earlier is not None:
        worst = max((value.bump for value in (diff, *diff.earlier)), default=Bump.NONE)
        notes.append(f"· compared with {plural(1 + len(diff.earlier), 'version')}, worst {worst}")
    if diff.compatibility and diff.compatibility.mode != "none":
        broken = ", ".join(f"{change.change} {change.path}" for change in diff.compatibility.breaks)
        notes.append(
            _cut(f"· {diff.compatibility.mode}: " + (f"broken by {clean(broken)}" if broken else "holds"), _WIDTH)
        )
    return notes


def _table(changes: Sequence[Change], style: Style) -> list[str]:
    if not changes:
        return []
    rows = [_row(change) for change in changes]
    widths = fitted([max(len(row[i]) for row in (_TITLES, *rows)) for i in range(len(_TITLES))])
    titles, *lines = [
        "  ".join(_cell(cell, width, i).ljust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in (_TITLES, *rows)
    ]
    out = [style.paint(titles.rstrip(), "dim")]
    for change, line in zip(changes, lines, strict=True):
        out.append(style.paint(line.rstrip(), _COLOURS[change.bump]))
        if change.note:
            out.append(_cut(f"       {clean(change.note)}", _WIDTH))
    return out


def _row(change: Change) -> tuple[str, ...]:
    danger = " !" if change.dangerous else ""
    old, new = shown(change.old), shown(change.new)
    where = clean(change.path).replace("\n", " ") or "contract"
    return (
        str(change.bump),
        change.row,
        change.change,
        where,
        old,
        new,
        str(change.reader),
        f"{change.writer}{danger}",
    )


def fitted(widths: list[int]) -> list[int]:
    """Column widths that fit the line: the widest gives way first."""
    out = list(widths)
    while sum(out) + 2 * (len(out) - 1) > _WIDTH:
        able = [i for i, least in _LEAST.items() if out[i] > least]
        if not able:
            break
        out[max(able, key=lambda i: out[i] - _LEAST[i])] -= 1
    return out


def _cell(text: str, width: int, column: int) -> str:
    """A value that fits; of a long path the end is kept."""
    if len(text) > width and column == 3:
        return "…" + text[len(text) - width + 1 :]
    return _cut(text, width)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def shown(value: object) -> str:
    """A value of a change in one line."""
    return "–" if value is None else clean(str(value)).replace("\n", " ")


def _migrations(diff: Diff) -> list[str]:
    return [
        f"{path or 'contract'}: {plan.get('migration', '')}"
        + (f" (until {plan['deadline']})" if plan.get("deadline") else "")
        for path, plan in diff.migrations.items()
    ]
