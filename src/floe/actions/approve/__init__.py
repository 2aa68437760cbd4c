"""Approve: excuse a finding until a day, for a reason."""

from datetime import date
from pathlib import Path

from floe.contract.formats.config.policies import read_waivers
from floe.contract.formats.text import yaml_text
from floe.contract.formats.text.edit import append
from floe.model import ContractError, SettingError
from floe.model.policy import Waiver
from floe.settings import Settings


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
        before = path.read_text("utf-8") if path.is_file() else ""
        after = append(before, str(path), "waivers", entry)
        written = read_waivers(yaml_text.parse(after, str(path))["waivers"], str(path))
    except ContractError as error:
        raise SettingError(f"{error.message}", error.suggestion) from None
    if waiver not in written:
        raise SettingError(f"{path}: the waiver cannot be added", "Add it by hand")
    try:
        path.write_text(after, "utf-8")
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}", "Make it writable") from None
    return path
