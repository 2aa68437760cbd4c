"""Versions to register."""

from floe.registry.versions import Entry

AT = "2026-11-16T00:00:00.000Z"


def entry(
    version: str = "1.0.0", document: str = "a: 1", parents: tuple = (), contract: str = "sales.shop/orders"
) -> Entry:
    major, minor, patch = map(int, version.split("."))
    held = {"contract_id": contract, "odcs_id": f"urn:{contract}", "domain": "sales", "product": "shop"}
    texts = {"document": document, "effective": document, "document_hash": document, "effective_hash": document}
    row = {"contract_id": contract, "version": version, "major": major, "minor": minor, "patch": patch}
    return Entry({**held, "name": "orders", "found_by": "orders"}, {**row, **texts, "parents": list(parents)})


def accept(_: object) -> dict:
    return {"bump": "FIRST", "changes": {}, "tested": {"outcome": "pass"}, "effective_from": AT}
