"""What a table costs, held to what it may cost: storage by its log, computing by recorded runs."""

from collections.abc import Callable, Iterable

from floe.model.claim import FileStatistics
from floe.model.outcome import answered, unmeasured
from floe.model.plan import Expectation
from floe.model.result import Outcome

Spent = Callable[[int], float | None]  # seconds of recorded runs within the last seconds, where that is known


def budgets(
    expectations: Iterable[Expectation], files: tuple[FileStatistics, ...] | None, spent: Spent
) -> list[Outcome]:
    """The outcomes of the expectations about cost; the others are left out."""
    return [_judged(one, files, spent) for one in expectations if one.budget]


def _judged(expectation: Expectation, files: tuple[FileStatistics, ...] | None, spent: Spent) -> Outcome:
    budget = expectation.budget
    assert budget is not None
    if budget.within is not None:
        taken = spent(budget.within)
        if taken is None:
            return unmeasured(expectation, "what runs took is kept by the registry, which is out of reach")
        seconds = round(taken, 3)
        said = f"Runs on '{expectation.field}' took {seconds:,} seconds, the contract allows {expectation.expected}"
        return answered(expectation, seconds <= budget.most, seconds, said)
    sizes = [file.size for file in files or ()]
    if files is None or None in sizes:
        return unmeasured(expectation, "the sizes of the table's files are not known without reading it")
    size = sum(one for one in sizes if one)
    said = f"'{expectation.field}' stores {size:,} bytes, the contract allows {expectation.expected}"
    return answered(expectation, size <= budget.most, size, said)
