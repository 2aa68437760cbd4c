"""A contract's version: exactly X.Y.Z."""

import re
from dataclasses import dataclass

from floe.model.change import Bump

_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """Three numbers; ordered."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @classmethod
    def read(cls, text: str | None) -> "Version | None":
        """The version a text is; None where it is not exactly X.Y.Z.

        >>> str(Version.read("1.10.0")), Version.read("v1.0.0"), Version.read("01.0.0")
        ('1.10.0', None, None)
        """
        found = _VERSION.fullmatch(text or "")
        return cls(*map(int, found.groups())) if found else None

    def bump_from(self, old: "Version") -> Bump:
        """The bump that going from an older version declares; NONE where it does not rise.

        >>> str(Version(1, 3, 0).bump_from(Version(1, 2, 9)))
        'MINOR'
        """
        if self <= old:
            return Bump.NONE
        if self.major > old.major:
            return Bump.MAJOR
        return Bump.MINOR if self.minor > old.minor else Bump.PATCH

    def raised(self, bump: Bump) -> "Version":
        """The next version by a bump.

        >>> str(Version(1, 2, 3).raised(Bump.MINOR))
        '1.3.0'
        """
        match bump:
            case Bump.MAJOR:
                return Version(self.major + 1, 0, 0)
            case Bump.MINOR:
                return Version(self.major, self.minor + 1, 0)
            case Bump.PATCH:
                return Version(self.major, self.minor, self.patch + 1)
            case _:
                return self
