"""Results as workflow commands, which GitHub shows on the page of a run."""

from collections.abc import Collection, Sequence

from floe.model import Severity
from floe.model.result import Result
from floe.reports.github.findings import command
from floe.reports.text.result import rows_text, samples_text, values_text


def result_github(results: Sequence[Result], accepted: Collection[str], fail_on: Severity) -> str:
    """One command for each expectation that failed or was not evaluated, and one for each partial result."""
    return "\n".join(line for result in results for line in _lines(result, accepted, fail_on))


def _lines(result: Result, accepted: Collection[str], fail_on: Severity) -> list[str]:
    partial = [command("warning", [("title", f"{result.dataset}: PARTIAL")], rows_text(result))] if result.scope else []
    broken = [("error" if outcome.severity >= fail_on else "warning", outcome) for outcome in result.failed]
    unknown = [("notice" if outcome.id in accepted else "error", outcome) for outcome in result.not_evaluated]
    said = []
    for kind, one in (*broken, *unknown):
        samples = samples_text(one)
        text = ". ".join([one.message, values_text(one), *([f"e.g. {samples}"] if samples else [])])
        said.append(command(kind, [("title", f"{result.dataset}: FLOE-{one.code} {one.name}")], text))
    return [*partial, *said]
