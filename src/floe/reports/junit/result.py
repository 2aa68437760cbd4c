"""Results as JUnit XML: a suite for each dataset, a case for each expectation."""

from collections.abc import Collection, Sequence
from xml.etree import ElementTree

from floe.model import Severity
from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, Outcome, Result
from floe.reports.junit.findings import xml_text
from floe.reports.text.result import rows_text, samples_text, values_text

_KINDS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def result_junit(results: Sequence[Result], accepted: Collection[str], fail_on: Severity) -> str:
    """What was not evaluated is an error, unless it is accepted: then it is skipped."""
    root = ElementTree.Element("testsuites", {"name": "floe test"})
    for result in results:
        _suite(root, result, accepted, fail_on)
    for key in ("tests", *_KINDS):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _suite(root: ElementTree.Element, result: Result, accepted: Collection[str], fail_on: Severity) -> None:
    part = f" PARTIAL ({result.scope})" if result.scope else ""
    name = xml_text(f"{result.contract}:{result.version} {result.dataset}{part}")
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, "timestamp": result.checked_at.rstrip("Z")})
    suite.set("time", str(result.cost.get("seconds") or 0))
    said = {"snapshot": result.snapshot, "rows": rows_text(result), "scope": result.scope, "owner": result.owner}
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in said.items():
        if value:
            ElementTree.SubElement(properties, "property", {"name": key, "value": xml_text(value)})
    for outcome in result.expectations:
        case = ElementTree.SubElement(suite, "testcase", {"name": xml_text(outcome.id), "classname": name})
        _case(case, outcome, accepted, fail_on)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for key, kind in _KINDS.items():
        suite.set(key, str(len(suite.findall(f"testcase/{kind}"))))


def _case(case: ElementTree.Element, outcome: Outcome, accepted: Collection[str], fail_on: Severity) -> None:
    samples = samples_text(outcome)
    text = xml_text("\n".join([values_text(outcome), *([f"e.g. {samples}"] if samples else [])]))
    about = {
        "message": xml_text(f"FLOE-{outcome.code} {outcome.severity}: {outcome.message}"),
        "type": xml_text(outcome.name),
    }
    if outcome.outcome == NOT_GATED or (outcome.outcome == NOT_EVALUATED and outcome.id in accepted):
        ElementTree.SubElement(case, "skipped", {"message": xml_text(_why(outcome))})
    elif outcome.outcome == NOT_EVALUATED:
        ElementTree.SubElement(case, "error", about).text = text
    elif outcome.outcome == FAIL and outcome.severity >= fail_on:
        ElementTree.SubElement(case, "failure", about).text = text
    elif outcome.outcome == FAIL:
        ElementTree.SubElement(case, "system-out").text = f"{about['message']}\n{text}"


def _why(outcome: Outcome) -> str:
    return outcome.message if outcome.outcome == NOT_GATED else f"not evaluated, accepted: {outcome.cause}"
