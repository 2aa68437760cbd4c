"""What the outbox keeps for a catalog: one registered version, with all the catalog is told of it."""

from collections.abc import Mapping
from typing import Any

SINK = "catalog"


def catalog_message(
    catalog: str, contract: Mapping[str, Any], version: Mapping[str, Any], *, description: str = "", at: str
) -> dict[str, Any]:
    """The sink, key and payload to put into the outbox: `put(connection, **catalog_message(…), at=at)`.

    Args:
        catalog: a name under `catalogs` in the settings.
        contract: a row of `contracts`: domain, product, name, owner, repository.
        version: a row of `versions`: version, schema_hash, effective_hash.
        description: what the contract says of itself.
        at: when it was registered.
    """
    namespace = [contract["domain"], contract["product"]]
    payload = {
        "catalog": catalog,
        "namespace": namespace,
        "repository": contract.get("repository"),
        "contract_name": contract["name"],
        "contract_version": version["version"],
        # a contract of type families has no schema hash: its effective text tells it from others
        "schema_hash": version.get("schema_hash") or version["effective_hash"],
        "metadata": {"owner": contract.get("owner"), "description": description, "registered_at": at},
    }
    return {"sink": SINK, "key": f"{catalog}:{'.'.join(namespace)}", "payload": payload}
