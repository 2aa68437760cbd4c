"""What came of a plan, for people."""

from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result
from floe.tell.report.style import Style, clean, plural

_WORDS = {PASS: ("✓ holds", "green"), FAIL: ("✗ broken", "red"), NOT_EVALUATED: ("? not evaluated", "yellow")}


def result_text(result: Result, style: Style) -> str:
    """The verdict, then what is broken or unknown, then how the rest was judged."""
    word, colour = _WORDS[result.outcome]
    rows = plural(result.rows, "row") if result.rows is not None else "rows not counted"
    score = f", score {result.score}" if result.score is not None else ""
    head = f"{style.paint(word, colour)} {clean(result.dataset)} ({clean(result.contract)}:{result.version}): {rows}, snapshot {result.snapshot or '–'}{score}"
    lines = [head]
    for outcome in (*result.failed, *result.not_evaluated):
        lines += _lines(outcome, style)
    passed = [outcome for outcome in result.expectations if outcome.outcome == PASS]
    proved = sum(outcome.how == "metadata" for outcome in passed)
    lines.append(
        style.paint(
            f"    {plural(len(passed), 'promise')} kept: {proved} proved from metadata, {len(passed) - proved} by reading",
            "dim",
        )
    )
    return "\n".join(lines)


def _lines(outcome: Outcome, style: Style) -> list[str]:
    head = f"    {style.paint(f'FLOE-{outcome.code}', 'bold')} {outcome.severity}: {clean(outcome.message)}"
    if outcome.outcome == NOT_EVALUATED:
        return [head, f"      {clean(outcome.cause or '')}"]
    samples = "; ".join(
        ", ".join(f"{name}={value}" for name, value in sample.items()) for sample in outcome.samples[:3]
    )
    return [
        head,
        f"      expected {clean(str(outcome.expected))}, actual {clean(str(outcome.actual))}"
        + (f", e.g. {clean(samples)}" if samples else ""),
    ]
