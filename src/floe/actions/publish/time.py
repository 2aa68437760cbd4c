"""When a version takes effect, and how long its consumers know of it before."""

from datetime import datetime, timedelta

from floe.actions.compile.judge import Rulebook, apply_waivers
from floe.lang.dates import parse_day
from floe.model import Contract, Finding, Severity, locate
from floe.settings import Settings
from floe.system.clock import stamp

_LEAST = {"versions.lead_days": ("E526", 14), "versions.notice_days": ("E525", 30)}


class Timing:
    """The days that a breaking change of a contract is announced ahead."""

    def __init__(self, contract: Contract, settings: Settings, rules: Rulebook, name: str, now: datetime) -> None:
        self.contract, self.settings, self.rules, self.name, self.now = contract, settings, rules, name, now
        self.notes: list[str] = []

    @property
    def notice_days(self) -> int:
        """How long consumers know of a breaking change before it may be published without their sign-off."""
        return self._days("versions.notice_days")

    def start(self, breaking: bool) -> tuple[str, list[Finding]]:
        """When the version takes effect, as `effectiveFrom` says, and what is wrong with that (E526)."""
        said = self.contract.custom.get("effectiveFrom")
        lead = self._days("versions.lead_days") if breaking else 0
        earliest = self.now.date() + timedelta(days=lead)
        if said is None:
            return f"{earliest}T00:00:00.000Z" if breaking else stamp(self.now), []
        day = parse_day(said)
        if day is None:
            return "", [self._finding(f"effectiveFrom '{said}' is no date", "", f"Write it as {earliest}")]
        if breaking and day < earliest:
            days = (day - self.now.date()).days
            text = f"The breaking change of '{self.name}' takes effect too early"
            detail = f"effectiveFrom is {day}, {days} days from now; the lead time is {lead} days"
            return "", [self._finding(text, detail, f"Set effectiveFrom to {earliest} or later")]
        return f"{day}T00:00:00.000Z", []

    def _days(self, key: str) -> int:
        """A number of days that goes below the promised one by a waiver only."""
        code, least = _LEAST[key]
        asked = int(self.settings.values()[key])
        if asked >= least:
            return asked
        text = f"'{key}' is {asked}, less than the {least} days that consumers are promised"
        finding = Finding(code, "period-too-short", Severity.ERROR, text, path=tuple(key.split(".")))
        (judged, *_) = apply_waivers([finding], self.rules, self.name, self.now.date())
        if judged.severity is Severity.INFO:
            return asked
        self.notes.append(f"{text}: {least} hold, as no waiver of {code} at {key} does")
        return least

    def _finding(self, text: str, detail: str, suggestion: str) -> Finding:
        place = locate(self.contract.node, "customProperties")
        path = ("customProperties", "effectiveFrom")
        return Finding("E526", "effective-too-early", Severity.ERROR, text, detail, suggestion, place, path)
