"""Contract to expectations, as SQL text."""

from floe.engine.plan.plan import make_plan

__all__ = ["make_plan"]
