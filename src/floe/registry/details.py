"""The facts of one contract: its versions without their texts, its consumers, its states, its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry.schema import (
    consumers,
    contract_tables,
    contracts,
    lifecycle_transitions,
    schema_history,
    sign_offs,
    versions,
)
from floe.registry.store import Store

Row = Mapping[str, Any]
_TEXTS = ("document", "effective", "changes")
RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """A contract with all around it; `versions` are in their order, without their texts."""

    contract: Row
    versions: Sequence[Row]
    lifecycle: Sequence[Row]  # the newest transition of each MAJOR
    consumers: Mapping[int, int]  # how many rely on each MAJOR
    tables: Sequence[Row]

    def state(self, major: int) -> Row | None:
        """The newest transition of a MAJOR line; None where it never had one."""
        return next((row for row in self.lifecycle if row["major"] == major), None)

    def retired(self, major: int) -> bool:
        """Whether a MAJOR line is no longer to be used."""
        state = self.state(major)
        return state is not None and state["state"] == RETIRED

    @property
    def live_majors(self) -> list[int]:
        """The MAJOR lines that are not retired."""
        return sorted({row["major"] for row in self.versions if not self.retired(row["major"])})


def details(store: Store, contract_id: str) -> Details | None:
    """All that is known of a contract; None where it is not registered."""
    with store.begin() as connection:
        own = connection.execute(sa.select(contracts).where(contracts.c.contract_id == contract_id)).mappings().first()
        if own is None:
            return None
        columns = [column for column in versions.c if column.name not in _TEXTS]
        order = (versions.c.major, versions.c.minor, versions.c.patch)
        chosen = sa.select(*columns).where(versions.c.contract_id == contract_id).order_by(*order)
        return Details(
            contract=dict(own),
            versions=_all(connection, chosen),
            lifecycle=_states(connection, contract_id),
            consumers=_counts(connection, contract_id),
            tables=_all(connection, sa.select(contract_tables).where(contract_tables.c.contract_id == contract_id)),
        )


def _all(connection: Connection, chosen: sa.Select[Any]) -> list[Row]:
    return [dict(row) for row in connection.execute(chosen).mappings()]


def _states(connection: Connection, contract_id: str) -> list[Row]:
    of = lifecycle_transitions.c
    newest = sa.select(sa.func.max(of.id)).where(of.contract_id == contract_id).group_by(of.major)
    return _all(connection, sa.select(lifecycle_transitions).where(of.id.in_(newest)).order_by(of.major))


def _counts(connection: Connection, contract_id: str) -> dict[int, int]:
    of = consumers.c
    chosen = sa.select(of.major, sa.func.count()).where(of.contract_id == contract_id, of.removed_at.is_(None))
    return {row.major: row[1] for row in connection.execute(chosen.group_by(of.major))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What happened to a contract besides its versions and its audit: states, sign-offs, and the schemas of its tables."""

    lifecycle: Sequence[Row]
    sign_offs: Sequence[Row]
    schemas: Sequence[Row]


def past(store: Store, contract_id: str) -> Past:
    """A contract's states, sign-offs and schemas, oldest first."""
    tables = sa.select(contract_tables.c.table_id).where(contract_tables.c.contract_id == contract_id)
    with store.begin() as connection:
        return Past(
            lifecycle=_all(
                connection,
                sa.select(lifecycle_transitions)
                .where(lifecycle_transitions.c.contract_id == contract_id)
                .order_by(lifecycle_transitions.c.id),
            ),
            sign_offs=_all(
                connection,
                sa.select(sign_offs)
                .where(sign_offs.c.contract_id == contract_id)
                .order_by(sign_offs.c.at, sign_offs.c.team),
            ),
            schemas=_all(
                connection,
                sa.select(schema_history)
                .where(schema_history.c.table_id.in_(tables))
                .order_by(schema_history.c.table_id, schema_history.c.schema_version),
            ),
        )
