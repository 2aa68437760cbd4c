"""Search contracts by words, fields and people; pages stay stable while others publish."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from floe.lang.json_text import dumps
from floe.registry.schema import contract_fields, contracts, versions
from floe.registry.store import Store

Row = Mapping[str, Any]
_SHOWN = ("contract_id", "odcs_id", "domain", "product", "name", "owner", "repository", "newest")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What is looked for; all of it must fit. `after` is the last contract of the page before."""

    text: str = ""
    column: str | None = None
    tag: str | None = None
    owner: str | None = None
    classification: str | None = None
    domain: str | None = None
    limit: int = 50
    after: str | None = None


@dataclass(frozen=True, slots=True)
class SearchPage:
    """Contracts in the order of their ids, and where the next page begins, if there is one."""

    contracts: tuple[Row, ...]
    after: str | None


def search(store: Store, query: SearchQuery) -> SearchPage:
    """The contracts that match, each with the matching fields; a page starts after an id, not at a count."""
    chosen = sa.select(*(contracts.c[name] for name in _SHOWN)).where(contracts.c.newest.is_not(None))
    chosen = chosen.where(*_contract_terms(store, query))
    if query.after is not None:
        chosen = chosen.where(contracts.c.contract_id > query.after)
    field_terms = list(_field_terms(store, query))
    if field_terms:
        of = sa.select(contract_fields.c.contract_id).where(*field_terms)
        chosen = chosen.where(contracts.c.contract_id.in_(of))
    chosen = chosen.order_by(contracts.c.contract_id).limit(query.limit + 1)
    with store.begin() as connection:
        found = [dict(row) for row in connection.execute(chosen).mappings()]
        page, more = found[: query.limit], len(found) > query.limit
        fields = _fields(connection, [row["contract_id"] for row in page], field_terms)
    shown = tuple({**row, "fields": fields.get(row["contract_id"], [])} for row in page)
    return SearchPage(shown, page[-1]["contract_id"] if more else None)


def _contract_terms(store: Store, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    holds = sa.func.strpos if store.postgresql else sa.func.instr
    for word in query.text.lower().split():
        yield holds(contracts.c.found_by, word) > 0
    if query.owner is not None:
        yield sa.func.lower(contracts.c.owner) == query.owner.lower()
    if query.domain is not None:
        yield contracts.c.domain == query.domain
    if query.tag is not None and not _about_fields(query):
        yield _listed(contracts.c.tags, query.tag)


def _about_fields(query: SearchQuery) -> bool:
    return query.column is not None or query.classification is not None


def _field_terms(store: Store, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    """What one and the same field must be."""
    fields = contract_fields.c
    if query.column is not None:
        yield _named(store, query.column)
    if query.classification is not None:
        yield fields.classification == query.classification
    if query.tag is not None and _about_fields(query):
        yield _listed(fields.tags, query.tag)


def _named(store: Store, column: str) -> ColumnElement[bool]:
    """A field by its name, or by its path with its dataset; `*` matches any characters, of either case."""
    fields = contract_fields.c
    if not {"*", "."} & set(column):
        return fields.name == column
    if "*" not in column:  # by the index of names, also for a path
        return sa.or_(fields.name == column, (fields.name == column.rsplit(".", 1)[-1]) & (fields.path == column))
    pattern = "%".join(_plain(part) for part in column.split("*"))
    of = fields.path if "." in column else fields.name
    if not store.postgresql:  # SQLite's LIKE does not mind the case of ASCII letters
        return of.like(pattern, escape="\\")
    # the same, and in half the time of ILIKE
    small = "".join(name.lower() if name.isascii() else name for name in pattern)
    return sa.func.lower(of.collate("C")).like(small, escape="\\")


def _listed(column: sa.Column[Any], word: str) -> ColumnElement[bool]:
    """Whether a list of words, kept as JSON, holds one."""
    return sa.cast(column, sa.Text).like(f"%{_plain(dumps(word))}%", escape="\\")


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _fields(
    connection: Connection, ids: Sequence[str], terms: Sequence[ColumnElement[bool]]
) -> dict[str, list[dict[str, Any]]]:
    """The fields that made each contract fit."""
    if not terms or not ids:
        return {}
    chosen = sa.select(contract_fields).where(contract_fields.c.contract_id.in_(ids), *terms)
    found: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(chosen.order_by(contract_fields.c.path)).mappings():
        found.setdefault(row["contract_id"], []).append({key: row[key] for key in ("path", "type", "classification")})
    return found


def newest_versions(store: Store) -> list[Row]:
    """Each contract with its highest version and that version's document hash, in the order of their ids."""
    newest = (contracts.c.contract_id == versions.c.contract_id) & (contracts.c.newest == versions.c.version)
    columns = (contracts.c.contract_id, contracts.c.repository, versions.c.version, versions.c.document_hash)
    chosen = sa.select(*columns).join(versions, newest).order_by(contracts.c.contract_id)
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(chosen).mappings()]
