"""The versions a consumer can live with: all of one MAJOR."""

import re
from dataclasses import dataclass

from floe.model.contract import Version
from floe.model.errors import SettingError

_NUMBER = r"(0|[1-9][0-9]{0,8})"
_SIMPLE = re.compile(rf"([~^]?){_NUMBER}(?:\.(?:{_NUMBER}(?:\.(?:{_NUMBER}|[x*]))?|[x*](?:\.[x*])?))?")
_BETWEEN = re.compile(r">=\s*([0-9.]+)(?:[\s,]+<\s*([0-9.]+))?")
_FORMS = "Write 1.x, 1.2.x, 1.2.0, ^1.2.0, ~1.2.0 or '>=1.2.0 <2.0.0'"


@dataclass(frozen=True, slots=True)
class VersionRange:
    """From a version up to another one, which is not part of it."""

    text: str
    low: Version
    high: Version

    @property
    def major(self) -> int:
        """The MAJOR that it is about."""
        return self.low.major

    def holds(self, version: Version) -> bool:
        """Whether a version is in it."""
        return self.low <= version < self.high

    @classmethod
    def read(cls, text: str) -> "VersionRange":
        """The range that a text is; SettingError where it is none, or is of several MAJOR versions.

        >>> one = VersionRange.read("^1.2.0"); (str(one.low), str(one.high))
        ('1.2.0', '2.0.0')
        >>> one = VersionRange.read("~1.2"); (str(one.low), str(one.high))
        ('1.2.0', '1.3.0')
        """
        found = _simple(text.strip()) or _between(text.strip())
        if found is None or found.low >= found.high:
            raise SettingError(f"'{text}' is not a range of versions", _FORMS)
        if found.high > Version(found.major + 1, 0, 0):
            raise SettingError(
                f"'{text}' includes several MAJOR versions, but a consumer is pinned to one", f"Write ^{found.low}"
            )
        return found


def _simple(text: str) -> VersionRange | None:
    found = _SIMPLE.fullmatch(text)
    if not found:
        return None
    mark, major, minor, patch = found.groups()
    low = Version(int(major), int(minor or 0), int(patch or 0))
    if mark == "^" or minor is None:
        high = Version(low.major + 1, 0, 0)
    elif mark == "~" or patch is None:
        high = Version(low.major, low.minor + 1, 0)
    else:
        high = Version(low.major, low.minor, low.patch + 1)
    return VersionRange(text, low, high)


def _between(text: str) -> VersionRange | None:
    found = _BETWEEN.fullmatch(text)
    low = Version.read(found[1]) if found else None
    if not found or not low:
        return None
    high = Version.read(found[2]) if found[2] else Version(low.major + 2, 0, 0)
    return VersionRange(text, low, high) if high else None
