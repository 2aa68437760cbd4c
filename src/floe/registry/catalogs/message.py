"""The message to a catalog: one registered version with its metadata."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry.schema import outbox

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
        description: the description of the contract.
        at: when it was registered.
    """
    payload = {
        **_about(catalog, contract),
        "repository_before": contract.get("repository_before"),
        "contract_version": version["version"],
        "schema_hash": version.get("schema_hash"),
        "effective_hash": version["effective_hash"],
        "metadata": {"owner": contract.get("owner"), "description": description, "registered_at": at},
    }
    return {"sink": SINK, "key": _key(catalog, contract), "payload": payload}


def retired_message(catalog: str | None, contract: Mapping[str, Any], major: int) -> dict[str, Any]:
    """The message that removes a MAJOR from a catalog, after the earlier messages about it."""
    payload = {**_about(catalog, contract), "retired_major": major}
    return {"sink": SINK, "key": _key(catalog, contract), "payload": payload}


def _about(catalog: str | None, contract: Mapping[str, Any]) -> dict[str, Any]:
    """Which contract a message is about, for which catalog."""
    return {
        "catalog": catalog,
        "contract": contract["contract_id"],
        "domain": contract["domain"],
        "product": contract["product"],
        "repository": contract.get("repository"),
        "contract_name": contract["name"],
    }


def _key(catalog: str | None, contract: Mapping[str, Any]) -> str:
    """What orders messages: one catalog that is out of reach does not hold back another."""
    return f"{catalog}:{contract['contract_id']}" if catalog else str(contract["contract_id"])


def catalogs_told(connection: Connection, contract_id: str) -> list[str | None]:
    """The catalogs that messages of a contract are kept for; [None], the first of whoever sends, where none is left."""
    key = outbox.c.key
    here = (outbox.c.sink == SINK) & ((key == contract_id) | key.endswith(f":{contract_id}", autoescape=True))
    keys = connection.execute(sa.select(key).where(here).distinct().order_by(key)).scalars()
    return [key.removesuffix(contract_id)[:-1] or None for key in keys] or [None]
