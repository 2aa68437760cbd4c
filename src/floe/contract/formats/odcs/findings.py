"""What is wrong with a document by the standard's own JSON Schema; loaded only where something is."""

import difflib
from collections.abc import Iterator
from typing import Any

from floe.contract.formats.odcs import VERSIONS, known_keys, value_at
from floe.contract.formats.odcs.causes import Cause, causes, prefixes
from floe.contract.formats.odcs.leniency import departure
from floe.contract.formats.odcs.messages import WordedCause, described, finding, note
from floe.contract.formats.odcs.near_key import near_key
from floe.model import Finding, Map, Place, Severity, Step, locate

_MOST = 1_000


def broken(tree: Map) -> list[Finding]:
    """The deepest causes only, each once, at its place and in the order of the file."""
    judged = WordedCause(tree, tree["apiVersion"])
    found = causes(tree, judged.version)
    said = [(cause, departure(cause, tree, judged.version)) for cause in found]
    real = _spelled([cause for cause, accepted in said if accepted is None], judged)
    later = _Later(judged)
    findings = [note(cause, judged, accepted) for cause, accepted in said if accepted]
    findings += [finding(cause, judged, later.since(cause)) for cause in real[:_MOST]]
    findings = sorted(dict.fromkeys(findings), key=lambda f: f.place or ("", 0, 0))
    return [*findings, *_rest(real[_MOST:], later)]


def not_a_contract(tree: Any, source: str) -> Finding:
    """A document that is no mapping."""
    kind = "a list" if isinstance(tree, list) else "plain text"
    if tree is None:
        kind = "empty"
    return Finding(
        "E501",
        "not-a-contract",
        Severity.CRITICAL,
        f"The document is {kind}, not a contract",
        suggestion="A contract starts with apiVersion and kind; see https://bitol.io for the standard",
        place=locate(tree) or Place(source, 1, 1),
    )


def unsupported(tree: Map) -> Finding:
    """A document that declares no version of the standard that floe reads."""
    declared = tree.get("apiVersion")
    if "apiVersion" not in tree:
        text = "The document declares no apiVersion"
    else:
        text = f"'apiVersion' is {described(declared)}, which floe does not read"
    number = str(declared).lower().removeprefix("v")
    near = difflib.get_close_matches(f"v{number}", VERSIONS, 1, 0.6) if number.startswith("3") else ()
    older = number.startswith(("0", "1", "2")) and "apiVersion" in tree
    advice = "Rewrite it as ODCS v3, whose keys have other names" if older else "Set apiVersion to one of them"
    return Finding(
        "E502",
        "unsupported-version",
        Severity.CRITICAL,
        text,
        f"floe reads {', '.join(VERSIONS)}",
        f"Did you mean {near[0]}?" if near else f"{advice}, e.g. {VERSIONS[-2]}",
        locate(tree, "apiVersion"),
        ("apiVersion",),
    )


def _rest(found: list[Cause], later: "_Later") -> Iterator[Finding]:
    """One finding for all that is too much to list."""
    if not found:
        return
    refused = any(later.since(cause) is None for cause in found)
    yield Finding(
        "E501",
        "too-many-findings",
        Severity.CRITICAL if refused else Severity.WARNING,
        f"{len(found):,} more errors of the standard's JSON Schema",
        f"The first {_MOST:,} are listed",
        "Correct these first; then the remaining errors are listed",
        later.judged.tree.place,
    )


def _spelled(found: list[Cause], judged: WordedCause) -> list[Cause]:
    """Without the missing fields that stand there under a wrong name, which is found already."""
    strange: dict[tuple[Step, ...], list[str]] = {}
    for cause in found:
        if cause.kind == "unknown":
            strange.setdefault(cause.path, []).append(cause.key)

    def misspelled(cause: Cause) -> bool:
        beside = strange.get(cause.path, ()) if cause.kind == "missing" else ()
        known = known_keys(judged.version, judged.tree, cause.path) if beside else ()
        return any(near_key(key, known) == cause.key for key in beside[:_MOST])

    return [cause for cause in found if not misspelled(cause)]


class _Later:
    """What later versions of the standard say about the same document."""

    def __init__(self, judged: WordedCause) -> None:
        self.judged = judged
        self.versions = VERSIONS[VERSIONS.index(judged.version) + 1 :]
        self.refused: dict[str, set[tuple[Step, ...]]] = {}

    def since(self, cause: Cause) -> str | None:
        """The first later version that allows what the declared one refuses."""
        return next((version for version in self.versions if self._allows(version, cause)), None)

    def _allows(self, version: str, cause: Cause) -> bool:
        if self._path(cause) in self._refused(version):
            return False
        if cause.kind == "missing":
            return any(True for _ in self._newer_keys(version, cause))
        return cause.kind != "unknown" or cause.key in known_keys(version, self.judged.tree, cause.path)

    def _newer_keys(self, version: str, cause: Cause) -> Iterator[str]:
        """The keys beside a missing one that only the later version knows: a sign that it was meant."""
        tree = self.judged.tree
        now, then = (known_keys(name, tree, cause.path, every=True) for name in (self.judged.version, version))
        yield from (key for key in value_at(tree, cause.path) if key in then and key not in now)

    def _refused(self, version: str) -> set[tuple[Step, ...]]:
        """The places where a later version finds something, itself or below."""
        if version not in self.refused:
            tree = self.judged.tree
            found = (cause for cause in causes(tree, version) if departure(cause, tree, version) is None)
            self.refused[version] = prefixes(self._path(cause) for cause in found)
        return self.refused[version]

    @staticmethod
    def _path(cause: Cause) -> tuple[Step, ...]:
        return (*cause.path, cause.key) if cause.kind in ("unknown", "misplaced", "forbidden") else cause.path
