"""Contract to expectations, as SQL text."""

from floe.data.plan.plan import plan
from floe.data.plan.schema import schema_outcomes

__all__ = ["plan", "schema_outcomes"]
