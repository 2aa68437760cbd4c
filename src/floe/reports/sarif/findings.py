"""Findings as SARIF 2.1.0, which code hosts and editors read."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from floe.model import Finding, Severity
from floe.model.codes import BY_CODE

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}


def findings_sarif(findings: Sequence[Finding], helps: Mapping[str, str], version: str) -> dict[str, Any]:
    """A SARIF log; `helps` holds the documentation of each code."""
    codes = sorted({finding.code for finding in findings})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "floe",
                        "version": version,
                        "rules": [_rule(code, helps.get(code, "")) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, codes) for finding in findings],
            }
        ],
    }


def _rule(code: str, help_text: str) -> dict[str, Any]:
    known = BY_CODE.get(code)
    meaning = known.meaning if known else code
    return {
        "id": f"FLOE-{code}",
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": meaning},
        "help": {"text": help_text or meaning},
        "defaultConfiguration": {"level": _LEVELS[known.severity if known else Severity.ERROR]},
    }


def _result(finding: Finding, codes: Sequence[str]) -> dict[str, Any]:
    parts = (finding.message, finding.detail, finding.suggestion and f"Suggestion: {finding.suggestion}")
    result: dict[str, Any] = {
        "ruleId": f"FLOE-{finding.code}",
        "ruleIndex": codes.index(finding.code),
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join(part for part in parts if part)},
        "locations": [_location(finding)] if finding.place else [],
        "properties": {"name": finding.name, "severity": str(finding.severity)},
    }
    if finding.ignored:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.ignored}]
    elif finding.known:
        result["suppressions"] = [{"kind": "external", "justification": "known in the baseline"}]
        result["baselineState"] = "unchanged"
    return result


def _location(finding: Finding) -> dict[str, Any]:
    place = finding.place
    uri = quote(PurePath(place.file).as_posix(), safe="/") if place else ""
    region = {"startLine": place.line, "startColumn": place.column} if place else {}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
