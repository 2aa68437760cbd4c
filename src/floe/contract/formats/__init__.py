"""Text to contracts and back, one file per format."""

from dataclasses import replace
from typing import Any

from floe.contract.formats import dialects, odcs
from floe.contract.formats.foreign import recognise as foreign
from floe.model import Contract, ContractError, Finding, Map, yaml_text


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
    if not dialects.KEYS.isdisjoint(tree) and (dialect := dialects.convert.dialect_of(tree)):
        converted, found = dialects.convert.as_odcs(dialect, tree)
        if converted is None:
            return None, found
        contract, more = odcs.read(converted, source)
        return (replace(contract, format=dialect.name) if contract else None), [*found, *more]
    if tree.get("apiVersion") not in odcs.VERSIONS or tree.get("kind", "DataContract") != "DataContract":
        other = foreign.finding(tree, source)
        if other:
            return None, [other]
    return odcs.read(tree, source)
