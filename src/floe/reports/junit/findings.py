"""Findings as JUnit XML, which build servers read."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from floe.model import Finding, Severity

# characters that XML 1.0 cannot hold at all
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def findings_junit(findings: Sequence[Finding], files: Sequence[str], fail_on: Severity) -> str:
    """One suite for each file, one case for each finding; a file without findings is one case that passes."""
    by_file: dict[str, list[Finding]] = {name: [] for name in files}
    for finding in findings:
        by_file.setdefault(finding.place.file if finding.place else "", []).append(finding)
    root = ElementTree.Element("testsuites", {"name": "floe lint"})
    for name, found in by_file.items():
        _suite(root, name, found, fail_on)
    for key in ("tests", "failures", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _suite(root: ElementTree.Element, name: str, found: Sequence[Finding], fail_on: Severity) -> None:
    suite = ElementTree.SubElement(root, "testsuite", {"name": xml_text(name), "errors": "0"})
    for finding in found:
        _case(suite, finding, fail_on)
    if not found:
        ElementTree.SubElement(suite, "testcase", {"name": "no findings", "classname": xml_text(name)})
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))


def _case(suite: ElementTree.Element, finding: Finding, fail_on: Severity) -> None:
    place = finding.place
    name = f"FLOE-{finding.code} {finding.name} at {place.line}:{place.column}" if place else finding.name
    case = ElementTree.SubElement(suite, "testcase", {"name": xml_text(name), "classname": suite.get("name", "")})
    if place:
        case.set("file", xml_text(place.file))
        case.set("line", str(place.line))
    text = xml_text("\n".join(part for part in (str(place or ""), finding.detail, finding.suggestion) if part))
    message = {"message": xml_text(finding.message), "type": str(finding.severity)}
    if not finding.counts:
        ElementTree.SubElement(case, "skipped", {"message": xml_text(finding.ignored or "known in the baseline")})
    elif finding.severity >= fail_on:
        ElementTree.SubElement(case, "failure", message).text = text
    else:
        ElementTree.SubElement(case, "system-out").text = xml_text(f"{finding.severity}: {finding.message}\n{text}")


def xml_text(text: str) -> str:
    """Text that XML can hold."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
