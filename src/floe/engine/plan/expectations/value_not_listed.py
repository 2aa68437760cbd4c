"""E552 value-not-listed."""

from datetime import UTC

from floe.engine.plan.expectations.expectation import Bad, row_expectation, zone_of
from floe.engine.plan.expectations.out_of_range import not_finite
from floe.lang.sql.literals import fits, literal
from floe.model import Field


@row_expectation("E552", "value-not-listed")
def value_not_listed(value: str, field: Field) -> Bad | None:
    """A value is not in the contract's list of valid values.

    Why: readers branch on the list, and no branch handles a new value.

    Fix: correct the row at its source, or list the value in a new version.
    """
    if field.values is None:
        return None
    listed = [entry for entry in field.values if entry is not None]
    possible = [literal(entry, field.type, zone_of(field) or UTC) for entry in listed if fits(entry, field.type)]
    if not possible:
        return Bad(f"{value} IS NOT NULL", listed)
    unlisted = f"{value} NOT IN ({', '.join(possible)})"
    # files are skipped by bounds that do not include NaN, which a separate test prevents
    unfinite = not_finite(value, field)
    return Bad(f"{unlisted} OR {unfinite}" if unfinite else unlisted, listed)
