"""Results of checks as one HTML page that needs nothing else: verdict, violations, rows, owner and support."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.reports.style import plural
from floe.reports.text.result import ask_text, rows_text, samples_text, values_text
from floe.system.html import Status, render

_STATUS = {
    PASS: Status("✓", "passed", "good"),
    FAIL: Status("✗", "failed", "bad"),
    NOT_EVALUATED: Status("?", "not evaluated", "warn"),
    NOT_GATED: Status("–", "not checked", "none"),
}
_ACCEPTED = Status("?", "not evaluated, accepted", "none")
# what was read in part is never plain green
_PART = Status("~", "no violation in the part that was read", "warn")


class _Row(NamedTuple):
    """An expectation and its outcome."""

    status: Status
    severity: str
    code: str
    id: str
    message: str
    details: list[str]
    violations: str


class _Dataset(NamedTuple):
    """A dataset: its verdict, what is known of its table, its outcomes."""

    name: str
    status: Status
    summary: str
    facts: list[tuple[str, str]]
    problems: list[_Row]
    rest: list[_Row]
    rest_label: str


def result_html(results: Sequence[Result], accepted: Collection[str]) -> str:
    """The page of some results; `accepted` are the expectations that may stay not evaluated."""
    counts = [(sum(result.outcome == word for result in results), word) for word in (FAIL, NOT_EVALUATED, PASS)]
    headline = f"{plural(len(results), 'dataset')}: " + ", ".join(
        f"{count:,} {_STATUS[word].word}" for count, word in counts if count
    )
    partial = any(result.scope for result in results)
    return render(
        "floe.reports",
        "result.html",
        title=f"floe test: {headline}{', PARTIAL' if partial else ''}",
        kind="Test report",
        headline=headline,
        partial=partial,
        counts=[(count, _STATUS[word].word, _STATUS[word].tone) for count, word in counts],
        datasets=[_dataset(result, accepted) for result in results],
        foot="Written by floe test",
    )


def _dataset(result: Result, accepted: Collection[str]) -> _Dataset:
    problems = [*result.failed, *result.not_evaluated]
    rest = [outcome for outcome in result.expectations if outcome.outcome not in (FAIL, NOT_EVALUATED)]
    return _Dataset(
        result.dataset,
        _status(result),
        _summary(result),
        [
            ("Rows", rows_text(result)),
            ("Owner and support", ask_text(result)),
            ("Contract", f"{result.contract}:{result.version}"),
            ("Table", f"{result.location or 'not reached'}, snapshot {result.snapshot or '–'}"),
            ("Checked", result.checked_at),
            ("Score", "–" if result.score is None else f"{result.score:g} of 100"),
        ],
        [_row(outcome, result, accepted) for outcome in problems],
        [_row(outcome, result, accepted) for outcome in rest],
        plural(len(rest), "other expectation"),
    )


def _status(result: Result) -> Status:
    if not result.scope:
        return _STATUS[result.outcome]
    if result.outcome == PASS:
        return _PART
    whole = _STATUS[result.outcome]
    return whole._replace(word=f"{whole.word}, PARTIAL")


def _summary(result: Result) -> str:
    """What failed, in one sentence."""
    failed, unknown = result.failed, result.not_evaluated
    sentences = [f"{plural(len(failed), 'expectation')} failed, worst: {failed[0].message}."] if failed else []
    sentences += [f"{plural(len(unknown), 'expectation')} not evaluated."] if unknown else []
    return " ".join(sentences) or "Every expectation that was evaluated passed."


def _row(outcome: Outcome, result: Result, accepted: Collection[str]) -> _Row:
    status = _STATUS[outcome.outcome]
    if outcome.outcome == NOT_EVALUATED and outcome.id in accepted:
        status = _ACCEPTED
    samples = samples_text(outcome)
    details = [] if outcome.outcome == NOT_GATED else [values_text(outcome)]
    details += [f"e.g. {samples}"] if samples else []
    count = "–" if outcome.violations is None else f"{outcome.violations:,}"
    share = f" of {result.rows:,}" if outcome.violations and result.rows and outcome.how != "metadata" else ""
    return _Row(
        status,
        str(outcome.severity),
        f"FLOE-{outcome.code}",
        outcome.id,
        outcome.message or outcome.name,
        details,
        count + share,
    )
