"""What a table held or a batch brought, put into its day in the transaction of its run."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from floe.registry.insert import insert_into
from floe.registry.schema import day_facts

TABLE, BATCH = "table", "batch"


def put_fact(connection: Connection, fact: Mapping[str, Any]) -> None:
    """Keep a fact in a transaction: contract_id, dataset, source, day, rows and nulls by column."""
    keys = ("contract_id", "dataset", "source", "day")
    here = sa.and_(*(day_facts.c[key] == fact[key] for key in keys))
    insert = insert_into(day_facts, connection.dialect.name == "postgresql")
    first = {**{key: fact[key] for key in keys}, "rows": 0, "times": 0, "nulls": {}}
    connection.execute(insert.values(**first).on_conflict_do_nothing())
    there = connection.execute(sa.select(day_facts).where(here).with_for_update()).mappings().one()
    connection.execute(sa.update(day_facts).where(here).values(**_after(there, fact)))


def _after(there: Mapping[Any, Any], fact: Mapping[str, Any]) -> dict[str, Any]:
    if fact["source"] == TABLE:
        return {"rows": fact["rows"], "times": 1, "nulls": dict(fact["nulls"])}
    known = there["nulls"] if there["times"] else fact["nulls"]  # a column that one batch does not tell is not told
    nulls = {name: there["nulls"].get(name, 0) + count for name, count in fact["nulls"].items() if name in known}
    return {"rows": there["rows"] + fact["rows"], "times": there["times"] + 1, "nulls": nulls}
