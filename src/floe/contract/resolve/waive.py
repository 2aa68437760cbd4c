"""Findings that someone approved, until the day it ends."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from floe.model import Finding, Severity
from floe.model.policy import Waiver


def waived(found: Sequence[Finding], waivers: Sequence[Waiver], contract: str, today: date) -> list[Finding]:
    """The findings of a contract, approved ones as information with reason and date; an approval that does not hold is found."""
    out: list[Finding] = []
    for finding in found:
        waiver = next((waiver for waiver in waivers if waiver.covers(finding, contract)), None)
        if waiver is None or finding.severity is Severity.INFO:
            out.append(finding)
        elif not waiver.approver:
            out += [finding, _unapproved(waiver)]
        elif waiver.until is None or waiver.until < today:
            out += [finding, _expired(waiver)]
        else:
            out.append(_excused(finding, waiver))
    return list(dict.fromkeys(out))


def _excused(finding: Finding, waiver: Waiver) -> Finding:
    said = f"Waived until {waiver.until} by {waiver.approver}: {waiver.reason}"
    detail = f"{finding.detail}; {said}" if finding.detail else said
    return replace(finding, severity=Severity.INFO, detail=detail, suggestion="")


def _expired(waiver: Waiver) -> Finding:
    return Finding(
        "E517",
        "waiver-expired",
        Severity.ERROR,
        f"The waiver of {waiver.code} at '{waiver.path}' has expired",
        f"It was valid until {waiver.until}, approved by {waiver.approver}: {waiver.reason}",
        f"Correct the contract, or approve it again: floe approve {waiver.code} {waiver.path} --reason … --until …",
        waiver.place,
    )


def _unapproved(waiver: Waiver) -> Finding:
    return Finding(
        "E517",
        "waiver-unapproved",
        Severity.ERROR,
        f"The waiver of {waiver.code} at '{waiver.path}' names no approver",
        "It has no effect until someone approves it",
        f"floe approve {waiver.code} {waiver.path} --reason … --until …",
        waiver.place,
    )
