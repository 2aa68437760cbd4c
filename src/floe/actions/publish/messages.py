"""What is told of a version to those who rely on it."""

from collections.abc import Mapping, Sequence
from typing import Any

from floe.model import Contract
from floe.model.change import Diff


def notification(
    kind: str, version: Mapping[str, Any], diff: Diff | None, consumers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A message to consumers: what changes, what they must do, and when it takes effect.

    `kind` is version-published, breaking-change-ahead, or parent-tightened.
    """
    told = ("consumer_id", "team", "contact", "major", "version_range", "columns")
    return {
        "kind": kind,
        "contract": version["contract_id"],
        "version": version["version"],
        "from": diff.old if diff else None,
        "bump": str(diff.bump) if diff else "NONE",
        "rollout": diff.rollout if diff else "none",
        "consumer_impact": diff.consumer_impact if diff else "no impact",
        "effective_from": version.get("effective_from"),
        "diff_hash": diff.hash if diff else None,
        "breaking_changes": diff.breaking_changes if diff else [],
        "compatible_changes": diff.compatible_changes if diff else [],
        "consumers": [{key: consumer[key] for key in told} for consumer in consumers],
    }


def purpose_of(contract: Contract) -> str:
    """What a contract says of itself."""
    described = contract.node.get("description")
    purpose = described.get("purpose") if isinstance(described, dict) else described
    return str(purpose or "")
