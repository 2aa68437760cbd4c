"""E552 value-not-listed."""

from datetime import UTC

from floe.engine.plan.expectations.expectation import Bad, row_expectation
from floe.engine.plan.expectations.out_of_range import not_finite
from floe.engine.plan.zone import zone_of
from floe.lang.sql.literals import fits, literal
from floe.model import Field


@row_expectation("E552", "value-not-listed")
def value_not_listed(value: str, field: Field) -> Bad | None:
    """A value is none of those the contract lists.

    Why: consumers branch on the list, and a new value falls through every branch.

    Fix: correct the row at its source, or list the value in a new version.
    """
    if field.values is None:
        return None
    listed = [entry for entry in field.values if entry is not None]
    possible = [literal(entry, field.type, zone_of(field) or UTC) for entry in listed if fits(entry, field.type)]
    if not possible:
        return Bad(f"{value} IS NOT NULL", listed)
    unlisted = f"{value} NOT IN ({', '.join(possible)})"
    # files are skipped by bounds that leave NaN out, which a test of its own prevents
    unfinite = not_finite(value, field)
    return Bad(f"{unlisted} OR {unfinite}" if unfinite else unlisted, listed)
