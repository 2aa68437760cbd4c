"""Bump: write the version that the changes of a contract require into its file."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from floe.actions.diff import diff
from floe.actions.diff.contract_set import at_revision, load_set, refuse_broken
from floe.actions.load.settings import load_settings
from floe.contract.formats.text.edit import replace_scalar
from floe.contract.sources.files import read_bytes
from floe.contract.sources.git import Repository
from floe.contract.sources.rewrite import rewrite
from floe.model import Contract, ContractError, SettingError, locate
from floe.model.change import Bump, Diff
from floe.model.contract import Version
from floe.settings import Settings


@dataclass(frozen=True, slots=True)
class BumpResult:
    """A file with its old and new version, the version it was compared with, and the reason."""

    file: str
    old: str
    new: str
    against: str
    bump: Bump
    why: str
    diff: Diff | None = None

    @property
    def changed(self) -> bool:
        """Whether the file has another version now."""
        return self.old != self.new

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "file": self.file,
            "from": self.old,
            "to": self.new,
            "against": self.against,
            "bump": str(self.bump),
            "changed": self.changed,
            "why": self.why,
        }


def bump(
    contract: str | Path,
    *,
    against: str | Path | None = None,
    since: str | None = None,
    settings: Settings | None = None,
) -> BumpResult:
    """Raise the version of a contract as its changes since an older version require.

    Args:
        contract: the contract's file.
        against: the older version: a file or git:REV:path.
        since: a git revision that holds the older version; HEAD if neither is given.
        settings: the settings in force.
    """
    settings = settings or load_settings()
    path = Path(contract)
    if path.is_dir():
        raise SettingError(f"{path} is a folder; floe bump changes one contract", "Pass the contract file")
    now = _only(load_set(str(path), settings)) if path.exists() else _missing(path)
    before = _before(now, path, against, since, settings)
    if before is None:
        where = since or "HEAD"
        return _same(path, now, where, Bump.NONE, f"a new contract: it is not in {where}")
    return _bumped(path, before, now, settings)


def _bumped(path: Path, before: Contract, now: Contract, settings: Settings) -> BumpResult:
    found = diff(before, now, settings)
    moved = next((finding for finding in found.findings if finding.code in ("E521", "E524")), None)
    if moved:
        raise ContractError(moved.message, moved.suggestion, moved.code, (moved,))
    old, current = Version.read(before.version), Version.read(now.version)
    assert old is not None
    assert current is not None
    unraised = any(finding.code == "E523" for finding in found.findings)
    required = max(found.bump, Bump.PATCH) if unraised else found.bump
    why = _why(found, required, before)
    if current >= old and current.bump_from(old) >= required:
        enough = f"{current} is sufficient" if current > old else "nothing changed"
        return replace(_same(path, now, before.source, required, f"{enough}: {why}"), diff=found)
    target = old.raised(required) if required else old
    _write(path, now, str(target))
    return BumpResult(str(path), now.version, str(target), before.source, required, why, found)


def _why(found: Diff, required: Bump, before: Contract) -> str:
    if not found.changes:
        return f"no change since {before.version}" if required is Bump.NONE else "the text differs in spelling"
    worst = [change for change in found.changes if change.bump is found.bump]
    more = f" and {len(worst) - 1} more" if len(worst) > 1 else ""
    return f"{required} since {before.version}, for {worst[0].change} {worst[0].path or 'contract'}{more}"


def _same(path: Path, now: Contract, against: str, required: Bump, why: str) -> BumpResult:
    return BumpResult(str(path), now.version, now.version, against, required, why)


def _missing(path: Path) -> Contract:
    read_bytes(path)
    raise AssertionError(path)


def _only(value: Any) -> Contract:
    refuse_broken(value)
    found: Contract = value.contracts[0]
    return found


def _before(
    now: Contract, path: Path, against: str | Path | None, since: str | None, settings: Settings
) -> Contract | None:
    """The older version; None where a git revision does not hold the file."""
    if against is not None and since is not None:
        raise SettingError("--against and --since cannot be combined", "Use one of them")
    if against is not None:
        older = load_set(str(against), settings)
        if older.folder:
            raise SettingError(f"{against} is a folder; floe bump compares with one contract", "Pass a file")
        return _only(older)
    repository = _repository(path)
    revision = since or "HEAD"
    if since is None and not repository.has_commits():
        return None
    if repository.blob(revision, path.resolve()) is None:
        return None
    return _only(at_revision(repository, revision, str(path.resolve()), f"git:{revision}:"))


def _repository(path: Path) -> Repository:
    try:
        return Repository(path.resolve().parent)
    except SettingError as error:
        raise SettingError(error.message, "Pass the older version with --against") from None


def _write(path: Path, now: Contract, version: str) -> None:
    """Write the version into the file, all or nothing."""
    place = locate(now.node, "version")
    assert place is not None
    rewrite(path, lambda text: replace_scalar(text, place, now.version, version))
