"""E508 sla-dates-disordered."""

from collections.abc import Iterator
from itertools import pairwise

from floe.contract.lint.rule import rule
from floe.contract.lint.views import fold
from floe.lang.dates import parse_day
from floe.model import Contract, Message, Severity


@rule("E508", "sla-dates-disordered", Severity.WARNING, value=Contract)
def sla_dates_disordered(contract: Contract) -> Iterator[Message]:
    """The end of support is before general availability, or the end of life is before the end of support.

    Why: one of the dates is wrong, and consumers plan with them.

    Fix: order them: generalAvailability, endOfSupport, endOfLife.
    """
    order = {"generalavailability": 0, "ga": 0, "endofsupport": 1, "es": 1, "endoflife": 2, "el": 2}
    dated = [
        (order[fold(sla.property)], parse_day(sla.value), sla) for sla in contract.sla if fold(sla.property) in order
    ]
    known = sorted(((rank, day, sla) for rank, day, sla in dated if day), key=lambda entry: entry[0])
    for (rank, day, sla), (later, next_day, next_sla) in pairwise(known):
        if rank < later and next_day < day:
            yield Message(
                f"'{next_sla.property}' is before '{sla.property}'",
                f"{next_sla.property} is {next_sla.value}, {sla.property} is {sla.value}",
                "Correct one of the two dates",
                at=(*next_sla.at, "value"),
            )
