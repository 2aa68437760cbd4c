"""Compiling for people: numbered steps, findings below the check, the verdict last."""

from collections.abc import Sequence

from floe.model import Finding, Severity
from floe.reports.style import Style, clean, plural
from floe.reports.text.findings import findings_text

_CHECK = "Check"
_INDENT = "  "


def compile_text(steps: Sequence[tuple[str, str]], findings: Sequence[Finding], failed: bool, style: Style) -> str:
    """The steps with their results and findings."""
    width = max(len(title) for title, _ in steps)
    lines = []
    for number, (title, said) in enumerate(steps, 1):
        head = style.paint(f"[{number}/{len(steps)}]", "dim")
        lines.append(f"{head} {title.ljust(width)}  {clean(said)}")
        if title.startswith(_CHECK) and (told := findings_text(_told(findings), style)):
            lines += [f"{_INDENT}{line}" for line in told.splitlines()]
    return "\n".join([*lines, _verdict(findings, failed, style)])


def _told(findings: Sequence[Finding]) -> list[Finding]:
    """The findings to show: warnings and worse, and those of inheritance, policy and tables."""
    return [finding for finding in findings if finding.severity > Severity.INFO or finding.code >= "E510"]


def _verdict(findings: Sequence[Finding], failed: bool, style: Style) -> str:
    counted = [finding for finding in findings if finding.counts]
    counts = [(severity, sum(finding.severity is severity for finding in counted)) for severity in reversed(Severity)]
    said = ", ".join(
        f"{count} {severity}" if severity in (Severity.CRITICAL, Severity.INFO) else plural(count, str(severity))
        for severity, count in counts
        if count
    )
    sign = style.paint("✗ failed", "red") if failed else style.paint("✓ compiled", "green")
    return f"{sign}: {said or 'no findings'}"
