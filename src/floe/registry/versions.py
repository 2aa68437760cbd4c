"""Versions of contracts: registered once, never changed, checked under the contract's lock."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe import registry
from floe.model import RegistryError
from floe.registry.schema import contract_fields, contract_tables, contracts, versions
from floe.registry.store import Store, audited, insert_into, lock_key
from floe.system.failpoint import failpoint

Row = Mapping[str, Any]
_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class Entry:
    """A version to be registered: the values of its rows."""

    contract: Row  # of contracts, without newest, created_at, created_by
    version: Row  # of versions, without the decision and the publisher
    fields: Sequence[Row] = ()
    tables: Sequence[Row] = ()
    key: tuple[str, str] = field(init=False)  # its contract and its version

    def __post_init__(self) -> None:
        """Name what is registered."""
        object.__setattr__(self, "key", (self.version["contract_id"], self.version["version"]))


@dataclass(frozen=True, slots=True)
class RegisteredState:
    """The registered state under the lock: the contract, its versions in order, its parents."""

    connection: Connection
    contract: Row | None
    versions: Sequence[Row]
    parents: Sequence[Row]  # the newest version of each contract the new one extends


def register(
    store: Store, entry: Entry, judge: Callable[[RegisteredState], Row], *, actor: str, at: str
) -> tuple[Mapping[str, Any], bool]:
    """Register a version and whether it is new; the same content again is the same row, other content is E523.

    Args:
        store: where.
        entry: what.
        judge: called under the lock; returns bump, changes, tested and effective_from, or raises to refuse.
        actor: who.
        at: when.
    """
    same = find_version(store, *entry.key)
    if same:
        return _again(same, entry), False
    with store.begin(writes=True) as connection:
        contract = _locked(connection, store, entry, actor, at)
        parents = _parents(connection, store, entry)
        there = _trusted(connection, entry.key[0])
        same = next((row for row in there if row["version"] == entry.key[1]), None)
        if same:
            return _again(same, entry), False
        verdict = judge(RegisteredState(connection, contract if there else None, there, parents))
        failpoint("registry-judged")
        row = {**entry.version, **verdict, "published_at": at, "published_by": actor}
        row["row_hash"] = row_hash(row["document"], row["effective"])
        _insert(connection, entry, row)
        said = {"version": entry.key[1], "document_hash": row["document_hash"], "tested": row["tested"]}
        audited(connection, actor=actor, verb="publish", subject=entry.key[0], at=at, **said)
        failpoint("registry-inserted")
    failpoint("registry-committed")
    return row, True


@contextmanager
def read_registered_state(store: Store, entry: Entry) -> Iterator[RegisteredState]:
    """The registered state without a lock: what a decision would see if nobody publishes in between."""
    with store.begin() as connection:
        chosen = sa.select(contracts).where(contracts.c.contract_id == entry.key[0])
        row = connection.execute(chosen).mappings().first()
        there = _trusted(connection, entry.key[0])
        yield RegisteredState(connection, dict(row) if row else None, there, _newest(connection, _parent_names(entry)))


def refuse_other(row: Row, entry: Entry) -> None:
    """RegistryError (E523) where a version is registered with other content."""
    _again(row, entry)


def _again(row: Row, entry: Entry) -> Row:
    new = entry.version
    if (row["document_hash"], row["effective_hash"]) == (new["document_hash"], new["effective_hash"]):
        return row
    which = "document" if row["document_hash"] != new["document_hash"] else "effective"
    raise RegistryError(
        f"{row['contract_id']}:{row['version']} is registered with other content: "
        f"{which} hash {row[f'{which}_hash']}, this version has {new[f'{which}_hash']}",
        "Give the changed contract a new version (`floe bump`)"
        if which == "document"
        else "Its inherited values have changed: give it a new version (`floe bump`)",
        "E523",
    )


def _locked(connection: Connection, store: Store, entry: Entry, actor: str, at: str) -> Row:
    """The contract's row, created if missing; nobody else registers versions of it until the transaction ends."""
    _lock(connection, store, entry.key[0])
    insert = insert_into(contracts, store.postgresql)
    values = {**entry.contract, "created_at": at, "created_by": actor}
    connection.execute(insert.values(**values).on_conflict_do_nothing())
    chosen = sa.select(contracts).where(contracts.c.contract_id == entry.key[0]).with_for_update()
    return dict(connection.execute(chosen).mappings().one())


