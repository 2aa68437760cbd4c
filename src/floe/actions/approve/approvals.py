"""The approvals of changes that approvals.yaml and the manifest give."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from floe.contract.formats.config import policies as approvals_text
from floe.contract.sources.files import read_bytes
from floe.model import Finding
from floe.model.approval import Approval
from floe.settings import Settings

FILE = "approvals.yaml"


def approvals(settings: Settings, today: date) -> tuple[tuple[Approval, ...], list[Finding]]:
    """The approvals of approvals.yaml at the contract root and of the manifest's waivers, and what is wrong with them."""
    path = settings.root / FILE
    given, wrong = approvals_text.read(read_bytes(path), str(path), today) if path.is_file() else ((), [])
    waivers = [waiver for waiver in settings.waivers if isinstance(waiver, dict) and "diff" in waiver]
    more, also_wrong = approvals_text.read_list(waivers, today)
    return (*given, *more), [*wrong, *also_wrong]


def approved(findings: Sequence[Finding], waiver: Approval | None) -> tuple[Finding, ...]:
    """Findings of which a breaking change under too small a version does not count, where that was approved."""
    if waiver is None:
        return tuple(findings)
    said = f"approved by {waiver.approver}: {waiver.reason}"
    return tuple(replace(finding, ignored=said) if finding.code == waiver.code else finding for finding in findings)
