"""Findings for people."""

from collections.abc import Sequence

from floe.model import Finding, Severity
from floe.tell.report.style import Style, clean, plural


def findings_text(findings: Sequence[Finding], style: Style) -> str:
    """One block per finding: code and message, both values with the place, what to do."""
    return "\n".join(_block(finding, style) for finding in findings)


def _block(finding: Finding, style: Style) -> str:
    place = str(finding.place) if finding.place else ""
    lines = [f"{style.mark(finding.severity)} {style.paint(f'FLOE-{finding.code}', 'bold')}: {clean(finding.message)}"]
    detail = f"    {clean(finding.detail)}" if finding.detail else "   "
    lines.append(f"{detail:<52} {style.paint(place, 'dim')}".rstrip() if place else detail.rstrip())
    if finding.suggestion:
        lines.append(f"    Suggestion: {clean(finding.suggestion)}")
    return "\n".join(line for line in lines if line)


def summary_text(findings: Sequence[Finding], files: int, style: Style) -> str:
    """The last line: how many of what."""
    counts = [(severity, sum(f.severity is severity for f in findings)) for severity in reversed(Severity)]
    said = ", ".join(
        plural(count, str(severity)) for severity, count in counts if count and severity is not Severity.INFO
    )
    infos = counts[-1][1]
    worst = max((finding.severity for finding in findings), default=Severity.INFO)
    verdict = style.paint("✗", "red") if worst >= Severity.ERROR else style.paint("✓", "green")
    return f"{verdict} {plural(files, 'file')}: {said or 'no error, no warning'}" + (f", {infos} info" if infos else "")
