"""The lifecycle of a contract's MAJOR line: its states, its dates, and the messages to its consumers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from floe.lang.dates import parse_day
from floe.model.contract import Contract, Version
from floe.model.errors import ContractError
from floe.model.finding import Finding, Severity

DRAFT, ACTIVE, DEPRECATED, SUNSET, RETIRED = STATES = ("draft", "active", "deprecated", "sunset", "retired")
ENDING = (DEPRECATED, SUNSET, RETIRED)
NOTICE_DAYS = 30
SUNSET_DAYS = 7
_DRAFTS = ("draft", "proposed", "development", "in development", "pending")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The state of a MAJOR line: its state since a day, its announced dates, and its replacement."""

    contract: str
    major: int
    state: str
    since: date | None = None
    announced: date | None = None
    sunset_date: date | None = None
    retire_date: date | None = None
    replacement: str | None = None
    reason: str | None = None
    migration_guide: str | None = None

    @property
    def name(self) -> str:
        """The line as people call it.

        >>> Standing(contract="sales.shop/orders", major=1, state="active").name
        'sales.shop/orders:1'
        """
        return f"{self.contract}:{self.major}"

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        days = {"since": self.since, "announced": self.announced, "sunset_date": self.sunset_date}
        days["retire_date"] = self.retire_date
        said = {"replacement": self.replacement, "reason": self.reason, "migration_guide": self.migration_guide}
        shown = {name: str(day) if day else None for name, day in days.items()}
        return {"contract": self.contract, "major": self.major, "state": self.state, **shown, **said}


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """The content of a deprecation."""

    sunset_date: date
    replacement: str
    reason: str
    announced: date | None = None
    retire_date: date | None = None
    migration_guide: str | None = None


def standing_of(contract: Contract) -> Standing:
    """The state in the contract itself; unknown words are active."""
    word = str(contract.custom.get("lifecycleState") or contract.status or "").strip().lower()
    state = word if word in STATES else ACTIVE
    if word in _DRAFTS:
        state = DRAFT
    version, told = Version.read(contract.version), contract.custom.get("deprecation")
    said = told if isinstance(told, dict) else {}
    guide = said.get("migrationGuide") or said.get("migration_guide")
    return Standing(
        contract=contract.identity.rsplit(":", 1)[0],
        major=version.major if version else 0,
        state=state,
        announced=parse_day(said.get("announced")),
        sunset_date=parse_day(said.get("sunsetDate") or said.get("sunset_date")),
        retire_date=parse_day(said.get("retireDate") or said.get("retire_date")),
        replacement=str(said["replacement"]) if said.get("replacement") else None,
        reason=str(said["reason"]) if said.get("reason") else None,
        migration_guide=str(guide) if guide else None,
    )


def due(standing: Standing, today: date) -> Iterator[Standing]:
    """The states that a line has reached by its announced dates, in order; none is shorter than the minimum."""
    day = _sunset_day(standing)
    if standing.state == DEPRECATED and day and day <= today:
        standing = replace(standing, state=SUNSET, since=day)
        yield standing
    day = _retire_day(standing)
    if standing.state == SUNSET and day and day <= today:
        yield replace(standing, state=RETIRED, since=day)


def settled(standing: Standing, today: date) -> Standing:
    """The state of a line today."""
    return (standing, *due(standing, today))[-1]


def _sunset_day(standing: Standing) -> date | None:
    least = standing.announced + timedelta(NOTICE_DAYS) if standing.announced else None
    return max(standing.sunset_date, least or standing.sunset_date) if standing.sunset_date else None


def _retire_day(standing: Standing) -> date | None:
    begun = standing.since or standing.sunset_date
    least = begun + timedelta(SUNSET_DAYS) if begun else None
    return max(standing.retire_date, least or standing.retire_date) if standing.retire_date else None


def deprecated(standing: Standing, said: Announcement, today: date) -> Standing:
    """The line once its end is announced, or announced with other days; ContractError (E526) where that cannot be."""
    if standing.state not in (ACTIVE, DEPRECATED):
        raise _skipped(standing, DEPRECATED)
    announced = said.announced or (standing.announced if standing.state == DEPRECATED else None) or today
    _in_order("announced", announced, "today", today)
    _in_order("today", today, "sunset", said.sunset_date)
    _apart("announced", announced, "sunset", said.sunset_date, NOTICE_DAYS)
    if said.retire_date:
        _apart("sunset", said.sunset_date, "retirement", said.retire_date, SUNSET_DAYS)
    return replace(
        standing,
        state=DEPRECATED,
        since=standing.since if standing.state == DEPRECATED else today,
        announced=announced,
        sunset_date=said.sunset_date,
        retire_date=said.retire_date,
        replacement=said.replacement,
        reason=said.reason,
        migration_guide=said.migration_guide,
    )


