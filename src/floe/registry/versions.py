"""Versions of contracts: registered once, never changed, judged under the contract's lock."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from floe.model import RegistryError
from floe.model.failpoint import failpoint
from floe.registry.audit import audited
from floe.registry.schema import contract_fields, contract_tables, contracts, versions
from floe.registry.store import Store

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A version to be registered: the values of its rows."""

    contract: Row  # of contracts, without newest, created_at, created_by
    version: Row  # of versions, without what the judge decides and who published when
    fields: Sequence[Row] = ()
    tables: Sequence[Row] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Its contract and its version."""
        return self.version["contract_id"], self.version["version"]


@dataclass(frozen=True, slots=True)
class Known:
    """What is registered already, as it stands under the lock: the contract, its versions in order, its parents."""

    connection: Connection
    contract: Row | None
    versions: Sequence[Row]
    parents: Sequence[Row]  # the newest version of each contract the new one extends


def register(
    store: Store, entry: Entry, judge: Callable[[Known], Row], *, actor: str, at: str
) -> tuple[Mapping[str, Any], bool]:
    """Register a version and whether it is new; the same content again is the same row, other content is E523.

    Args:
        store: where.
        entry: what.
        judge: asked under the lock; gives bump, changes, tested and effective_from, or raises to refuse.
        actor: who.
        at: when.
    """
    same = find_version(store, *entry.key)
    if same:
        return _again(same, entry), False
    with store.begin(writes=True) as connection:
        contract = _locked(connection, store, entry, actor, at)
        parents = _parents(connection, store, entry)
        there = _rows(connection, entry.key[0])
        same = next((row for row in there if row["version"] == entry.key[1]), None)
        if same:
            return _again(same, entry), False
        verdict = judge(Known(connection, contract if there else None, there, parents))
        failpoint("registry-judged")
        row = {**entry.version, **verdict, "published_at": at, "published_by": actor}
        row["row_hash"] = row_hash(row["document"], row["effective"])
        _insert(connection, entry, row)
        said = {"version": entry.key[1], "document_hash": row["document_hash"], "tested": row["tested"]}
        audited(connection, actor=actor, verb="publish", subject=entry.key[0], at=at, **said)
        failpoint("registry-inserted")
    failpoint("registry-committed")
    return row, True


def _again(row: Row, entry: Entry) -> Row:
    new = entry.version
    if (row["document_hash"], row["effective_hash"]) == (new["document_hash"], new["effective_hash"]):
        return row
    which = "document" if row["document_hash"] != new["document_hash"] else "effective"
    raise RegistryError(
        f"{row['contract_id']}:{row['version']} is registered with other content: "
        f"{which} hash {row[f'{which}_hash']}, this one has {new[f'{which}_hash']}",
        "Give the changed contract a new version (`floe bump`)"
        if which == "document"
        else "What it inherits has changed since: give it a new version (`floe bump`)",
        "E523",
    )


def _locked(connection: Connection, store: Store, entry: Entry, actor: str, at: str) -> Row:
    """The contract's row, made where it is missing; nobody else registers versions of it until the transaction ends."""
    insert = (postgresql if store.postgresql else sqlite).insert(contracts)
    values = {**entry.contract, "created_at": at, "created_by": actor}
    connection.execute(insert.values(**values).on_conflict_do_nothing())
    chosen = sa.select(contracts).where(contracts.c.contract_id == entry.key[0]).with_for_update()
    return dict(connection.execute(chosen).mappings().one())


def _parents(connection: Connection, store: Store, entry: Entry) -> list[Row]:
    """The newest versions of the parents, which stay the newest until the transaction ends."""
    names = sorted({str(parent["contract"]) for parent in entry.version["parents"]})
    shared = sa.select(contracts.c.contract_id, contracts.c.newest).where(contracts.c.contract_id.in_(names))
    found = connection.execute(shared.order_by(contracts.c.contract_id).with_for_update(read=True)).all()
    keys = [(row.contract_id, row.newest) for row in found]
    chosen = sa.select(versions).where(sa.tuple_(versions.c.contract_id, versions.c.version).in_(keys))
    return [dict(row) for row in connection.execute(chosen).mappings()] if keys else []


def _insert(connection: Connection, entry: Entry, row: Row) -> None:
    contract_id = entry.key[0]
    connection.execute(sa.insert(versions).values(**row))
    newest = _rows(connection, contract_id)[-1]["version"]
    if newest == entry.key[1]:
        values = {**entry.contract, "newest": newest}
        values.pop("repository", None)  # ownership moves by transfer alone
        connection.execute(sa.update(contracts).where(contracts.c.contract_id == contract_id).values(**values))
        connection.execute(sa.delete(contract_fields).where(contract_fields.c.contract_id == contract_id))
        if entry.fields:
            connection.execute(sa.insert(contract_fields), [dict(one) for one in entry.fields])
    here = (contract_tables.c.contract_id == contract_id) & (contract_tables.c.major == row["major"])
    connection.execute(sa.delete(contract_tables).where(here))
    if entry.tables:
        connection.execute(sa.insert(contract_tables), [dict(one) for one in entry.tables])


def _rows(connection: Connection, contract_id: str) -> list[Row]:
    order = (versions.c.major, versions.c.minor, versions.c.patch)
    chosen = sa.select(versions).where(versions.c.contract_id == contract_id).order_by(*order)
    return [dict(row) for row in connection.execute(chosen).mappings()]


def find_version(store: Store, contract_id: str, version: str) -> Row | None:
    """A registered version; RegistryError where its text no longer is what was registered."""
    chosen = sa.select(versions).where((versions.c.contract_id == contract_id) & (versions.c.version == version))
    with store.begin() as connection:
        row = connection.execute(chosen).mappings().first()
    return _untouched(dict(row)) if row else None


def find_versions(store: Store, contract_id: str) -> list[Row]:
    """All registered versions of a contract, lowest first."""
    with store.begin() as connection:
        return [_untouched(row) for row in _rows(connection, contract_id)]


def contract_ids(store: Store) -> list[str]:
    """Every registered contract, by its id."""
    with store.begin() as connection:
        return list(connection.execute(sa.select(contracts.c.contract_id).order_by(contracts.c.contract_id)).scalars())


def newest_at(store: Store) -> str | None:
    """When something was registered last."""
    with store.begin() as connection:
        return connection.execute(sa.select(sa.func.max(versions.c.published_at))).scalar()


def registered_at(store: Store, contract_id: str) -> str | None:
    """When a contract's first version was registered."""
    chosen = sa.select(sa.func.min(versions.c.published_at)).where(versions.c.contract_id == contract_id)
    with store.begin() as connection:
        return connection.execute(chosen).scalar()


def row_hash(document: str, effective: str) -> str:
    """What tells whether the texts of a version are still those that were registered."""
    return "sha256:" + hashlib.sha256(f"{document}\0{effective}".encode("utf-8", "surrogatepass")).hexdigest()


def _untouched(row: Row) -> Row:
    if row_hash(row["document"], row["effective"]) == row["row_hash"]:
        return row
    raise RegistryError(
        f"{row['contract_id']}:{row['version']} was changed in the database after it was registered",
        "Restore the registry from a backup or an export; floe does not use what it cannot trust",
        "E542",
    )
