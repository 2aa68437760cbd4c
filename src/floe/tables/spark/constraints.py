"""Rules of a plan that a table can hold by itself, and their names there."""

import hashlib
from dataclasses import dataclass

from floe.model.plan import Expectation, Plan

PREFIX = "floe_"


@dataclass(frozen=True, slots=True)
class Protection:
    """What became of one rule: `held` by the table, or why not; `violated` where rows in the table break it."""

    id: str
    rule: str
    held: bool
    cause: str = ""
    violated: bool = False


def name_of(expectation: Expectation) -> str:
    """The name of a rule in a table; another text of the rule is another name."""
    said = f"{expectation.id} {expectation.row_rule}".encode()
    return PREFIX + hashlib.sha256(said).hexdigest()[:16]


def holdable(plan: Plan) -> list[Expectation]:
    """The expectations that say of one row alone that it is bad, whatever others are there."""
    return [
        expectation
        for expectation in plan.expectations
        if expectation.gated and expectation.row_rule and dict(expectation.operators) == {"mustBe": 0}
    ]
