"""The result of a write as text."""

from floe.model.result import NOT_GATED, Outcome, Reason, WriteResult
from floe.reports.style import Style, clean, plural
from floe.reports.text.result import keys_text


def write_text(batch: str, result: WriteResult, style: Style) -> str:
    """The result first, then each violation with its counts and both values, then the notes."""
    lines = [_verdict(batch, result, style)]
    for outcome in (*result.result.failed, *result.result.not_evaluated):
        if result.result.rows is not None or outcome.reason is not Reason.SCHEMA_MISMATCH:
            lines += _broken(outcome, result.result.rows, style)
    keys = keys_text(result.result)
    lines += [style.paint(f"    {keys}", "dim")] if keys else []
    lines += [style.paint(f"    note: {clean(note)}", "dim") for note in (*result.notes, *_apart(result))]
    return "\n".join(lines)


def _verdict(batch: str, result: WriteResult, style: Style) -> str:
    if result.refused:
        kept = f"still snapshot {result.snapshot_before}" if result.snapshot_before else "no table was created"
        return f"{style.paint('✗ refused', 'red')} {batch}: nothing written to {result.table} ({result.format}), {kept}"
    if result.repeated:
        return f"{style.paint('✓ already written', 'green')} {batch}: batch {result.batch_id} is in {result.table} ({plural(result.written, 'row')}, snapshot {result.snapshot_after}); nothing written"
    made = "created, " if result.created else ""
    after = f"now snapshot {result.snapshot_after}" if result.snapshot_after else "still empty"
    alert = style.paint(" with alerts", "yellow") if result.result.failed or result.result.not_evaluated else ""
    if result.shadow:
        alert = style.paint(" SHADOW, would be refused" if result.would_refuse else " SHADOW", "yellow")
    apart = f", {plural(result.quarantined, 'row')} to quarantine" if result.quarantined else ""
    return f"{style.paint('✓ written', 'green')}{alert} {batch}: {plural(result.written, 'row')} to {result.table} ({result.format}){apart}, {made}{after}"


def _broken(outcome: Outcome, rows: int | None, style: Style) -> list[str]:
    lines = [f"    {style.paint(f'FLOE-{outcome.code}', 'bold')} {outcome.severity}: {clean(outcome.message)}"]
    if outcome.cause:
        return [*lines, f"      not evaluated: {clean(outcome.cause)}"]
    if rows is None:
        return lines  # the schema's messages hold both values
    samples = f", e.g. {clean(_samples(outcome))}" if outcome.samples else ""
    return [
        *lines,
        f"      {outcome.violations:,} of {plural(rows, 'row')}, expected {_value(outcome.expected)}{samples}",
    ]


def _value(value: object) -> str:
    if isinstance(value, list):
        return clean(" | ".join(map(str, value)))
    return "nothing" if value is None else clean(str(value))


def _samples(outcome: Outcome) -> str:
    return "; ".join(", ".join(f"{name}={value}" for name, value in sample.items()) for sample in outcome.samples[:3])


def _apart(result: WriteResult) -> list[str]:
    apart = [outcome.name for outcome in result.result.expectations if outcome.outcome == NOT_GATED]
    return (
        [
            f"not checked at write time, because they apply to the whole table (floe test checks them): {', '.join(apart)}"
        ]
        if apart
        else []
    )
