"""A plan as text: each expectation, how it is checked, and by which SQL."""

from floe.model.plan import Expectation, MonitorOnly, Plan
from floe.reports.style import Style, clean, plural


def plan_text(plan: Plan, style: Style) -> str:
    """The dataset, then two or three lines per expectation."""
    known = [expectation for expectation in plan.expectations if expectation.ways]
    watched = [expectation for expectation in plan.expectations if isinstance(expectation.check, MonitorOnly)]
    lost = len(plan.expectations) - len(known) - len(watched)
    head = f"{plan.contract}:{plan.version} {plan.dataset}: {plural(len(plan.expectations), 'expectation')}"
    head += f", {len(watched)} checked by the monitor only" * bool(watched) + f", {lost} not evaluated" * bool(lost)
    return "\n".join([clean(head), *(line for expectation in plan.expectations for line in _lines(expectation, style))])


def _lines(expectation: Expectation, style: Style) -> list[str]:
    title = f"{style.paint(clean(expectation.id), 'bold')}  FLOE-{expectation.code} {expectation.severity}"
    detail = expectation.to_dict()
    monitor_only = expectation.check.why if isinstance(expectation.check, MonitorOnly) else None
    said = [f"expected {expectation.expected}"] * (expectation.expected is not None)
    said += ["not checked by gates"] * (not expectation.gated and monitor_only is None)
    if expectation.cause:
        how = f"not evaluated: {expectation.cause}"
    else:
        how = monitor_only or f"by {', else by '.join(expectation.ways)}"
    lines = [title, f"    {clean('; '.join([how, *said]))}"]
    asked = detail["sql"] or (
        expectation.key
        and f"{', '.join(expectation.key)}" + (f" in {expectation.reference}" if expectation.reference else "")
    )
    return [*lines, style.paint(f"    {clean(asked)}", "dim")] if asked and expectation.ways else lines
