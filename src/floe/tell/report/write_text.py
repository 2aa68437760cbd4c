"""What a gate did, for people."""

from floe.model.result import NOT_GATED, Outcome, WriteResult
from floe.tell.report.style import Style, clean, plural


def write_text(batch: str, result: WriteResult, style: Style) -> str:
    """The verdict first, then each broken promise with its counts and both values, then where it stands."""
    lines = [_verdict(batch, result, style)]
    for outcome in (*result.result.failed, *result.result.not_evaluated):
        if result.result.rows is not None or outcome.cause != "the schema does not match":
            lines += _broken(outcome, style)
    lines += [style.paint(f"    note: {clean(note)}", "dim") for note in (*result.notes, *_apart(result))]
    return "\n".join(lines)


def _verdict(batch: str, result: WriteResult, style: Style) -> str:
    rows = plural(result.result.rows, "row") if result.result.rows is not None else "rows not read"
    where = f"{result.table} ({result.format})"
    if result.refused:
        kept = (
            f"{_snapshot(result)} {result.snapshot_before} as before" if result.snapshot_before else "no table was made"
        )
        return f"{style.paint('✗ refused', 'red')}  {batch} → {where}: nothing written, {kept}; {rows}"
    made = "table created, " if result.created else ""
    after = f"{_snapshot(result)} {result.snapshot_after}" if result.snapshot_after else "still empty"
    alert = style.paint(" with alerts", "yellow") if result.result.failed or result.result.not_evaluated else ""
    return (
        f"{style.paint('✓ written', 'green')}{alert}  {batch} → {where}: {made}{plural(result.written, 'row')}, {after}"
    )


def _snapshot(result: WriteResult) -> str:
    return "version" if result.format == "delta" else "snapshot"


def _broken(outcome: Outcome, style: Style) -> list[str]:
    lines = [
        f"  {style.mark(outcome.severity)} {style.paint(f'FLOE-{outcome.code}', 'bold')} {outcome.severity}: {clean(outcome.message)}"
    ]
    if outcome.cause:
        return [*lines, f"      not evaluated: {clean(outcome.cause)}"]
    values = f"      expected {_value(outcome.expected)}, actual {_value(outcome.actual)}"
    samples = f", e.g. {clean(_samples(outcome))}" if outcome.samples else ""
    return [*lines, values + samples]


def _value(value: object) -> str:
    if isinstance(value, list):
        return clean(" | ".join(map(str, value)))
    return "nothing" if value is None else clean(str(value))


def _samples(outcome: Outcome) -> str:
    return "; ".join(", ".join(f"{name}={value}" for name, value in sample.items()) for sample in outcome.samples[:3])


def _apart(result: WriteResult) -> list[str]:
    apart = [outcome.name for outcome in result.result.expectations if outcome.outcome == NOT_GATED]
    return [f"not a gate's rules, judged on the whole table: {', '.join(apart)}"] if apart else []
