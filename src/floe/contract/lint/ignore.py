"""Comments that ignore a finding: `# floe: ignore E508 bounds-contradict -- reason`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from floe.model import Finding, Place, Severity

_MARK = re.compile(r"floe:\s*ignore")
_COMMENT = re.compile(r"#\s*floe:\s*ignore\b[ \t]*(?P<what>.*?)(?:\s*(?:--|—|–)\s*(?P<reason>.*?))?\s*$")
_CODE = re.compile(r"(?:FLOE-)?(E[0-9]{3})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ignore:
    """A comment that ignores: where it stands, for which line, which codes and names, and why."""

    place: Place
    line: int
    codes: frozenset[str]
    names: frozenset[str]
    reason: str

    @property
    def whole(self) -> bool:
        """Whether the comment says what it ignores, and why."""
        return bool(self.reason and (self.codes or self.names))

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is one that the comment is about."""
        here = finding.place is not None and finding.place.line == self.line
        return (
            here and (not self.codes or finding.code in self.codes) and (not self.names or finding.name in self.names)
        )


def ignored(found: Sequence[Finding], text: str, file: str) -> list[Finding]:
    """The findings of one file, those that a comment ignores marked with its reason, and what is wrong with comments."""
    if not _MARK.search(text):
        return list(found)
    comments = list(ignores(text, file))
    whole = [comment for comment in comments if comment.whole]
    marked = [_marked(finding, whole) for finding in found]
    used = {id(comment) for comment in whole for finding in found if comment.covers(finding)}
    return [*marked, *(problem for comment in comments for problem in _problems(comment, id(comment) in used))]


def ignores(text: str, file: str) -> Iterator[Ignore]:
    """The comments that ignore; one on a line of its own is about the next line that is neither comment nor empty."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if comment := _COMMENT.search(line):
            own = not line[: comment.start()].strip()
            below = (j for j in range(i + 1, len(lines)) if lines[j].strip() and not lines[j].lstrip().startswith("#"))
            about = next(below, i) if own else i
            words = re.split(r"[\s,]+", comment["what"].strip())
            codes = frozenset(code[1].upper() for word in words if (code := _CODE.fullmatch(word)))
            names = frozenset(word.lower() for word in words if word and not _CODE.fullmatch(word))
            place = Place(file, i + 1, comment.start() + 1)
            yield Ignore(place, about + 1, codes, names, (comment["reason"] or "").strip())


def _marked(finding: Finding, comments: Sequence[Ignore]) -> Finding:
    reason = next((comment.reason for comment in comments if comment.covers(finding)), "")
    return replace(finding, ignored=reason) if reason else finding


def _problems(comment: Ignore, used: bool) -> Iterator[Finding]:
    if not comment.whole:
        what = "has no reason" if comment.codes or comment.names else "names no code"
        yield Finding(
            "E501",
            "ignore-without-reason",
            Severity.WARNING,
            f"The comment ignores a finding and {what}",
            "It has no effect",
            "Write '# floe: ignore E508 bounds-contradict -- why this is right'",
            comment.place,
        )
    elif not used:
        said = ", ".join(sorted(comment.codes | comment.names))
        yield Finding(
            "E501",
            "ignore-unused",
            Severity.INFO,
            f"The comment ignores {said}, which line {comment.line} does not have",
            "It has no effect",
            "Remove the comment",
            comment.place,
        )
