"""What a check needs besides contract and rows: the tables that keys refer to, the salt of samples, the registry or its absence,
and the figures of earlier days.
"""

import os
import secrets
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import registry, tables
from floe.actions.load.find import contracts_below
from floe.engine.metadata.anomaly import WINDOW, DayPoint, batch_anomalies, table_anomalies
from floe.model import Contract, Dataset, FloeError, RegistryError
from floe.model.contract import Target
from floe.model.plan import Plan, SqlQuery
from floe.model.result import Outcome
from floe.settings import Settings
from floe.system.clock import stamp
from floe.system.private_files import private_folder, write_private
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from floe.registry import Store


def reference_targets(
    plan: Plan, contract: Contract, given: Mapping[str, str], settings: Settings, store: "Store"
) -> dict[str, Target]:
    """The table of each referenced dataset: given, or in this contract, its product, its root."""
    wanted = {expectation.reference.dataset for expectation in plan.expectations if expectation.reference}
    wanted |= {
        name
        for expectation in plan.expectations
        if isinstance(expectation.check, SqlQuery)
        for _, name in expectation.check.tables
        if name != plan.dataset
    }
    found = {}
    for name in sorted(wanted):
        way = TableSelector(table=given.get(name))
        home = _home(name, contract, settings)
        if home or way.table:
            owner, dataset = home or (contract, contract.datasets[0])
            table_id = owner.table_id(dataset)
            try:
                found[name] = find_target(settings, owner, dataset, way, store.table(table_id) if table_id else None)
            except FloeError:
                continue  # not found is not evaluated, with the option that sets it
    return found


def _home(name: str, contract: Contract, settings: Settings) -> tuple[Contract, Dataset] | None:
    """The contract and dataset a name means."""
    near = (
        [contract, *sorted(contracts_below(settings), key=lambda value: value.product != contract.product)]
        if name
        else []
    )
    fitting = [
        (contract, dataset)
        for contract in near
        for dataset in contract.datasets
        if name in (dataset.name, (dataset.physical_name or "").rsplit(".", 1)[-1])
    ]
    return fitting[0] if fitting else None


def salt_of(root: Path) -> str:
    """The salt of a contract root, made once."""
    path = root / ".floe" / "salt"
    if not path.is_file():
        made = private_folder(path.parent) / f"salt.{os.getpid()}.{secrets.token_hex(4)}"
        write_private(made, secrets.token_hex(16))
        try:
            os.link(made, path)  # of two that make one at once, the first one's stays
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path.read_text()


def store_or_offline(settings: Settings) -> "Store":
    """The registry, or its substitute if it is unreachable."""
    try:
        return registry.open_store(settings.registry.url, settings.root)
    except RegistryError as error:
        if not registry.offline.out_of_reach(error):
            raise
        return registry.offline.Offline(error, settings.root / ".floe")


def require_offline_write(
    store: "Store", contract: Contract, target: Target, layer: str, settings: Settings
) -> tuple[str, ...]:
    """The notes of a write without the registry; its error if the table is not certainly the right one.

    Bronze stores the batch. Silver and Gold write only to an existing table that names the same contract: a registry
    that is unreachable may have another location, and a table must not be created twice.
    """
    if not isinstance(store, registry.offline.Offline):
        return ()
    facts = tables.probe(target, settings) if layer != "bronze" else None
    holds = str(facts.properties.get("floe.contract", "")) if facts else ""
    if layer != "bronze" and holds.rpartition(":")[0] != contract.identity.rpartition(":")[0]:
        raise store.cause
    return (
        f"FLOE-E542 warning: {store.cause.message}; written without it: "
        "writers on other machines were not waited for, and the run is recorded when it is back",
    )


def of_table(store: "Store", fact: Mapping[str, Any]) -> list[Outcome]:
    """Anomalies of a table with these facts."""
    today = _point(fact)
    return table_anomalies(fact["dataset"], today, _points(store, fact, today.day))


def of_batch(store: "Store", fact: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """What is unusual about a batch; nothing where the registry is out of reach, for nothing is known then."""
    today = _point(fact)
    try:
        before = _points(store, fact, today.day)
    except RegistryError:
        return ()
    return tuple(batch_anomalies(fact["dataset"], today, before))


def fact_of(
    contract: str, dataset: str, source: str, now: datetime, rows: int, nulls: Mapping[str, int]
) -> dict[str, Any]:
    """What is kept of a table or batch for the days to come."""
    day = stamp(now)[:10]
    head = {"contract_id": contract, "dataset": dataset, "source": source, "day": day}
    return {**head, "rows": rows, "nulls": dict(nulls)}


def _points(store: "Store", fact: Mapping[str, Any], day: date) -> list[DayPoint]:
    first = (day - WINDOW).isoformat()
    return [
        _point(row)
        for row in registry.day_facts.facts_since(store, fact["contract_id"], fact["dataset"], fact["source"], first)
    ]


def _point(row: Mapping[str, Any]) -> DayPoint:
    """A day; of several batches their mean."""
    times = row.get("times") or 1
    nulls = {name: count / times for name, count in row["nulls"].items()}
    return DayPoint(date.fromisoformat(row["day"]), row["rows"] / times, nulls)
