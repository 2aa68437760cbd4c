"""What a table costs, held to what it may cost: storage by its log, computing by recorded runs."""

from collections.abc import Callable, Iterable

from floe.model.claim import FileStatistics
from floe.model.outcome import answered, not_evaluated
from floe.model.plan import CostBudget, Expectation
from floe.model.result import Outcome

Spent = Callable[[int], float | None]  # seconds of recorded runs within the last seconds, where that is known


def budgets(
    expectations: Iterable[Expectation], files: tuple[FileStatistics, ...] | None, spent: Spent
) -> list[Outcome]:
    """The outcomes of the expectations about cost; the others are left out."""
    return [
        _judged(expectation, expectation.check, files, spent)
        for expectation in expectations
        if isinstance(expectation.check, CostBudget)
    ]


def _judged(
    expectation: Expectation, budget: CostBudget, files: tuple[FileStatistics, ...] | None, spent: Spent
) -> Outcome:
    if budget.within is not None:
        taken = spent(budget.within)
        if taken is None:
            return not_evaluated(
                expectation, "the recorded run times are not available, because the registry is out of reach"
            )
        seconds = round(taken, 3)
        said = f"Runs on '{expectation.field}' took {seconds:,} seconds, the contract allows {expectation.expected}"
        return answered(expectation, seconds <= budget.most, seconds, said)
    sizes = [file.size for file in files or ()]
    if files is None or None in sizes:
        return not_evaluated(expectation, "the sizes of the table's files are unknown without reading it")
    size = sum(number for number in sizes if number)
    said = f"'{expectation.field}' stores {size:,} bytes, the contract allows {expectation.expected}"
    return answered(expectation, size <= budget.most, size, said)
