"""What the outbox keeps for a catalog: one registered version, with all the catalog is told of it."""

from collections.abc import Mapping
from typing import Any

SINK = "catalog"


def catalog_message(
    catalog: str | None, contract: Mapping[str, Any], version: Mapping[str, Any], *, description: str = "", at: str
) -> dict[str, Any]:
    """The sink, key and payload to put into the outbox: `put(connection, **catalog_message(…), at=at)`.

    Args:
        catalog: a name under `catalogs` in the settings; None for the first of whoever sends it.
        contract: a row of `contracts`: contract_id, domain, product, name, owner, repository; with
            repository_before where it was transferred from there.
        version: a row of `versions`: version, schema_hash, effective_hash.
        description: what the contract says of itself.
        at: when it was registered.
    """
    payload = {
        "catalog": catalog,
        "contract": contract["contract_id"],
        "domain": contract["domain"],
        "product": contract["product"],
        "repository": contract.get("repository"),
        "repository_before": contract.get("repository_before"),
        "contract_name": contract["name"],
        "contract_version": version["version"],
        "schema_hash": version.get("schema_hash"),
        "effective_hash": version["effective_hash"],
        "metadata": {"owner": contract.get("owner"), "description": description, "registered_at": at},
    }
    # one catalog that is out of reach does not hold back another
    key = f"{catalog}:{contract['contract_id']}" if catalog else contract["contract_id"]
    return {"sink": SINK, "key": key, "payload": payload}
