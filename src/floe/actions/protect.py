"""Protect: write the constraints of a contract into the table itself; unprotect removes them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floe import engine, registry, tables
from floe.actions.load.find import find_contract
from floe.engine.plan import make_plan
from floe.model.contract import Target
from floe.model.plan import Expectation, Plan
from floe.model.result import MATRIX, STRUCTURE, Verdict, row_of
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target, refuse_other_root

if TYPE_CHECKING:
    from floe.tables.spark.schema import Protection


@dataclass(frozen=True, slots=True)
class ProtectResult:
    """What a table holds now, and what only floe's gates and the monitor hold."""

    table: str
    protections: "tuple[Protection, ...]"
    removed: tuple[str, ...] = ()

    @property
    def broken(self) -> "tuple[Protection, ...]":
        """The rules that the rows in the table break already."""
        return tuple(protection for protection in self.protections if protection.violated)

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "table": self.table,
            "held": [
                {"id": protection.id, "rule": protection.rule} for protection in self.protections if protection.held
            ],
            "not_held": [
                {"id": protection.id, "cause": protection.cause}
                for protection in self.protections
                if not protection.held
            ],
            "removed": list(self.removed),
        }


def protect(name: str, way: TableSelector, settings: Settings) -> ProtectResult:
    """Write the rules that a gate refuses rows for into the table, as far as its format can hold them."""
    table_id, plan, target = _found(name, way, settings)
    level = settings.data_contracts.enforcement
    rules = [expectation for expectation in tables.spark.schema.holdable(plan) if _refused(expectation, level)]
    return ProtectResult(
        table_id,
        tuple(engine.spark.protect.protect(engine.spark.session.own_session(settings), target, rules, settings)),
    )


def unprotect(name: str, way: TableSelector, settings: Settings) -> ProtectResult:
    """Take back what protect wrote."""
    table_id, _, target = _found(name, way, settings)
    return ProtectResult(
        table_id,
        (),
        tuple(engine.spark.protect.unprotect(engine.spark.session.own_session(settings), target, settings)),
    )


def _refused(expectation: Expectation, level: str) -> bool:
    row = STRUCTURE if expectation.structural else row_of(expectation.severity)
    return MATRIX[row][level] is Verdict.REFUSE


def _found(name: str, way: TableSelector, settings: Settings) -> tuple[str, Plan, Target]:
    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset) or dataset.name
    known = registry.open_store(settings.registry.url, settings.root).table(table_id)
    target = find_target(settings, contract, dataset, way, known)
    if target.name and not way.table:
        refuse_other_root(
            table_id,
            engine.gate.gate.location_of(engine.spark.session.own_session(settings), target, settings),
            settings,
        )
    return table_id, make_plan(contract, dataset, settings.classifications), target
