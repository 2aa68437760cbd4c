"""Contracts registered for tests that are about reading the registry, as `floe publish` registers them."""

from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from floe.contract.formats import read
from floe.contract.formats.canonical import content_hash
from floe.contract.formats.odcs.write import write
from floe.model import Contract
from floe.model.contract import Version
from floe.registry import Store
from floe.registry.schema import consumers, lifecycle_transitions
from floe.registry.versions import Entry, RegisteredState, register

AT = "2026-01-05T08:00:00.000Z"


def entry_of(text: str, source: str = "orders.yaml", repository: str | None = "github.com/acme/shop") -> Entry:
    contract, found = read(text, source)
    assert contract is not None, found
    name, number = contract.identity.rsplit(":", 1)[0], Version.read(contract.version)
    assert number is not None
    hashed = content_hash(contract)
    own = {
        "contract_id": name,
        "odcs_id": contract.id,
        "domain": contract.domain or "default",
        "product": contract.product or "default",
        "name": name.rsplit("/", 1)[1],
        "repository": repository,
        "owner": contract.owner or None,
        "tags": sorted({str(tag) for noun in contract.walk() for tag in noun.node.get("tags") or ()}),
        "found_by": text.lower(),
    }
    row = {
        "contract_id": name,
        "version": contract.version,
        "major": number.major,
        "minor": number.minor,
        "patch": number.patch,
        "document_hash": hashed,
        "effective_hash": hashed,
        "schema_hash": None,
        "document": text,
        "effective": write(contract, None),
        "parents": [],
        "source": source,
    }
    return Entry(own, row, list(_fields(name, contract)), _tables(name, number.major, contract))


def _fields(name: str, contract: Contract) -> list[dict[str, Any]]:
    return [
        {
            "contract_id": name,
            "path": f"{dataset.name}.{field.path}",
            "name": field.name,
            "type": str(field.type),
            "classification": field.classification,
            "tags": [str(tag) for tag in field.node.get("tags") or ()],
        }
        for dataset in contract.datasets
        for field in dataset.walk()
    ]


def _tables(name: str, major: int, contract: Contract) -> list[dict[str, Any]]:
    return [
        {"contract_id": name, "major": major, "dataset": one.name, "table_id": contract.table_id(one)}
        for one in contract.datasets
    ]


def accept(known: RegisteredState, **said: Any) -> dict[str, Any]:
    bump = "MINOR" if known.versions else "FIRST"
    return {"bump": bump, "changes": {}, "tested": {"outcome": "pass"}, "effective_from": AT, **said}


def put(
    store: Store,
    text: str,
    source: str = "orders.yaml",
    *,
    repository: str | None = "github.com/acme/shop",
    **said: Any,
) -> None:
    """Register a contract's text; what is said replaces what the judge would say."""
    register(store, entry_of(text, source, repository), partial(accept, **said), actor="ann", at=AT)


def retire(store: Store, contract_id: str, major: int, **said: Any) -> None:
    """Put a MAJOR line to rest, as `floe retire` does."""
    row = {"contract_id": contract_id, "major": major, "state": "retired", "was": "sunset", "on_day": "2026-03-01"}
    with store.begin(writes=True) as connection:
        connection.execute(sa.insert(lifecycle_transitions).values(**row, at=AT, by="ann", **said))


def consume(store: Store, contract_id: str, major: int, team: str, removed: str | None = None) -> None:
    """Add a consumer, as `floe consumers add` does."""
    row = {"consumer_id": team, "contract_id": contract_id, "major": major, "version_range": f"{major}.x", "team": team}
    more = {"contact": f"{team}@acme.com", "columns": None, "source": "registered", "added_at": AT, "added_by": "ann"}
    with store.begin(writes=True) as connection:
        connection.execute(sa.insert(consumers).values(**row, **more, removed_at=removed))


def folder_with(url: str, root: Path) -> Path:
    """A contract root whose registry is at a URL."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "manifest.yaml").write_text(f'registry: {{url: "{url}"}}\n')
    return root
