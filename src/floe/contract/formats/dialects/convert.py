"""A document of any dialect as a valid ODCS tree."""

from collections.abc import Callable
from dataclasses import dataclass

from floe.contract.formats.dialects import a, b, c, dcs
from floe.contract.formats.odcs.fit import fitted
from floe.contract.formats.odcs.forms import lowered
from floe.contract.formats.text.section import DocumentSection
from floe.model import Finding, Map, Severity


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to write contracts that is turned into ODCS before it is read."""

    name: str
    recognises: Callable[[Map], bool]
    convert: Callable[[DocumentSection], Map]


_DIALECTS = (
    Dialect("Data Contract Specification", dcs.recognises, dcs.convert),
    Dialect("dialect C", c.recognises, c.convert),
    Dialect("dialect B", b.recognises, b.convert),
    Dialect("dialect A", a.recognises, a.convert),
)


def dialect_of(tree: Map) -> Dialect | None:
    """The dialect a document is written in; None where it is in none."""
    return next((dialect for dialect in _DIALECTS if dialect.recognises(tree)), None)


def as_odcs(dialect: Dialect, tree: Map) -> tuple[Map | None, list[Finding]]:
    """The document as an ODCS tree, unless something critical stands in it, and what reading it found."""
    found: list[Finding] = []
    converted = dialect.convert(DocumentSection(tree, (), found))
    if any(finding.severity is Severity.CRITICAL for finding in found):
        return None, found
    return fitted(lowered(converted)), found
