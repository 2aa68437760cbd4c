"""A table that holds another contract, or another MAJOR of it, which this one must not write to."""

from typing import TYPE_CHECKING

from floe import registry
from floe.actions.load.cache import read_registered
from floe.model import Contract
from floe.model.change import Bump
from floe.model.contract import Version
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


def major_conflict(recorded: str, contract: Contract, store: "Store", settings: Settings) -> tuple[str, str] | None:
    """Why a contract must not write to a table that says it holds `recorded`: code and text; None where it may."""
    name, _, version = recorded.rpartition(":")
    then, now = Version.read(version), Version.read(contract.version)
    if name and name != contract.identity.rsplit(":", 1)[0]:
        return "E524", (
            f"The table belongs to {recorded}, and {contract.identity} is another contract: use another table for it, "
            "or migrate the table"
        )
    if not then or not now or now.major == then.major:
        return None
    if now.major < then.major:
        return "E534", (
            f"The table belongs to {recorded}, and {contract.version} has an older MAJOR: write with "
            f"{then.major}.x, or to the table of {now.major}.x"
        )
    old = _registered(name, then, store)
    broken = _breaking(old, contract, settings) if old else ()
    if not broken:
        return None
    more = f" and {len(broken) - 5} more" if len(broken) > 5 else ""
    return "E534", (
        f"The table belongs to {recorded}, and {contract.version} has breaking changes: "
        f"{', '.join(broken[:5])}{more}; run floe migrate first"
    )


def _registered(name: str, then: Version, store: "Store") -> Contract | None:
    """The version a table was written by; where it was never registered, the highest one of its MAJOR."""
    known = registry.details.details(store, name)
    line = [row["version"] for row in known.versions if row["major"] == then.major] if known else []
    if known is None or not line:
        return None
    row = registry.versions.find_version(store, name, str(then) if str(then) in line else line[-1])
    return read_registered(known.contract, row, known.tables) if row else None


def _breaking(old: Contract, new: Contract, settings: Settings) -> tuple[str, ...]:
    from floe.actions.diff import diff

    found = diff(old, new, settings).changes
    return tuple(f"{change.change} {change.path}".strip() for change in found if change.bump is Bump.MAJOR)
