"""Rules of a plan that a table can hold by itself, and their names there."""

import hashlib

from floe.model.plan import Expectation, Plan

PREFIX = "floe_"


def name_of(expectation: Expectation) -> str:
    """The name of a rule in a table; another text of the rule is another name."""
    said = f"{expectation.id} {expectation.sql}".encode()
    return PREFIX + hashlib.sha256(said).hexdigest()[:16]


def holdable(plan: Plan) -> list[Expectation]:
    """The expectations that say of one row alone that it is bad, whatever others are there."""
    return [one for one in plan.expectations if one.gated and one.sql and dict(one.operators) == {"mustBe": 0}]
