"""E521 version-not-semver."""

import re
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity

_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")


@rule("E521", "version-not-semver", Severity.ERROR, each=Contract)
def version_not_semver(contract: Contract) -> Iterator[Message]:
    """The version is not exactly X.Y.Z.

    Why: the three numbers say what a change means to readers; anything else cannot be compared.

    Fix: write three numbers, e.g. 1.0.0, without a leading v, zeros or a suffix.
    """
    if not _VERSION.fullmatch(contract.version):
        yield Message(
            f"Version '{contract.version}' is not of the form X.Y.Z",
            "Expected three numbers, e.g. 1.0.0",
            "Write the version as MAJOR.MINOR.PATCH",
            at=("version",),
        )
