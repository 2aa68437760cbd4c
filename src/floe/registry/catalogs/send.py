"""The outbox's sender for catalogs."""

from collections.abc import Mapping
from typing import Any

from floe.model import SendError
from floe.model.outgoing import Outgoing, Sender
from floe.model.settings import Settings
from floe.registry.catalogs.opened import CannotHoldError, open_catalog, spoken


def catalog_sender(settings: Settings) -> Sender:
    """Register the contract that a message tells of; a catalog that cannot hold contracts is skipped with a note."""

    def send(message: Outgoing) -> str | None:
        try:
            _register(message.payload, settings)
        except CannotHoldError as error:
            return f"{error}; its contracts are skipped"
        except KeyError as error:
            raise SendError(f"The message has no {error}", "It was not written by floe", permanent=True) from None
        return None

    return Sender(send, place=lambda key: key.split(":", 1)[0], code="E540")


def _register(payload: Mapping[str, Any], settings: Settings) -> None:
    name, metadata = payload["catalog"], payload["metadata"]
    version = (payload["namespace"], payload["contract_name"], payload["contract_version"], payload["schema_hash"])
    with spoken(name, settings):
        opened = open_catalog(name, settings)
        from floe.registry.catalogs.catalog import ContractCatalog, ContractMetadata  # noqa: PLC0415  (pyiceberg)

        said = {key: str(metadata.get(key) or "") for key in ("owner", "description", "registered_at")}
        ContractCatalog(opened, payload.get("repository") or "").register_contract(*version, ContractMetadata(**said))
