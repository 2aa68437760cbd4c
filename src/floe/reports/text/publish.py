"""Publishing for people: one line per contract, what kept it from being registered below it, the sum last."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from floe.model import Finding
from floe.reports.style import Style, clean, plural
from floe.reports.text.findings import findings_text

_MARKS = {"refused": ("✗", "red"), "not checked": ("?", "yellow"), "skipped": ("·", "blue")}
_MANY = 20  # so many that were there already are listed one by one


def publish_text(results: Sequence[tuple[Mapping[str, Any], Sequence[Finding]]], dry_run: bool, style: Style) -> str:
    """The result of each contract, by its shape and its findings."""
    counts = Counter(str(one["outcome"]) for one, _ in results)
    short = counts["already registered"] > _MANY
    lines = []
    for one, findings in results:
        if not (short and one["outcome"] == "already registered"):
            lines += _lines(one, findings, style)
    total = ", ".join(f"{count:,} {word}" for word, count in counts.items())
    head = "dry run, nothing was registered; " if dry_run else ""
    return "\n".join([*lines, f"{head}{plural(len(results), 'contract')}: {total}"])


def _lines(row: Mapping[str, Any], findings: Sequence[Finding], style: Style) -> list[str]:
    sign, colour = _MARKS.get(str(row["outcome"]), ("✓", "green"))
    said = [str(row["outcome"])]
    if row["outcome"] != "already registered":
        said += [*([str(row["bump"])] if row["bump"] else []), *_tested(row["tested"])]
    if row["effective_from"] and row["bump"] == "MAJOR":
        said.append(f"in effect from {str(row['effective_from'])[:10]}")
    lines = [f"{style.paint(sign, colour)} {clean(str(row['id']))}  {clean(', '.join(said))}"]
    lines += [f"    {clean(str(note))}" for note in row["notes"]]
    for child in row["children_not_complying"]:
        lines += [f"    {clean(str(child['contract']))}: {clean('; '.join(child['causes']))}"]
    if findings:
        lines += [f"  {line}" for line in findings_text(findings, style).splitlines()]
    return lines


def _tested(tested: Mapping[str, Any]) -> list[str]:
    match tested.get("outcome"):
        case None:
            return []
        case "skipped":
            return [f"not tested: {tested['skipped']}"]
        case "pass":
            return ["table passes"]
        case "no_table":
            return ["no table yet"]
        case other:
            return [f"test: {str(other).replace('_', ' ')}"]
