"""A plan for people: every promise, how it is judged, and by what."""

from floe.model.plan import Expectation, Plan
from floe.tell.report.style import Style, clean, plural


def plan_text(plan: Plan, style: Style) -> str:
    """The dataset, then two or three lines per expectation."""
    known = [one for one in plan.expectations if one.ways]
    watched = [one for one in plan.expectations if one.watched]
    lost = len(plan.expectations) - len(known) - len(watched)
    head = f"{plan.contract}:{plan.version} {plan.dataset}: {plural(len(plan.expectations), 'promise')}"
    head += f", {len(watched)} watched by the monitor" * bool(watched) + f", {lost} not evaluated" * bool(lost)
    return "\n".join([clean(head), *(line for one in plan.expectations for line in _lines(one, style))])


def _lines(one: Expectation, style: Style) -> list[str]:
    title = f"{style.paint(clean(one.id), 'bold')}  FLOE-{one.code} {one.severity}"
    detail = one.to_dict()
    said = [f"expected {one.expected}"] * (one.expected is not None)
    said += ["not a rule of gates"] * (not one.gated and not one.watched)
    how = one.cause and f"not evaluated: {one.cause}"
    how = how or one.watched or f"by {', else by '.join(one.ways)}"
    lines = [title, f"    {clean('; '.join([how, *said]))}"]
    asked = detail["sql"] or (one.keys and f"{', '.join(one.keys)}" + (f" in {one.target}" if one.target else ""))
    return [*lines, style.paint(f"    {clean(asked)}", "dim")] if asked and one.ways else lines
