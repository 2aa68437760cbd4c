"""Findings for people."""

from collections.abc import Sequence

from floe.model import Finding, Severity
from floe.reports.style import Style, clean, plural

# so many files are named one by one
_NAMED = 5


def findings_text(findings: Sequence[Finding], style: Style) -> str:
    """One block per finding that counts: code and message, both values with the place, what to do.

    An information about many files is printed once, with their number.
    """
    counting = [finding for finding in findings if finding.counts]
    files = _files(counting)
    said = {
        name: f"{len(others) - 1} more files have the same finding"
        for name, others in files.items()
        if len(others) > _NAMED
    }
    blocks, seen = [], set()
    for finding in counting:
        alike = said.get(finding.name, "") if finding.severity is Severity.INFO else ""
        if not alike or finding.name not in seen:
            blocks.append(_block(finding, style, alike))
        seen.add(finding.name)
    return "\n".join(blocks)


def _files(findings: Sequence[Finding]) -> dict[str, set[str]]:
    """The files with each information."""
    files: dict[str, set[str]] = {}
    for finding in findings:
        if finding.severity is Severity.INFO and finding.place:
            files.setdefault(finding.name, set()).add(finding.place.file)
    return files


def _block(finding: Finding, style: Style, alike: str = "") -> str:
    place = clean(str(finding.place)) if finding.place else ""
    lines = [f"{style.mark(finding.severity)} {style.paint(f'FLOE-{finding.code}', 'bold')}: {clean(finding.message)}"]
    said = "; ".join(filter(None, (finding.detail, alike)))
    detail = f"    {clean(said)}" if said else "   "
    lines.append(f"{detail:<52} {style.paint(place, 'dim')}".rstrip() if place else detail.rstrip())
    if finding.suggestion:
        lines.append(f"    Suggestion: {clean(finding.suggestion)}")
    return "\n".join(line for line in lines if line)


def summary_text(findings: Sequence[Finding], files: int, style: Style, skipped: Sequence[str] = ()) -> str:
    """The last lines: which files are no contracts, and how many of what was found."""
    judged = [finding for finding in findings if finding.counts]
    counts = {severity: sum(f.severity is severity for f in judged) for severity in reversed(Severity)}
    said = [_counted(severity, count) for severity, count in counts.items() if count and severity > Severity.INFO]
    beside = {
        "info": counts[Severity.INFO],
        "ignored": sum(bool(finding.ignored) for finding in findings),
        "known": sum(finding.known for finding in findings),
    }
    worst = max((finding.severity for finding in judged), default=Severity.INFO)
    verdict = style.paint("✗", "red") if worst >= Severity.ERROR else style.paint("✓", "green")
    parts = [*(said or ["no error, no warning"]), *(f"{count:,} {word}" for word, count in beside.items() if count)]
    return f"{_skipped_text(skipped, style)}{verdict} {plural(files, 'file')}: {', '.join(parts)}"


def _counted(severity: Severity, count: int) -> str:
    return f"{count:,} critical" if severity is Severity.CRITICAL else plural(count, str(severity))


def _skipped_text(skipped: Sequence[str], style: Style) -> str:
    if not skipped:
        return ""
    verb = "is not a contract and was" if len(skipped) == 1 else "are not contracts and were"
    names = ", ".join(clean(name) for name in skipped[:_NAMED]) + (", …" if len(skipped) > _NAMED else "")
    return f"{style.mark(Severity.INFO)} {plural(len(skipped), 'YAML file')} {verb} skipped: {names}\n"