def _lock(connection: Connection, store: Store, contract_id: str, shared: bool = False) -> None:
    """A lock on a name, which also holds for a contract that is not registered yet; a writer of SQLite is alone anyway."""
    if store.postgresql:
        registry.timed.wait_for_lock(connection, lock_key(f"contract {contract_id}"), shared=shared)


def _parents(connection: Connection, store: Store, entry: Entry) -> list[Row]:
    """The newest versions of the parents, which stay the newest until the transaction ends."""
    names = _parent_names(entry)
    for name in names:
        _lock(connection, store, name, shared=True)
    return _newest(connection, names)


def _parent_names(entry: Entry) -> list[str]:
    return sorted({str(parent["contract"]) for parent in entry.version["parents"]} - {entry.key[0]})


def _newest(connection: Connection, names: Sequence[str]) -> list[Row]:
    newest = (contracts.c.contract_id == versions.c.contract_id) & (contracts.c.newest == versions.c.version)
    chosen = sa.select(versions).join(contracts, newest).where(versions.c.contract_id.in_(names))
    return [_untouched(dict(row)) for row in connection.execute(chosen).mappings()] if names else []


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
            connection.execute(sa.insert(contract_fields), [dict(field) for field in entry.fields])
    here = (contract_tables.c.contract_id == contract_id) & (contract_tables.c.major == row["major"])
    connection.execute(sa.delete(contract_tables).where(here))
    if entry.tables:
        connection.execute(sa.insert(contract_tables), [dict(table) for table in entry.tables])


def _rows(connection: Connection, contract_id: str) -> list[Row]:
    order = (versions.c.major, versions.c.minor, versions.c.patch)
    chosen = sa.select(versions).where(versions.c.contract_id == contract_id).order_by(*order)
    return [dict(row) for row in connection.execute(chosen).mappings()]


def _trusted(connection: Connection, contract_id: str) -> list[Row]:
    return [_untouched(row) for row in _rows(connection, contract_id)]


def find_registered(store: Store, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Row]:
    """Those of many contracts and versions that are registered, in few queries; their texts are trusted or refused."""
    found: dict[tuple[str, str], Row] = {}
    same = sa.tuple_(versions.c.contract_id, versions.c.version)
    with store.begin() as connection:
        for start in range(0, len(keys), _AT_ONCE):
            rows = connection.execute(sa.select(versions).where(same.in_(keys[start : start + _AT_ONCE])))
            for row in rows.mappings():
                found[row["contract_id"], row["version"]] = _told(_untouched(dict(row)))
    return found


def _told(row: Row) -> Row:
    """A version without its long texts."""
    return {key: value for key, value in row.items() if key not in ("document", "effective", "changes")}


def find_children(connection: Connection, contract_id: str) -> list[Row]:
    """The newest version of each contract that inherits from this one."""
    newest = (contracts.c.contract_id == versions.c.contract_id) & (contracts.c.newest == versions.c.version)
    named = sa.cast(versions.c.parents, sa.Text).contains(f'"{contract_id}"', autoescape=True)
    rows = connection.execute(sa.select(versions).join(contracts, newest).where(named))
    return [
        _untouched(dict(row))
        for row in rows.mappings()
        if any(parent["contract"] == contract_id for parent in row["parents"])
    ]


def find_same_file(connection: Connection, entry: Entry) -> str | None:
    """Another contract that was registered from the same file of the same repository, under the same ODCS id."""
    newest = (contracts.c.contract_id == versions.c.contract_id) & (contracts.c.newest == versions.c.version)
    chosen = sa.select(contracts.c.contract_id, contracts.c.repository).join(versions, newest)
    same = (contracts.c.odcs_id == entry.contract["odcs_id"]) & (versions.c.source == entry.version["source"])
    rows = connection.execute(chosen.where(same & (contracts.c.contract_id != entry.key[0])))
    return next((row.contract_id for row in rows if row.repository == entry.contract["repository"]), None)


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
    """The hash that shows whether the texts of a version were changed."""
    return "sha256:" + hashlib.sha256(f"{document}\0{effective}".encode("utf-8", "surrogatepass")).hexdigest()


def _untouched(row: Row) -> Row:
    if row_hash(row["document"], row["effective"]) == row["row_hash"]:
        return row
    raise RegistryError(
        f"{row['contract_id']}:{row['version']} was changed in the database after it was registered",
        "Restore the registry from a backup or an export; floe does not use changed texts",
        "E542",
    )
