"""Sign-off: a consumer agrees to a breaking change, or an owner overrides those who did not."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.consumers import not_relying
from floe.actions.diff import Question, compare
from floe.actions.diff.contract_set import read_changes_file
from floe.actions.diff.pairing import VersionPair
from floe.actions.load.find import use_contract
from floe.actions.load.major_line import Registered, as_contract, registered
from floe.contract.formats.canonical import content_hash
from floe.lang.json_text import dumps
from floe.model import Contract, ContractError, RegistryError, SettingError
from floe.model.contract import Version
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store

_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What is agreed to: the new version, by whom, and which diff, where that is known."""

    contract: str
    version: str
    team: str | None = None
    reason: str | None = None
    override: bool = False
    file: str | None = None
    diff: str | None = None


@dataclass(frozen=True, slots=True)
class SignedOff:
    """A sign-off as it is kept, and whether it is new."""

    row: Mapping[str, Any]
    new: bool

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        row = dict(self.row)
        return {"contract": row.pop("contract_id"), **row, "new": self.new}


def sign_off(asked: Agreement, settings: Settings, now: datetime) -> SignedOff:
    """Keep that a team, or an owner for all teams, agrees to a breaking change; it counts for that very change alone."""
    version = Version.read(asked.version)
    if version is None:
        raise SettingError(f"'{asked.version}' is not a version", "Write it as 2.0.0")
    store = registry.open_store(settings.registry.url, settings.root)
    found = registered(store, asked.contract, settings)
    team = _who(asked, found, settings) or registry.consumers.EVERYONE
    row = {"contract_id": found.contract_id, "version": asked.version, "team": team, "reason": asked.reason}
    row |= {"diff_hash": _diff_hash(store, asked, found, version, settings), "at": stamp(now), "by": settings.actor}
    row["decision"] = "override" if asked.override else "signed"
    with store.begin(writes=True) as connection:
        registry.consumers.locked(connection, found.contract_id)
        known = registry.consumers.relying(connection, found.contract_id)
        if not asked.override and team not in {entry["team"] for entry in known}:
            raise not_relying(found.contract_id, team, known)
        new = registry.consumers.sign(connection, row)
    return SignedOff(row, new)


def _who(asked: Agreement, found: Registered, settings: Settings) -> str | None:
    """The team that signs off; an override needs the owner of the contract and a reason."""
    if not asked.override:
        if not (asked.team or "").strip():
            raise SettingError("No team given", "Pass the team with --team")
        return asked.team
    owner = found.row["owner"]
    if not (asked.reason or "").strip():
        raise SettingError("An override needs a reason, which is recorded permanently", "Write --reason")
    if settings.actor != owner:
        raise RegistryError(
            f"Only the owner of {found.contract_id} can override its consumers: the owner is '{owner or 'nobody'}', "
            f"you are '{settings.actor}'",
            "Ask the owner, or set FLOE_ACTOR to your name",
        )
    return None


def _diff_hash(store: "Store", asked: Agreement, found: Registered, version: Version, settings: Settings) -> str:
    """The change of a sign-off: by its hash, as registered, as notified, or as the file makes it."""
    if asked.diff:
        if not _HASH.fullmatch(asked.diff):
            raise SettingError(f"'{asked.diff}' is not the hash of a diff", "Copy it from the notification: sha256:…")
        return asked.diff
    if version.major <= min(found.majors):
        raise RegistryError(
            f"{found.contract_id}:{version} is not a later MAJOR than {found.majors[0]}, so it needs no sign-off",
            "Pass the next MAJOR version",
        )
    same = [row for row in found.versions if row["version"] == asked.version]
    known = (
        same[0]["changes"].get("hash") if same else registry.consumers.noticed(store, found.contract_id, asked.version)
    )
    if known and not asked.file:
        return str(known)
    return breaking_hash(found, _new(asked, found, settings), settings)


def _new(asked: Agreement, found: Registered, settings: Settings) -> Contract:
    name = asked.file or f"{found.contract_id}:{asked.version}"
    try:
        new = use_contract(name, settings)
    except ContractError as error:
        if asked.file or error.code != "E500":
            raise
        raise RegistryError(
            f"{name} is unknown: it is not registered, not announced and not a contract of this repository",
            "Pass its file with --file, or the hash from the notification with --diff",
            "E500",
        ) from None
    if new.identity != f"{found.contract_id}:{asked.version}":
        raise RegistryError(
            f"{name} is {new.identity}, not {found.contract_id}:{asked.version}", "Pass the file of this version"
        )
    return new


def breaking_hash(found: Registered, new: Contract, settings: Settings) -> str:
    """The content of a sign-off: the effective contract right below, the new one, and the migration texts."""
    version = Version.read(new.version) or Version(0, 0, 0)
    rows = [row for row in found.versions if Version(row["major"], row["minor"], row["patch"]) < version]
    old = rows[-1]
    pair = VersionPair(as_contract(old), new, read_changes_file(new))
    (made,) = compare([pair], Question(), settings).results
    told = {path: dict(plan) for path, plan in made.migrations.items()}
    text = dumps([found.contract_id, old["effective_hash"], content_hash(new), told])
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
