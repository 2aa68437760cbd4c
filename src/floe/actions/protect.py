"""Protect: what a contract asks of rows, written into the table itself; unprotect takes it back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floe.actions.find import find_contract
from floe.actions.find_table import Way, find_target
from floe.actions.home import refuse_other_root
from floe.data.plan import plan as make_plan
from floe.model.decision import MATRIX, STRUCTURE, Verdict, row_of
from floe.model.plan import Expectation, Plan
from floe.model.settings import Settings
from floe.model.table import Target

if TYPE_CHECKING:
    from floe.data.spark.protect import Protection


@dataclass(frozen=True, slots=True)
class ProtectResult:
    """What a table holds now, and what only floe's gates and the monitor hold."""

    table: str
    protections: "tuple[Protection, ...]"
    removed: tuple[str, ...] = ()

    @property
    def broken(self) -> "tuple[Protection, ...]":
        """The rules that the rows in the table break already."""
        return tuple(one for one in self.protections if not one.held and "violate" in one.cause.lower())

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "table": self.table,
            "held": [{"id": one.id, "rule": one.rule} for one in self.protections if one.held],
            "not_held": [{"id": one.id, "cause": one.cause} for one in self.protections if not one.held],
            "removed": list(self.removed),
        }


def protect(name: str, way: Way, settings: Settings) -> ProtectResult:
    """Write the rules that a gate refuses rows for into the table, as far as its format can hold them."""
    from floe.data.spark import protect as table
    from floe.data.spark.rules import holdable
    from floe.data.spark.session import own_session

    table_id, plan, target = _found(name, way, settings)
    level = settings["data_contracts.enforcement"]
    rules = [one for one in holdable(plan) if _refused(one, level)]
    return ProtectResult(table_id, tuple(table.protect(own_session(settings), target, rules, settings)))


def unprotect(name: str, way: Way, settings: Settings) -> ProtectResult:
    """Take back what protect wrote."""
    from floe.data.spark import protect as table
    from floe.data.spark.session import own_session

    table_id, _, target = _found(name, way, settings)
    return ProtectResult(table_id, (), tuple(table.unprotect(own_session(settings), target, settings)))


def _refused(expectation: Expectation, level: str) -> bool:
    row = STRUCTURE if expectation.structural else row_of(expectation.severity)
    return MATRIX[row][level] is Verdict.REFUSE


def _found(name: str, way: Way, settings: Settings) -> tuple[str, Plan, Target]:
    from floe.registry import open_store

    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset) or dataset.name
    known = open_store(settings["registry.url"], settings.root).table(table_id)
    target = find_target(settings, contract, dataset, way, known)
    if target.name and not way.table:
        from floe.data.spark.gate import location_of
        from floe.data.spark.session import own_session

        refuse_other_root(table_id, location_of(own_session(settings), target, settings), settings)
    return table_id, make_plan(contract, dataset, settings["classifications"]), target
