"""The outbox's sender for catalogs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from floe.model import SendError
from floe.model.outbox_message import Outgoing, Sender
from floe.registry.catalogs.listed import contract_catalog
from floe.registry.catalogs.opened import CannotHoldError, open_catalog, spoken
from floe.settings import Settings

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog


def catalog_sender(settings: Settings) -> Sender:
    """Register the contract of a message; a catalog that cannot store contracts is skipped with a note."""
    opened: dict[str, Catalog] = {}  # opening takes longer than asking

    def name(message: Outgoing) -> str:
        return str(message.payload.get("catalog") or contract_catalog(settings) or "")

    def send(message: Outgoing) -> str | None:
        if not name(message):
            return "The settings have no catalog; contracts are in the registry only"
        try:
            _register(name(message), message.payload, settings, opened)
        except CannotHoldError as error:
            return f"{error}; its contracts are skipped"
        return None

    return Sender(send, place=name, code="E540")


def _register(name: str, payload: Mapping[str, Any], settings: Settings, opened: "dict[str, Catalog]") -> None:
    try:
        where = ((payload["domain"], payload["product"]), payload["contract_name"])
        said = None if "retired_major" in payload else _said(payload)
    except KeyError as error:
        raise SendError(f"The message has no {error}", "It was not written by floe", permanent=True) from None
    with spoken(name, settings):
        catalog = opened.pop(name, None) or open_catalog(name, settings)
        from floe.registry.catalogs.catalog import ContractCatalog, ContractMetadata  # noqa: PLC0415  (pyiceberg)

        ours = ContractCatalog(catalog, payload.get("repository") or "", payload.get("repository_before") or "")
        if said:
            ours.register_contract(*where, said["version"], said["hash"], ContractMetadata(**said["metadata"]))
        else:
            ours.retire_contract(*where, int(payload["retired_major"]))
    opened[name] = catalog  # a failed one is opened again


def _said(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a version for a catalog."""
    metadata = {key: str(payload["metadata"].get(key) or "") for key in ("owner", "description", "registered_at")}
    # a contract with type families has no schema hash: the hash of its effective text identifies it
    hash_ = payload["schema_hash"] or payload["effective_hash"]
    return {"version": payload["contract_version"], "hash": hash_, "metadata": metadata}
