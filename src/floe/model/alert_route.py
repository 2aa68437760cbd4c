"""Whom alerts go to: by how bad they are, and by contract."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from floe.model.errors import SettingError
from floe.model.finding import Severity
from floe.model.notification import Notification

_KEYS = ("to", "severity", "contracts", "secret", "per_minute")
_PER_MINUTE = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One target: an address, from which severity on, for which contracts."""

    to: str
    severity: Severity = Severity.ERROR
    contracts: tuple[str, ...] = ("*",)
    secret: str = ""
    per_minute: int = _PER_MINUTE

    @property
    def id(self) -> str:
        """The target's name where its address, which may open a door, has no place."""
        return hashlib.sha256(self.to.encode()).hexdigest()[:12]

    @property
    def scheme(self) -> str:
        """What kind of target it is."""
        return self.to.partition("://")[0].lower()

    def takes(self, notice: Notification) -> bool:
        """Whether a message is for this target."""
        names = (notice.contract, str(notice.data.get("table") or notice.contract))
        named = any(fnmatchcase(name, pattern) for name in names for pattern in self.contracts)
        return notice.severity >= self.severity and named


def read_routes(alerts: Sequence[Any]) -> tuple[tuple[Route, ...], tuple[str, ...]]:
    """The targets of the setting `alerts`, and what is wrong with those that cannot be used."""
    found, wrong = [], []
    for number, entry in enumerate(alerts, 1):
        try:
            found.append(_route(entry))
        except SettingError as error:
            wrong.append(f"alerts, entry {number}: {error.message}")
    return tuple(found), tuple(wrong)


def _route(entry: Any) -> Route:
    if not isinstance(entry, dict):
        raise SettingError("it is not a mapping with the key 'to'")
    fault = next(_faults(entry), None)
    if fault:
        raise SettingError(fault)
    given = {key: entry[key] for key in ("to", "secret", "per_minute") if key in entry}
    if "severity" in entry:
        given["severity"] = Severity.of(entry["severity"])
    if "contracts" in entry:
        given["contracts"] = tuple(entry["contracts"])
    return Route(**given)


def _faults(entry: dict[str, Any]) -> Iterator[str]:
    unknown = [str(key) for key in entry if key not in _KEYS]
    if unknown:
        yield f"'{unknown[0]}' is not one of {', '.join(_KEYS)}"
    if not isinstance(entry.get("to"), str) or "://" not in entry["to"]:
        yield "'to' is not an address such as slack://…, mailto://…, https://… or alertmanager://…"
    words = [str(severity) for severity in Severity]
    if entry.get("severity", "error") not in words:
        yield f"severity '{entry['severity']}' is not one of {', '.join(words)}"
    patterns = entry.get("contracts", [])
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        yield "'contracts' is not a list of patterns such as [\"sales.*\"]"
    if not isinstance(entry.get("secret", ""), str):
        yield "'secret' is not a text"
    most = entry.get("per_minute", _PER_MINUTE)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        yield "'per_minute' is not a number above 0"
