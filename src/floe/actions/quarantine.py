"""Quarantine: list quarantined rows, and write them through the gate again."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floe import engine, registry
from floe.actions.enforce import enforce
from floe.actions.enforce.context import WriteOptions
from floe.actions.load.find import find_contract
from floe.model import TableError
from floe.model.contract import Target
from floe.model.result import WriteResult
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target


@dataclass(frozen=True, slots=True)
class QuarantinedRows:
    """The quarantined rows of one run, by the codes they violate."""

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


def list_quarantine(contracts: Sequence[str], way: TableSelector, settings: Settings) -> list[QuarantinedRows]:
    """What is in the quarantine of each contract's table, newest first."""
    found: list[QuarantinedRows] = []
    for name in contracts:
        table_id, target, _ = _target(name, way, settings)
        found += [
            QuarantinedRows(table_id, *run)
            for run in engine.gate.quarantine.quarantined_runs(engine.spark.session.own_session(settings), target)
        ]
    return found


def replay(name: str, runs: Sequence[str], ask: WriteOptions, settings: Settings) -> WriteResult:
    """Write quarantined rows through the same gate again; rows that are still bad stay in quarantine."""
    spark = engine.spark.session.own_session(settings)
    table_id, target, promised = _target(name, ask.way, settings)
    known = [str(run[0]) for run in engine.gate.quarantine.quarantined_runs(spark, target)]
    chosen = sorted(runs or known)
    missing = [run for run in chosen if run not in known]
    if missing or not chosen:
        said = f"No row of run {missing[0]} is" if missing else "No row is"
        raise TableError(f"{said} in the quarantine of {table_id}", f"See floe quarantine list {name}")
    batch = "replay:" + hashlib.sha256(" ".join(chosen).encode()).hexdigest()[:16]
    result = enforce(
        engine.gate.quarantine.quarantined_rows(spark, target, chosen, promised),
        name,
        ask.mode,
        batch_id=batch,
        table=ask.way.table,
        server=ask.way.server,
        references=ask.way.references,
        layer=ask.layer,
        settings=settings,
    )
    engine.gate.quarantine.remove_runs(spark, target, chosen)
    return result


def _target(name: str, way: TableSelector, settings: Settings) -> tuple[str, Target, Struct]:
    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset) or dataset.name
    known = registry.open_store(settings.registry.url, settings.root).table(table_id)
    return table_id, find_target(settings, contract, dataset, way, known), dataset.schema
