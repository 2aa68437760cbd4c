"""approvals.yaml, and waivers of the manifest that name a diff."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from floe.contract.formats.text import yaml_text
from floe.lang.dates import parse_day
from floe.model import ContractError, Finding, List, Map, Place, Severity
from floe.model.approval import Approval

CODES = ("E517", "E520")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_KEYS = ("code", "diff", "reason", "approver")


def read(data: bytes | str, source: str, today: date) -> tuple[tuple[Approval, ...], list[Finding]]:
    """The approvals of a text, and what is wrong with it."""
    try:
        tree = yaml_text.parse(data, source)
    except ContractError as error:
        return (), list(error.findings)
    listed = tree.get("approvals") if isinstance(tree, Map) else tree
    if listed is None:
        return (), []
    if not isinstance(listed, List):
        return (), [
            _wrong(Place(source, 1, 1), "approvals.yaml contains no list of approvals", "Start it with approvals:")
        ]
    return read_list(listed, today)


def read_list(listed: Any, today: date) -> tuple[tuple[Approval, ...], list[Finding]]:
    """The approvals of a list; entries without `diff` and with a `path` are waivers, and not read here."""
    found: list[Approval | Finding] = []
    for value in listed if isinstance(listed, list) else ():
        if isinstance(value, Map) and "path" in value and "diff" not in value:
            continue
        found += list(_entry(value, getattr(value, "place", Place("approvals.yaml", 1, 1)), today))
    approvals = tuple(approval for approval in found if isinstance(approval, Approval))
    return approvals, [approval for approval in found if isinstance(approval, Finding)]


def _entry(value: Any, place: Place, today: date) -> Iterator[Approval | Finding]:
    entry = value if isinstance(value, Map) else Map(place)
    missing = [key for key in _KEYS if not isinstance(entry.get(key), str) or not entry[key].strip()]
    until = entry.get("until")
    if missing:
        yield _wrong(place, f"An approval has no {', '.join(missing)}", f"Write {', '.join(_KEYS)}, and until")
    elif (code := entry["code"].upper().removeprefix("FLOE-")) not in CODES:
        yield _wrong(
            place, f"An approval has the code {entry['code']}", f"The code of an approval is {' or '.join(CODES)}"
        )
    elif not _HASH.fullmatch(entry["diff"]):
        yield _wrong(
            place, f"'{entry['diff']}' is not the hash of a diff", "Copy it from floe ci: sha256: and 64 digits"
        )
    elif until is not None and parse_day(until) is None:
        yield _wrong(place, f"'{until}' is not a date", "Write until as 2026-12-31")
    else:
        if until is not None and (parse_day(until) or today) < today:
            yield _wrong(place, f"The approval of {entry['approver']} expired on {until}", "Request a new approval")
        yield Approval(code, entry["diff"], entry["reason"], entry["approver"], parse_day(until), place)


def _wrong(place: Place, message: str, suggestion: str) -> Finding:
    return Finding("E517", "approval-invalid", Severity.WARNING, message, "It has no effect", suggestion, place)