def sunset(standing: Standing, retire_date: date | None, today: date) -> Standing:
    """The line once its notice is over, or with another last day; ContractError (E526) where that cannot be."""
    if standing.state not in (DEPRECATED, SUNSET):
        raise _skipped(standing, SUNSET)
    begun = standing.since if standing.state == SUNSET and standing.since else today
    if standing.state == DEPRECATED:
        if not standing.announced:
            raise broken(f"The deprecation of {standing.name} has no announced day", "Run floe deprecate first")
        if standing.sunset_date:
            _in_order("sunset", standing.sunset_date, "today", today)
        _apart("announced", standing.announced, "today", today, NOTICE_DAYS)
    last = retire_date or standing.retire_date
    if retire_date:
        _apart("sunset", begun, "retirement", retire_date, SUNSET_DAYS)
        _in_order("today", today, "retirement", retire_date)
    return replace(standing, state=SUNSET, since=begun, sunset_date=standing.sunset_date or begun, retire_date=last)


def retired(standing: Standing, today: date) -> Standing:
    """The line once it is over; ContractError (E526) where that cannot be."""
    if standing.state != SUNSET:
        raise _skipped(standing, RETIRED)
    if standing.retire_date:
        _in_order("retirement", standing.retire_date, "today", today)
    begun = standing.since or standing.sunset_date
    if not begun:
        raise broken(f"The sunset day of {standing.name} is unknown", "Run floe sunset first")
    _apart("sunset", begun, "today", today, SUNSET_DAYS)
    return replace(standing, state=RETIRED, since=today, retire_date=standing.retire_date or today)


def revived(standing: Standing, reason: str, today: date) -> Standing:
    """The line in use again; ContractError (E526) where it is retired, or was in use all the time."""
    if standing.state not in (DEPRECATED, SUNSET):
        word = "gone for good" if standing.state == RETIRED else "not ending"
        raise broken(
            f"{standing.name} is {standing.state}, so it is {word}",
            "Publish it as a new MAJOR"
            if standing.state == RETIRED
            else "Only deprecated and sunset lines can be revived",
        )
    return Standing(contract=standing.contract, major=standing.major, state=ACTIVE, since=today, reason=reason)


def _skipped(standing: Standing, wanted: str) -> ContractError:
    state, at = standing.state, STATES.index(standing.state)
    if state == RETIRED:
        return broken(f"{standing.name} is retired, which is final", "Publish a new MAJOR instead")
    if at >= STATES.index(wanted):
        return broken(f"{standing.name} is already {state}, which comes after {wanted}", "Use floe revive")
    following = STATES[at + 1]
    ways = {ACTIVE: "Publish a version with status: active first", DEPRECATED: "Run floe deprecate first"}
    return broken(
        f"{standing.name} is {state} and cannot become {wanted}: {following} comes first",
        ways.get(following, "Run floe sunset first"),
    )


def _in_order(first: str, early: date, second: str, late: date) -> None:
    if late < early:
        raise broken(
            f"The dates are in the wrong order: {second} {late} is before {first} {early}", "Correct one of the two"
        )


def _apart(first: str, early: date, second: str, late: date, days: int) -> None:
    _in_order(first, early, second, late)
    if (late - early).days < days:
        raise broken(
            f"From {first} {early} to {second} {late} are {(late - early).days} days, at least {days} are required",
            f"The earliest day is {early + timedelta(days)}",
        )


def broken(message: str, suggestion: str) -> ContractError:
    """E526 as an error that exits 1."""
    return refusal(Finding("E526", "lifecycle-disordered", Severity.ERROR, message, "", suggestion))


def refusal(finding: Finding) -> ContractError:
    """A finding that ends the work: something is refused, and nothing was written."""
    return ContractError(finding.message, finding.suggestion, finding.code, (finding,))


def used(standing: Standing, name: str = "") -> Finding | None:
    """The message to consumers of a line that is ending."""
    if standing.state not in ENDING:
        return None
    day, replacement = str(standing.sunset_date or "not said"), standing.replacement or "not said"
    code, severity, text = ending(name or standing.name, standing.state, day, replacement)
    advice = f"Use '{replacement}' instead" if standing.replacement else "Use another contract"
    return Finding(code, f"contract-{standing.state}", severity, text, "", advice)


def ending(name: str, state: str, day: str, replacement: str) -> tuple[str, Severity, str]:
    """The code, severity and words for a contract that is ending."""
    code, severity, text = {
        DEPRECATED: ("E570", Severity.WARNING, f"is deprecated. Sunset date: {day}. Migrate to: {replacement}"),
        SUNSET: ("E571", Severity.ERROR, f"is sunset. Immediate migration required to: {replacement}"),
        RETIRED: ("E572", Severity.ERROR, f"is retired and cannot be used. Migrate to: {replacement}"),
    }[state]
    return code, severity, f"Contract {name} {text}"
