"""The result of a check or a write as text."""

from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Reason, Result, WriteResult
from floe.reports.style import Style, clean, plural

_WORDS = {PASS: ("✓ passed", "green"), FAIL: ("✗ failed", "red"), NOT_EVALUATED: ("? not evaluated", "yellow")}
_PART = ("~ PARTIAL, no violation in the rows that were read", "yellow")


def result_text(result: Result, style: Style) -> str:
    """The result, then what failed or was not evaluated, then how the rest was checked."""
    word, colour = verdict(result)
    score = f", score {result.score}" if result.score is not None else ""
    head = f"{style.paint(word, colour)} {clean(result.dataset)} ({clean(result.contract)}:{result.version}): {rows_text(result)}, snapshot {result.snapshot or '–'}{score}"
    lines = [head]
    for outcome in (*result.failed, *result.not_evaluated):
        lines += _lines(outcome, style)
    passed = [outcome for outcome in result.expectations if outcome.outcome == PASS]
    proved = sum(outcome.how == "metadata" for outcome in passed)
    known = sum(outcome.how == "incremental" for outcome in passed)
    how = f"{proved} proved by metadata, {len(passed) - proved - known} by scan"
    how += f", {known} incremental" if known else ""
    lines.append(style.paint(f"    {plural(len(passed), 'expectation')} passed: {how}", "dim"))
    lines += [style.paint(f"    {said}", "dim") for said in (keys_text(result), read_text(result)) if said]
    return "\n".join(lines)


def keys_text(result: Result) -> str:
    """How keys and references were checked, if rows were read for them."""
    fields: dict[str, list[str]] = {}
    for outcome in result.expectations:
        if outcome.method:
            fields.setdefault(outcome.method, []).append(outcome.field)
    checked = [f"{', '.join(dict.fromkeys(names))} by {method}" for method, names in fields.items()]
    return clean(f"keys: {'; '.join(checked)}") if checked else ""


def read_text(result: Result) -> str:
    """How many files were read, if results of an earlier run were reused for others."""
    if not result.read or not result.read["remembered"]:
        return ""
    read, of, known, snapshot = (result.read[key] for key in ("files", "of", "remembered", "snapshot"))
    return f"read {read:,} of {plural(of, 'file')}, reused the results of {known:,} from snapshot {snapshot}"


def verdict(result: Result) -> tuple[str, str]:
    """The word for a result and its colour; a partial result is never plain green."""
    if result.scope and result.outcome == PASS:
        return _PART
    word, colour = _WORDS[result.outcome]
    return (f"{word} PARTIAL" if result.scope else word), colour


def rows_text(result: Result) -> str:
    """How many rows were read, and under which scope."""
    rows = plural(result.rows, "row") if result.rows is not None else "rows not counted"
    return f"{rows} of a part ({clean(result.scope)})" if result.scope else rows


def samples_text(outcome: Outcome) -> str:
    """A few of the bad rows by their keys."""
    shown = (", ".join(f"{name}={value}" for name, value in sample.items()) for sample in outcome.samples[:3])
    return clean("; ".join(shown))


def values_text(outcome: Outcome) -> str:
    """The expected and the actual value, or why it was not evaluated."""
    if outcome.outcome == NOT_EVALUATED:
        return clean(outcome.cause or "")
    return f"expected {clean(str(outcome.expected))}, actual {clean(str(outcome.actual))}"


def ask_text(result: Result) -> str:
    """The contacts of the contract."""
    asked = [name for name in (result.owner, *result.support) if name]
    return clean(", ".join(asked)) if asked else "no contact: the contract has no owner and no support"


def _lines(outcome: Outcome, style: Style) -> list[str]:
    samples = samples_text(outcome)
    return [
        f"    {style.paint(f'FLOE-{outcome.code}', 'bold')} {outcome.severity}: {clean(outcome.message)}",
        f"      {values_text(outcome)}" + (f", e.g. {samples}" if samples else ""),
    ]


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
