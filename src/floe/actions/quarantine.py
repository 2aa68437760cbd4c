"""Quarantine: the rows a gate set apart, listed, and given another chance."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floe.actions.enforce import enforce
from floe.actions.enforce_case import Ask
from floe.actions.find import find_contract
from floe.actions.find_table import Way, find_target
from floe.model import TableError
from floe.model.result import WriteResult
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct


@dataclass(frozen=True, slots=True)
class Apart:
    """Rows that one run set apart, by what they break."""

    table: str
    run_id: str
    at: str
    contract: str
    rows: int
    codes: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "table": self.table,
            "run_id": self.run_id,
            "at": self.at,
            "contract": self.contract,
            "rows": self.rows,
            "codes": self.codes,
        }


def list_quarantine(contracts: Sequence[str], way: Way, settings: Settings) -> list[Apart]:
    """What is in the quarantine of each contract's table, newest first."""
    from floe.data.spark.quarantine import runs_apart
    from floe.data.spark.session import own_session

    found: list[Apart] = []
    for name in contracts:
        table_id, target, _ = _target(name, way, settings)
        found += [Apart(table_id, *run) for run in runs_apart(own_session(settings), target)]
    return found


def replay(name: str, runs: Sequence[str], ask: Ask, settings: Settings) -> WriteResult:
    """Bring quarantined rows through the same gate again; what is still bad stays apart."""
    from floe.data.spark.quarantine import forget, rows_apart, runs_apart
    from floe.data.spark.session import own_session

    spark = own_session(settings)
    table_id, target, promised = _target(name, ask.way, settings)
    known = [str(run[0]) for run in runs_apart(spark, target)]
    chosen = sorted(runs or known)
    missing = [run for run in chosen if run not in known]
    if missing or not chosen:
        said = f"No row of run {missing[0]} is" if missing else "No row is"
        raise TableError(f"{said} in the quarantine of {table_id}", f"See floe quarantine list {name}")
    batch = "replay:" + hashlib.sha256(" ".join(chosen).encode()).hexdigest()[:16]
    result = enforce(
        rows_apart(spark, target, chosen, promised),
        name,
        ask.mode,
        batch_id=batch,
        table=ask.way.table,
        server=ask.way.server,
        references=ask.way.references,
        layer=ask.layer,
        settings=settings,
    )
    forget(spark, target, chosen)
    return result


def _target(name: str, way: Way, settings: Settings) -> tuple[str, Target, Struct]:
    from floe.registry import open_store

    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset) or dataset.name
    known = open_store(settings["registry.url"], settings.root).table(table_id)
    return table_id, find_target(settings, contract, dataset, way, known), dataset.schema
