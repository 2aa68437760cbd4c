"""Dates: of people, of the lifecycle, of the contract."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from floe.lang.dates import parse_day
from floe.model import Contract, Step


def members(contract: Contract) -> Iterator[tuple[tuple[Step, ...], dict[str, Any]]]:
    """The team's members, in the older list or the newer object."""
    team = contract.node.get("team")
    base: tuple[Step, ...] = ("team", "members") if isinstance(team, dict) else ("team",)
    listed = team.get("members") if isinstance(team, dict) else team
    for i, member in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(member, dict):
            yield (*base, i), member


def custom_entries(contract: Contract) -> Iterator[tuple[tuple[Step, ...], str, Any]]:
    """The custom properties of a contract: where the value stands, the name, the value."""
    entries = contract.node.get("customProperties")
    for i, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            yield ("customProperties", i, "value"), str(entry.get("property")), entry.get("value")


def deprecation(contract: Contract) -> tuple[date | None, date | None, tuple[Step, ...]]:
    """When the end was announced, when it comes, and where that is written."""
    for at, name, value in custom_entries(contract):
        if name == "deprecation" and isinstance(value, dict):
            key = "sunsetDate" if "sunsetDate" in value else "sunset_date"
            return parse_day(value.get("announced")), parse_day(value.get(key)), (*at, key)
    return None, None, ()
