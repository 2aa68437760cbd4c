"""The result of a check as text."""

from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result
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
