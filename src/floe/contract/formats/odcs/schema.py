"""What the standard's own JSON Schema says about a document, in words for people."""

from typing import Any

from floe.contract.formats.odcs.places import VERSIONS, validator
from floe.model import Finding, Map

__all__ = ["VERSIONS", "refusal", "schema_findings"]


def schema_findings(tree: Map) -> list[Finding]:
    """The deepest causes only, each once, at its place and in the order of the file."""
    if validator(tree["apiVersion"]).is_valid(tree):
        return []
    from floe.contract.formats.odcs.findings import broken  # noqa: PLC0415  (10 ms that a sound contract does not need)

    return broken(tree)


def refusal(tree: Any, source: str) -> Finding:
    """Why a document is no contract in a version that floe reads."""
    from floe.contract.formats.odcs.findings import not_a_contract, unsupported  # noqa: PLC0415  (as above)

    return unsupported(tree) if isinstance(tree, Map) else not_a_contract(tree, source)
