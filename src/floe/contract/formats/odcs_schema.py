"""What the standard's own JSON Schema says about a document, in words for people."""

from collections.abc import Iterator

from floe.contract.formats.odcs_causes import Cause, causes
from floe.contract.formats.odcs_leniency import departure
from floe.contract.formats.odcs_places import VERSIONS, known_keys, value_at
from floe.contract.formats.odcs_words import Judged, finding, near_key, note
from floe.model import Finding, Map, Step

__all__ = ["VERSIONS", "schema_findings"]


def schema_findings(tree: Map) -> list[Finding]:
    """The deepest causes only, each once, at its place and in the order of the file."""
    judged = Judged(tree, tree["apiVersion"])
    found = causes(tree, judged.version)
    if not found:
        return []
    said = [(cause, departure(cause, tree, judged.version)) for cause in found]
    real = [cause for cause, accepted in said if accepted is None]
    kept = [cause for cause in real if not _misspelled(cause, real, judged)]
    later = _Later(judged) if kept else None
    findings = [note(cause, judged, accepted) for cause, accepted in said if accepted]
    findings += [finding(cause, judged, later.since(cause) if later else None) for cause in kept]
    return sorted(dict.fromkeys(findings), key=lambda f: f.place or ("", 0, 0))


def _misspelled(cause: Cause, found: list[Cause], judged: Judged) -> bool:
    """Whether a missing field is there under a wrong name, which is found already."""
    if cause.kind != "missing":
        return False
    beside = (other.key for other in found if other.kind == "unknown" and other.path == cause.path)
    known = known_keys(judged.version, judged.tree, cause.path)
    return any(near_key(key, known) == cause.key for key in beside)


class _Later:
    """What later versions of the standard say about the same document."""

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        self.versions = VERSIONS[VERSIONS.index(judged.version) + 1 :]
        self.found: dict[str, list[Cause]] = {}

    def since(self, cause: Cause) -> str | None:
        """The first later version that allows what the declared one refuses."""
        return next((version for version in self.versions if self._allows(version, cause)), None)

    def _allows(self, version: str, cause: Cause) -> bool:
        path = self._path(cause)
        if any(other[: len(path)] == path for other in map(self._path, self._causes(version))):
            return False
        if cause.kind == "missing":
            return any(True for _ in self._newer_keys(version, cause))
        return cause.kind != "unknown" or cause.key in known_keys(version, self.judged.tree, cause.path)

    def _newer_keys(self, version: str, cause: Cause) -> Iterator[str]:
        """The keys beside a missing one that only the later version knows: a sign that it was meant."""
        tree = self.judged.tree
        now, then = (known_keys(one, tree, cause.path, every=True) for one in (self.judged.version, version))
        yield from (key for key in value_at(tree, cause.path) if key in then and key not in now)

    def _causes(self, version: str) -> list[Cause]:
        if version not in self.found:
            tree = self.judged.tree
            self.found[version] = [c for c in causes(tree, version) if departure(c, tree, version) is None]
        return self.found[version]

    @staticmethod
    def _path(cause: Cause) -> tuple[Step, ...]:
        return (*cause.path, cause.key) if cause.kind in ("unknown", "misplaced", "forbidden") else cause.path
