"""E520 to E528: does the new version say what its changes ask for?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from floe.contract.formats.canonical import content_hash
from floe.contract.lint.rule import Rule, rule
from floe.model import Contract, Finding, Message, Severity, locate
from floe.model.change import Bump, Change
from floe.model.contract import Version

# so many changes are named one by one
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Move:
    """A contract going from one version to the next: what changes, with which migration texts, past which others."""

    old: Contract
    new: Contract
    changes: tuple[Change, ...]
    migrations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    others: tuple[Contract, ...] = ()

    @property
    def versions(self) -> tuple[Version, Version] | None:
        """Old and new version, where both can be compared."""
        old, new = Version.read(self.old.version), Version.read(self.new.version)
        return (old, new) if old and new else None

    @property
    def required(self) -> Bump:
        """The largest bump of the changes."""
        return max((change.bump for change in self.changes), default=Bump.NONE)

    @property
    def declared(self) -> Bump:
        """The bump that the two versions declare."""
        return self.versions[1].bump_from(self.versions[0]) if self.versions else Bump.NONE

    @property
    def numbers(self) -> str:
        """Old and new version as people write them."""
        return f"{self.old.version} → {self.new.version}"

    def named(self, bump: Bump) -> str:
        """The changes of a bump in words."""
        return listed([change for change in self.changes if change.bump is bump])

    def next(self) -> str:
        """The version that the changes ask for."""
        return str(self.versions[0].raised(self.required)) if self.versions else ""


def listed(changes: Sequence[Change]) -> str:
    """Changes in words, the first few by name."""
    words = [f"{change.change} {change.path or 'contract'}" for change in changes[:_NAMED]]
    more = len(changes) - _NAMED
    return ", ".join([*words, *([f"{more} more"] if more > 0 else [])])


def name_of(contract: Contract) -> str:
    """A contract's identity without its version."""
    return contract.identity.rsplit(":", 1)[0]


@rule("E520", "major-bump-missing", Severity.CRITICAL, value=Move)
def major_bump_missing(move: Move) -> Iterator[Message]:
    """A breaking change comes without a new MAJOR version.

    Why: consumers pin a MAJOR version and expect that nothing below it breaks them.

    Fix: raise the MAJOR version (floe bump) and add a migration text, or revert the breaking changes.
    """
    if move.versions and move.versions[1] >= move.versions[0] and move.declared < move.required is Bump.MAJOR:
        yield Message(
            f"Breaking changes of '{name_of(move.new)}' without a MAJOR version",
            f"{move.numbers} is {_called(move.declared)}, MAJOR is required by {move.named(Bump.MAJOR)}",
            f"Write version {move.next()} (floe bump), or revert the changes",
            at=("version",),
        )


@rule("E522", "minor-bump-missing", Severity.ERROR, value=Move)
def minor_bump_missing(move: Move) -> Iterator[Message]:
    """An addition comes with a PATCH version only.

    Why: consumers take over PATCH versions without reading them, so the addition stays unnoticed.

    Fix: raise the MINOR version (floe bump).
    """
    if move.declared is Bump.PATCH and move.required is Bump.MINOR:
        yield Message(
            f"Additions of '{name_of(move.new)}' without a MINOR version",
            f"{move.numbers} is PATCH, MINOR is required by {move.named(Bump.MINOR)}",
            f"Write version {move.next()} (floe bump)",
            at=("version",),
        )


@rule("E523", "version-not-raised", Severity.ERROR, value=Move)
def version_not_raised(move: Move) -> Iterator[Message]:
    """The content changed but the version did not.

    Why: a version has exactly one content; otherwise nobody can tell which one is in use.

    Fix: raise the version (floe bump).
    """
    if not move.versions or move.versions[0] != move.versions[1]:
        return
    if move.required > Bump.NONE:
        why = f"{move.required} is required by {move.named(move.required)}"
    elif content_hash(move.old) != content_hash(move.new):
        why = "PATCH is required: the text differs in spelling"
    else:
        return
    target = move.versions[0].raised(max(move.required, Bump.PATCH))
    yield Message(
        f"'{name_of(move.new)}' changed without a new version",
        f"Both are {move.old.version}, {why}",
        f"Write version {target} (floe bump)",
        at=("version",),
    )


