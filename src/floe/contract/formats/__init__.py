"""Text to contracts and back, one file per format."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from floe.contract.formats import odcs
from floe.contract.formats.dialects import a as dialect_a, b as dialect_b, c as dialect_c, dcs
from floe.contract.formats.foreign import recognise as foreign
from floe.contract.formats.odcs import VERSIONS
from floe.contract.formats.odcs.fit import fitted
from floe.contract.formats.odcs.forms import lowered
from floe.contract.formats.text import yaml_text
from floe.contract.formats.text.section import DocumentSection
from floe.model import Contract, ContractError, Finding, Map, Severity


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write contracts that is turned into ODCS before it is read."""

    name: str
    key: str  # no document without it is in this format
    recognises: Callable[[Map], bool]
    convert: Callable[[DocumentSection], Map]


FORMATS = (
    Format("Data Contract Specification", "dataContractSpecification", dcs.recognises, dcs.convert),
    Format("dialect C", "table_id", dialect_c.recognises, dialect_c.convert),
    Format("dialect B", "metadata", dialect_b.recognises, dialect_b.convert),
    Format("dialect A", "models", dialect_a.recognises, dialect_a.convert),
)


def read(data: bytes | str, source: str) -> tuple[Contract | None, list[Finding]]:
    """The contract in a text, where there is one, and what reading it found."""
    try:
        tree = yaml_text.parse(data, source)
    except ContractError as error:
        return None, list(error.findings)
    return read_tree(tree, source)


def read_tree(tree: Any, source: str) -> tuple[Contract | None, list[Finding]]:
    """The contract in a tree: dialects first, then what is no contract at all, then ODCS."""
    if not isinstance(tree, Map):
        return odcs.read(tree, source)
    known = next((format_ for format_ in FORMATS if format_.key in tree and format_.recognises(tree)), None)
    if known:
        return _converted(known, tree, source)
    if tree.get("apiVersion") not in VERSIONS or tree.get("kind", "DataContract") != "DataContract":
        other = foreign.finding(tree, source)
        if other:
            return None, [other]
    return odcs.read(tree, source)


def _converted(known: Format, tree: Map, source: str) -> tuple[Contract | None, list[Finding]]:
    found: list[Finding] = []
    converted = known.convert(DocumentSection(tree, (), found))
    if any(finding.severity is Severity.CRITICAL for finding in found):
        return None, found
    contract, more = odcs.read(fitted(lowered(converted)), source)
    return (replace(contract, format=known.name) if contract else None), [*found, *more]
