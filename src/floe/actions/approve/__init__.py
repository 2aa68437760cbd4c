"""Approve: waive a finding until a given day, with a reason."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from floe.contract.formats.config.policies import read_waivers
from floe.contract.formats.text import yaml_text
from floe.contract.formats.text.edit import append
from floe.contract.sources.rewrite import rewrite
from floe.model import ContractError, SettingError
from floe.model.policy import Waiver
from floe.settings import Settings
from floe.system.full_disk import remedy
from floe.system.whole_file import write_whole


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