@rule("E524", "identity-not-kept", Severity.ERROR, value=Move)
def identity_not_kept(move: Move) -> Iterator[Message]:
    """The id, domain, product or name changed.

    Why: this makes it another contract; consumers of the old one are not notified or migrated.

    Fix: keep the identity, or publish a new contract and deprecate the old one.
    """
    for word, at, old, new in (
        ("identity", _identity_key(move), name_of(move.old), name_of(move.new)),
        ("id", ("id",), move.old.id, move.new.id),
    ):
        if old != new:
            yield Message(
                f"The {word} changed from '{old}' to '{new}'",
                "All versions of a contract keep it",
                f"Keep '{old}', or publish a new contract and deprecate the old one",
                at=at,
                target=old,
            )
            return


def _identity_key(move: Move) -> tuple[str, ...]:
    """The part of the new file that made the identity another one."""
    differing = (("domain", "domain"), ("product", "dataProduct"), ("name", "name"))
    return next(((key,) for part, key in differing if getattr(move.old, part) != getattr(move.new, part)), ("id",))


@rule("E527", "version-lowered", Severity.ERROR, value=Move)
def version_lowered(move: Move) -> Iterator[Message]:
    """The new version is below the old one, or below another version of its MAJOR line.

    Why: consumers that use the newest version would get an older contract.

    Fix: use a version above all earlier ones of its MAJOR line.
    """
    if not move.versions:
        return
    old, new = move.versions
    line = [v for contract in move.others if (v := Version.read(contract.version)) and v.major == new.major]
    highest = max([*line, *([old] if old > new else [])], default=None)
    if highest and highest > new:
        yield Message(
            f"Version of '{name_of(move.new)}' lowered from {highest} to {new}",
            f"A new version must be above all earlier versions of {highest.major}.x",
            f"Write version {highest.raised(max(move.required, Bump.PATCH))} or a later one",
            at=("version",),
        )


@rule("E521", "version-not-comparable", Severity.ERROR, value=Move)
def version_not_comparable(move: Move) -> Iterator[Message]:
    """One of two versions does not have the form X.Y.Z, so the bump cannot be checked.

    Why: without three numbers floe cannot decide whether the change was announced.

    Fix: write both versions as MAJOR.MINOR.PATCH.
    """
    for contract in (move.old, move.new):
        if not Version.read(contract.version):
            yield Message(
                f"Version '{contract.version}' does not have the form X.Y.Z",
                f"{move.numbers} cannot be compared, {move.required} is required",
                "Write the version as MAJOR.MINOR.PATCH",
                at=("version",),
                about=contract,
            )


@rule("E528", "migration-missing", Severity.WARNING, value=Move)
def migration_missing(move: Move) -> Iterator[Message]:
    """A breaking change has no migration text; such a MAJOR version is not published.

    Why: consumers learn that they must migrate, but not how.

    Fix: add the text to changes.yaml in the folder of the contract, or as customProperty `migration` on the field.
    """
    breaking = [change for change in move.changes if change.bump is Bump.MAJOR]
    silent = [change for change in breaking if not move.migrations.get(change.path, {}).get("migration")]
    if move.declared is Bump.MAJOR and silent:
        yield Message(
            f"No migration text for {len(silent)} of {len(breaking)} breaking changes of '{name_of(move.new)}'",
            f"These changes have none: {listed(silent)}",
            "Add changes.yaml beside the contract, or customProperty migration on the field",
            at=("version",),
        )


VERSION_RULES = (
    major_bump_missing,
    version_not_comparable,
    minor_bump_missing,
    version_not_raised,
    identity_not_kept,
    version_lowered,
    migration_missing,
)


def version_findings(move: Move) -> list[Finding]:
    """What is wrong with a new version, worst first."""
    found = [
        _finding(value, message, message.about or move.new) for value in VERSION_RULES for message in value.ask(move)
    ]
    return sorted(found, key=lambda finding: -finding.severity)


def version_notes(move: Move) -> tuple[str, ...]:
    """What is fine but worth knowing about a new version."""
    if move.declared > move.required:
        return (f"{move.numbers} is {move.declared}, {_called(move.required)} would be sufficient",)
    return ()


def _finding(value: Rule, message: Message, about: Any) -> Finding:
    return Finding(
        value.code,
        value.name,
        value.severity,
        message.text,
        message.detail,
        message.suggestion,
        locate(about.node, *message.at),
        message.at,
    )


def _called(bump: Bump) -> str:
    return "no bump" if bump is Bump.NONE else str(bump)
