"""Files as a git revision holds them, asked from the git command."""

import re
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from floe.contract.sources.files import may_hold_contract
from floe.model import ContractError, SettingError

_READ = (".yaml", ".yml", ".json")
_RANGE = re.compile(r"(?P<old>[^\s:]*?)(?P<dots>\.{2,3})(?P<new>[^\s:]*)")


@dataclass(frozen=True, slots=True)
class Blob:
    """One file of a revision: its path as seen from where we stand, and its bytes."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Range:
    """Two revisions, as git writes them: `main..HEAD`, or `main...HEAD` from where they parted."""

    old: str
    new: str
    parted: bool


def parse_range(text: str) -> Range | None:
    """The two revisions of a range; None where the text is none.

    >>> parse_range("main..HEAD")
    Range(old='main', new='HEAD', parted=False)
    >>> parse_range("../contracts/orders.yaml") is None
    True
    """
    found = _RANGE.fullmatch(text)
    if not found or text.startswith((".", "/")) or found["new"].startswith(("/", ".")):
        return None
    return Range(found["old"], found["new"] or "HEAD", found["dots"] == "...")


class Repository:
    """The git repository that a folder stands in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            top = self._git("rev-parse", "--show-toplevel")
        except _GitError as error:
            if "dubious ownership" in error.said:  # git gives every refusal the same exit code
                raise SettingError(
                    f"git does not trust {folder}: {error.said}", "Run the command that git suggests"
                ) from None
            raise SettingError(
                f"{folder} is not in a git repository",
                "Run it inside a git repository, or compare two files or folders with floe diff OLD NEW",
            ) from None
        self.top = Path(top.decode("utf-8", "surrogateescape").rstrip("\n"))
        self._top, self._here = self.top.resolve(), folder.resolve()

    def commit(self, revision: str) -> str:
        """The commit a revision means; ContractError (E500) where there is none."""
        try:
            if not revision or revision.startswith("-"):
                raise _GitError("")
            return self._git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
        except _GitError:
            hint = " (a shallow clone has only the latest commit; fetch with full depth)" if self._shallow() else ""
            raise ContractError(
                f"Revision '{revision}' does not exist in {self.top}{hint}", "Check it with git log", "E500"
            ) from None

    def has_commits(self) -> bool:
        """Whether anything was committed yet."""
        try:
            return bool(self._git("rev-parse", "--verify", "--quiet", "HEAD"))
        except _GitError:
            return False

    def parted(self, name: str, other: str) -> str:
        """The commit where two revisions parted; the first one where they have nothing in common."""
        first, second = self.commit(name), self.commit(other)
        try:
            return self._git("merge-base", first, second).decode().strip()
        except _GitError:
            return first

    def blobs(self, revision: str, path: str | Path, *, candidates: bool = True) -> tuple[list[Blob], bool]:
        """The files of a revision at a path, and whether the path is a folder there; in a folder only candidates."""
        commit, inside = self.commit(revision), self._inside(path)
        listed = list(self._listed(commit, inside))
        if not listed:
            raise ContractError(
                f"{path} is not in revision '{revision}'",
                f"List its files with git ls-tree -r --name-only {revision}",
                "E500",
            )
        single = [name for name, _ in listed] == [inside]
        if not single and candidates:
            prefix = f"{inside}/" if inside else ""
            listed = [(name, blob) for name, blob in listed if may_hold_contract(Path(name.removeprefix(prefix)))]
        texts = self.contents([blob for _, blob in listed])
        seen = [self._seen(name) for name, _ in listed]
        return [Blob(name, data) for name, data in zip(seen, texts, strict=True)], not single

    def some(self, revision: str, names: Collection[str]) -> list[Blob]:
        """Those of the named files, as seen from where we stand, that a revision holds."""
        listed = [(self._seen(name), blob) for name, blob in self._listed(self.commit(revision), "")]
        wanted = [(name, blob) for name, blob in listed if name in names]
        texts = self.contents([blob for _, blob in wanted])
        return [Blob(name, data) for (name, _), data in zip(wanted, texts, strict=True)]

    def blob(self, revision: str, path: str | Path) -> bytes | None:
        """One file of a revision, None where it is not there."""
        listed = [blob for name, blob in self._listed(self.commit(revision), self._inside(path))][:2]
        return self.contents(listed)[0] if len(listed) == 1 else None

    def history(self, revision: str, path: str | Path, most: int) -> list[str]:
        """The newest commits up to a revision that changed a file, newest first."""
        top = ("-C", str(self.top), "--literal-pathspecs")
        listed = self._git(
            "log", f"-{most}", "--format=%H", self.commit(revision), "--", self._inside(path), before=top
        )
        return listed.decode().split()

    def changed(self, revision: str, path: str | Path) -> list[str]:
        """The files below a path that differ between a revision and the working tree, as seen from where we stand."""
        at, commit = self._inside(path) or ".", self.commit(revision)
        top = ("-C", str(self.top), "--literal-pathspecs")
        tracked = self._git("diff", "--name-only", "--no-renames", "-z", commit, "--", at, before=top)
        others = self._git("ls-files", "--others", "--exclude-standard", "-z", "--", at, before=top)
        names = {name for name in (tracked + others).decode("utf-8", "surrogateescape").split("\0") if name}
        return [self._seen(name) for name in sorted(names)]

    def differing(self, revision: str, path: str | Path) -> dict[str, str]:
        """The YAML and JSON files below a path that differ from a revision, each with its blob there, empty for none."""
        at, top = self._inside(path) or ".", ("-C", str(self.top), "--literal-pathspecs")
        commit = self.commit(revision)
        raw = self._git("diff", "--raw", "--no-renames", "--no-abbrev", "-z", commit, "--", at, before=top)
        others = self._git("ls-files", "--others", "--exclude-standard", "-z", "--", at, before=top)
        words = raw.decode("utf-8", "surrogateescape").split("\0")
        found = {name: "" for name in others.decode("utf-8", "surrogateescape").split("\0") if name}
        for told, name in zip(words[::2], words[1::2], strict=False):
            mode, _, blob = told.split(" ")[:3]
            found[name] = "" if mode == ":000000" else blob
        return {f"{self._top}/{name}": blob for name, blob in found.items() if name.endswith(_READ)}

    def texts(self, blobs: Mapping[str, str]) -> dict[str, bytes | None]:
        """The texts of files that differ from a revision, as it has them; None for a file it does not have."""
        held = [name for name, blob in blobs.items() if blob]
        found = self.contents([blobs[name] for name in held]) if held else []
        return {**dict.fromkeys(blobs), **dict(zip(held, found, strict=True))}

    def remote(self) -> str | None:
        """The address it was cloned from; None where there is none."""
        try:
            return self._git("remote", "get-url", "origin").decode("utf-8", "replace").strip() or None
        except _GitError:
            return None

    def last_tag(self) -> str | None:
        """The nearest tag behind where we stand, unless it is where we stand."""
        try:
            tag = self._git("describe", "--tags", "--abbrev=0").decode("utf-8", "replace").strip()
        except _GitError:
            return None
        return tag if self.commit(tag) != self.commit("HEAD") else None

    def tags(self) -> list[str]:
        """The tags, oldest first."""
        return self._git("tag", "--sort=creatordate").decode("utf-8", "replace").split()

    def _listed(self, commit: str, inside: str) -> Iterator[tuple[str, str]]:
        """Path from the top and blob id of each file at a path."""
        where = ["--", inside] if inside else []
        top = ("-C", str(self.top), "--literal-pathspecs")
        out = self._git("ls-tree", "-r", "-z", "--full-tree", commit, *where, before=top)
        for line in out.decode("utf-8", "surrogateescape").split("\0"):
            mode, _, rest = line.partition(" ")
            kind, _, tail = rest.partition(" ")
            if kind == "blob" and mode != "120000":
                blob, _, name = tail.partition("\t")
                yield name, blob

    def contents(self, blobs: Sequence[str]) -> list[bytes]:
        """The bytes of blobs, in one call."""
        out = self._git("cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs).encode())
        texts, at = [], 0
        for _ in blobs:
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[2])
            texts.append(out[end + 1 : end + 1 + size])
            at = end + size + 2
        return texts

    def _inside(self, path: str | Path) -> str:
        """A path as seen from the top of the repository."""
        whole = (self.folder / path).resolve()
        if not whole.is_relative_to(self.top.resolve()):
            raise ContractError(
                f"{path} is outside the git repository {self.top}", "Pass a path inside the repository", "E500"
            )
        inside = whole.relative_to(self.top.resolve()).as_posix()
        return "" if inside == "." else inside

    def _seen(self, name: str) -> str:
        """A path from the top as seen from where we stand, where it is below."""
        whole, here = f"{self._top}/{name}", f"{self._here}/"
        return whole.removeprefix(here) if whole.startswith(here) else whole

    def _shallow(self) -> bool:
        try:
            return self._git("rev-parse", "--is-shallow-repository").strip() == b"true"
        except _GitError:
            return False

    def _git(self, *words: str, before: Sequence[str] = (), given: bytes | None = None) -> bytes:
        at = before or ("-C", str(self.folder))
        try:
            done = subprocess.run(
                ["git", *at, *words], input=given or b"", capture_output=True, check=False, timeout=120
            )
        except FileNotFoundError:
            raise SettingError("The git command is not installed", "Install git, or pass two files") from None
        except subprocess.TimeoutExpired:
            raise SettingError(
                f"git {words[0]} did not answer in 120 seconds", "Run the command in a terminal to see the cause"
            ) from None
        if done.returncode:
            raise _GitError(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout


class _GitError(Exception):
    """git refused."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said
