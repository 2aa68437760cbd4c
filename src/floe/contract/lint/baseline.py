"""A baseline: the findings that were known when it was written, told apart by everything but their line."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from floe.model import Finding, SettingError, dotted

_VERSION = 1
_INDEX = re.compile(r"\[\d+\]")
_Key = tuple[str, str, str, str, str]


def write(found: Sequence[Finding], relative: Callable[[str], str]) -> str:
    """A baseline of these findings; what comments ignore needs no place in it."""
    keys = sorted(_key(finding, relative) for finding in found if not finding.ignored)
    entries = [dict(zip(("file", "code", "name", "path", "message"), key, strict=True)) for key in keys]
    return json.dumps({"floe_baseline": _VERSION, "findings": entries}, indent=1, ensure_ascii=False) + "\n"


def read(text: str, file: str) -> Counter[_Key]:
    """The findings that a baseline knows, each with how often it stands there."""
    try:
        data: Any = json.loads(text)
        if data["floe_baseline"] != _VERSION:
            raise SettingError(
                f"{file} is a baseline of another version of floe", "Write it again with --write-baseline"
            )
        return Counter(
            (str(entry["file"]), str(entry["code"]), str(entry["name"]), str(entry["path"]), str(entry["message"]))
            for entry in data["findings"]
        )
    except (ValueError, KeyError, TypeError):
        raise SettingError(f"{file} is not a floe baseline", "Write one with --write-baseline") from None


def known(found: Sequence[Finding], baseline: Counter[_Key], relative: Callable[[str], str]) -> list[Finding]:
    """The findings, those that the baseline knows marked as known; a second one like it is new."""
    left = Counter(baseline)
    marked = []
    for finding in found:
        key = _key(finding, relative)
        is_known = left[key] > 0 and not finding.ignored
        left[key] -= is_known
        marked.append(replace(finding, known=True) if is_known else finding)
    return marked


def _key(finding: Finding, relative: Callable[[str], str]) -> _Key:
    """What a finding is known by: positions in lists are left out, so that a column put before it changes nothing."""
    message = hashlib.sha256(finding.message.encode("utf-8", "replace")).hexdigest()[:16]
    file = relative(finding.place.file) if finding.place else ""
    return file, finding.code, finding.name, _INDEX.sub("[]", dotted(finding.path)), message
