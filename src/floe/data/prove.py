"""What the statistics of files decide, without reading data: at `floe test` and at a gate's just-written files."""

from collections.abc import Iterable

from floe.model.claim import FileStatistics, violations
from floe.model.outcome import Measured, judged
from floe.model.plan import Expectation
from floe.model.result import Outcome


def prove(expectations: Iterable[Expectation], files: tuple[FileStatistics, ...]) -> list[Outcome]:
    """The outcomes of those expectations that the statistics prove or refute; the others are left out."""
    rows = row_count(files)
    return [outcome for one in expectations if (outcome := _proved(one, files, rows))]


def row_count(files: tuple[FileStatistics, ...]) -> int | None:
    """How many rows the files hold; None where the statistics of one do not say."""
    counts = [file.rows for file in files]
    return None if None in counts else sum(count for count in counts if count)


def _proved(expectation: Expectation, files: tuple[FileStatistics, ...], rows: int | None) -> Outcome | None:
    if expectation.cause or not (expectation.claims or expectation.counts):
        return None
    counts = [rows] if expectation.counts else [violations(claim, files) for claim in expectation.claims]
    if None in counts or (expectation.unit == "percent" and rows is None):
        return None
    number = sum(count for count in counts if count)
    said = f"{number:,} rows" if expectation.counts else f"Null in '{expectation.field}' in {number:,} rows"
    return judged(expectation, Measured(number, rows, said), "metadata")
