"""Findings as workflow commands, which GitHub shows at the lines of a pull request."""

from collections.abc import Sequence

from floe.model import Finding, Severity
from floe.reports.style import clean

_COMMANDS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}


def findings_github(findings: Sequence[Finding]) -> str:
    """One command for each finding that counts."""
    return "\n".join(_command(finding) for finding in findings if finding.counts)


def _command(finding: Finding) -> str:
    place = finding.place
    where = [("file", place.file), ("line", str(place.line)), ("col", str(place.column))] if place else []
    fields = [*where, ("title", f"FLOE-{finding.code} {finding.name}")]
    said = ". ".join(part for part in (finding.message, finding.detail, finding.suggestion) if part)
    return command(_COMMANDS[finding.severity], fields, said)


def command(kind: str, fields: Sequence[tuple[str, str]], text: str) -> str:
    """A workflow command that shows a text."""
    properties = ",".join(f"{key}={_property(value)}" for key, value in fields)
    return f"::{kind} {properties}::{_data(text)}"


def _data(text: str) -> str:
    """Text that cannot end the command or begin another one."""
    whole = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return clean(whole)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
