"""Approve: waive a finding until a given day, with a reason; read the approvals of changes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from floe.contract.formats.config import policies as approvals_text
from floe.contract.formats.config.policies import read_waivers
from floe.contract.formats.text.edit import append
from floe.contract.sources.files import read_bytes
from floe.contract.sources.rewrite import rewrite
from floe.model import ContractError, Finding, SettingError, yaml_text
from floe.model.approval import Approval
from floe.model.policy import Waiver
from floe.settings import Settings
from floe.system.full_disk import remedy
from floe.system.whole_file import write_whole

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


def approve(waiver: Waiver, settings: Settings, today: date) -> Path:
    """Write a waiver into manifest.yaml, keeping its comments, and return the file."""
    if waiver.until is None or waiver.until < today:
        raise SettingError(f"The waiver ends {waiver.until}, which is before today", "Pass a later day with --until")
    path = settings.root / "manifest.yaml"
    entry = {
        "code": waiver.code,
        "path": waiver.path,
        "reason": waiver.reason,
        "approver": waiver.approver,
        "until": str(waiver.until),
    }
    if waiver.contract != "*":
        entry["contract"] = waiver.contract
    try:
        if path.is_file():
            rewrite(path, lambda text: _added(text, path, entry, waiver))
        else:
            write_whole(path, _added("", path, entry, waiver))
    except ContractError as error:
        raise SettingError(f"{error.message}", error.suggestion) from None
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}", remedy(error, "Make it writable")) from None
    return path


def _added(text: str, path: Path, entry: Mapping[str, str], waiver: Waiver) -> str:
    after = append(text, str(path), "waivers", entry)
    if waiver not in read_waivers(yaml_text.parse(after, str(path))["waivers"], str(path)):
        raise SettingError(f"{path}: the waiver cannot be added", "Add it by hand")
    return after
