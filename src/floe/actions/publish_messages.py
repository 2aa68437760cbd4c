"""What is told of a version: to those who rely on it, and to catalogs."""

from collections.abc import Mapping, Sequence
from typing import Any

from floe.model import Contract
from floe.model.change import Diff
from floe.registry.versions import Entry


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
        "consumers": [{key: one[key] for key in told} for one in consumers],
    }


def catalog_message(entry: Entry, contract: Contract, at: str) -> dict[str, Any]:
    """What a catalog is asked to keep: the arguments of register_contract, and the tables it is about."""
    described = contract.node.get("description")
    purpose = described.get("purpose") if isinstance(described, dict) else described
    row = entry.contract
    return {
        "contract": row["contract_id"],
        "contract_name": row["name"],
        "contract_version": entry.version["version"],
        "schema_hash": entry.version["schema_hash"],
        "effective_hash": entry.version["effective_hash"],
        "domain": row["domain"],
        "product": row["product"],
        "repository": row["repository"],
        "tables": [one["table_id"] for one in entry.tables if one["table_id"]],
        "metadata": {"owner": row["owner"], "description": purpose or None, "registered_at": at},
    }
