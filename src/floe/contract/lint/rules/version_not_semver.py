"""E521 version-not-semver."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity
from floe.model.contract import Version


@rule("E521", "version-not-semver", Severity.ERROR, value=Contract)
def version_not_semver(contract: Contract) -> Iterator[Message]:
    """The version does not have the form X.Y.Z.

    Why: the three numbers show consumers what a change means; other forms cannot be compared.

    Fix: write three numbers, e.g. 1.0.0, without a leading v, leading zeros or a suffix.
    """
    written = contract.node.get("version", contract.version)
    if isinstance(written, str):
        if not Version.read(written):
            yield Message(
                f"Version '{written}' does not have the form X.Y.Z",
                "A version is three numbers, e.g. 1.0.0",
                "Write the version as MAJOR.MINOR.PATCH",
                at=("version",),
            )
    elif contract.version:
        yield Message(
            f"'version' is the number {contract.version}, not a text X.Y.Z",
            "YAML reads it as a number, so 1.10 and 1.1 are equal",
            f'Write three numbers in quotes: version: "{_three(contract.version)}"',
            at=("version",),
        )


def _three(number: str) -> str:
    """The version that was probably meant.

    >>> _three("1.0"), _three("2")
    ('1.0.0', '2.0.0')
    """
    parts = [part for part in number.split(".") if part.isdigit()]
    return ".".join([*parts, "0", "0", "0"][:3])
