"""The way to the next MAJOR, for people."""

from typing import Any

from floe.reports.style import Style, clean


def migrate_text(plan: Any, style: Style) -> str:
    """What changes, then each step as SQL."""
    lines = [style.paint(f"{plan.contract} {plan.old} → {plan.new}", "bold")]
    lines += [f"    {clean(change)}" for change in plan.changes]
    view = f"CREATE OR REPLACE VIEW {plan.view_name} AS " if plan.view_name else ""
    steps = (
        ("new table", plan.create),
        ("old rows, through the gate", plan.backfill),
        ("view with the old shape", view + plan.view),
    )
    for number, (title, sql) in enumerate(steps, 1):
        lines += [f"{number}. {title}", f"    {clean(sql)}"]
    if plan.missing:
        lines.append(
            style.paint(f"    {', '.join(plan.missing)} has no value for old rows: pass --fill COLUMN=SQL", "yellow")
        )
    lines += [f"    note: {clean(note)}" for note in plan.notes]
    if plan.result is None:
        lines.append("Nothing was changed. --run executes the migration, and continues it after an interruption.")
    return "\n".join(lines)
