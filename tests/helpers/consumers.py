"""Contracts registered for tests, without a publish."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from floe.contract.formats import read
from floe.contract.formats.canonical import content_hash
from floe.registry import Store, open_store
from floe.registry.schema import lifecycle_transitions
from floe.registry.versions import Entry, register

AT = "2026-01-01T00:00:00.000Z"
FIELDS = """
      - {name: order_id, logicalType: integer, physicalType: bigint, required: true}
      - {name: email, logicalType: string, physicalType: string, id: p1}
      - {name: total, logicalType: number, physicalType: "decimal(12,2)"}
      - name: address
        logicalType: object
        properties:
          - {name: city, logicalType: string, physicalType: string}
          - {name: zip, logicalType: string, physicalType: string}
      - name: items
        logicalType: array
        items:
          logicalType: object
          properties:
            - {name: sku, logicalType: string, physicalType: string}
"""


def contract_text(name: str = "sales.shop/orders", version: str = "1.0.0", **said: str) -> str:
    """A contract of one dataset: `status`, `fields`, `owner`, `more` (customProperties) may be said."""
    prefix, short = name.split("/")
    domain, product = prefix.split(".")
    custom = f"customProperties:\n{said['more']}\n" if "more" in said else ""
    return f"""apiVersion: v3.1.0
kind: DataContract
id: urn:{short}
name: {short}
domain: {domain}
dataProduct: {product}
version: {version}
status: {said.get("status", "active")}
team: {{name: {product}, members: [{{username: {said.get("owner", "owner@acme.com")}, role: owner}}]}}
{custom}schema:
  - name: {short}
    physicalName: silver.{domain}.{short}
    properties:{said.get("fields", FIELDS)}"""


def register_text(url: str, root: Path, text: str) -> Store:
    """Register a contract's text as it is."""
    store = open_store(url, root)
    contract, found = read(text, "<text>")
    assert contract is not None, found
    name, _, version = contract.identity.rpartition(":")
    major, minor, patch = map(int, version.split("."))
    known = {"contract_id": name, "odcs_id": contract.id, "domain": contract.domain, "product": contract.product}
    known |= {"name": name.split("/")[1], "found_by": name, "owner": contract.owner}
    row = {"contract_id": name, "version": version, "major": major, "minor": minor, "patch": patch, "parents": []}
    row |= dict.fromkeys(("document", "effective"), text)
    row |= dict.fromkeys(("document_hash", "effective_hash"), content_hash(contract))
    tables = [
        {"contract_id": name, "major": major, "dataset": one.name, "table_id": contract.table_id(one)}
        for one in contract.datasets
    ]
    verdict = {"bump": "FIRST", "changes": {}, "tested": {"outcome": "pass"}, "effective_from": AT}
    register(store, Entry(known, row, (), tables), lambda _: verdict, actor="tests", at=AT)
    return store


def history(store: Store, contract_id: str) -> list[dict[str, Any]]:
    """All moves of a contract's lines, oldest first."""
    moves = lifecycle_transitions
    chosen = sa.select(moves).where(moves.c.contract_id == contract_id).order_by(moves.c.id)
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(chosen).mappings()]
