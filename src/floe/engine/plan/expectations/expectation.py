"""What an expectation on rows is made from: a field with its column, and the words of its message."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from floe.lang.sql.literals import quote, text
from floe.model import Contract, Dataset, Field, Severity
from floe.model.claim import Claim
from floe.model.plan import Expectation


class Bad(NamedTuple):
    """SQL that is true for a bad value (null is good), the expected value, the claims that prove it, and why it cannot be evaluated."""

    sql: str
    expected: Any
    claims: tuple[Claim, ...] = ()
    cause: str | None = None


Ask = Callable[[str, Field], Bad | None]


@dataclass(frozen=True, slots=True)
class RowExpectation:
    """An expectation that a field may have on each of its values."""

    code: str
    name: str
    severity: Severity
    bad: Ask
    doc: str
    structural: bool = False


def row_expectation(
    code: str, name: str, severity: Severity = Severity.ERROR, *, structural: bool = False
) -> Callable[[Ask], RowExpectation]:
    """Make an expectation of a function from a value's SQL and its field to the SQL of a bad value, or None.

    What is structural is part of the schema: a gate refuses it whatever the level of enforcement.
    """
    return lambda ask: RowExpectation(code, name, severity, ask, ask.__doc__ or "", structural)


Wrap = Callable[[str], str]


class FieldContext(NamedTuple):
    """A dataset of a contract, and the field of a rule, with the SQL of its value.

    `wrap` makes of a condition on the value one on the row; `top` is true for a column of the table itself.
    """

    contract: Contract
    dataset: Dataset
    field: Field | None = None
    value: str = ""
    wrap: Wrap = str
    parent: str = ""

    @property
    def top(self) -> bool:
        """Whether the field is a column of the table itself."""
        return self.field is not None and not self.parent and self.value == quote(self.field.column)

    @property
    def column(self) -> str | None:
        """The SQL of the field where it has one value per row."""
        return self.value if self.field is not None and self.wrap is str else None

    @property
    def path(self) -> str:
        """How results name it."""
        return f"{self.dataset.name}.{self.field.path}" if self.field else self.dataset.name

    def find(self, name: str) -> Field | None:
        """The column of the dataset that a name means, with or without the dataset's name before it."""
        short = name.strip().removeprefix(f"{self.dataset.name}.")
        fields = self.dataset.fields
        return next((field for field in fields if short in (field.name, field.column)), None)


def rows_text(count: int) -> str:
    """So many rows."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def broken_text(expectation: Expectation, count: int) -> str:
    """The message for rows that violate an expectation."""
    if expectation.reference:
        return f"'{expectation.field}' of {rows_text(count)} has no match in '{expectation.reference}'"
    if expectation.key:
        return f"'{expectation.field}' is duplicated in {rows_text(count)}"
    if expectation.name == "null-value":
        return f"Null in required field '{expectation.field}'"
    if expectation.code == "E550":
        return f"'{expectation.field}' is missing in {rows_text(count)}, the contract requires {expectation.expected}"
    return f"Values of '{expectation.field}' are not {_wanted(expectation)}"


def _wanted(expectation: Expectation) -> str:
    if ":quality." in expectation.id:
        return f"valid under the rule '{expectation.name}'"
    listed = expectation.expected
    return f"among {', '.join(map(str, listed))}" if isinstance(listed, list) else str(listed)


def zone_of(field: Field) -> tzinfo | None:
    """The zone that a field declares, else UTC; None where there is no zone of that name."""
    named = field.options.get("defaultTimezone")
    if named is None:
        return UTC
    try:
        return ZoneInfo(str(named))
    except (ValueError, OSError, LookupError):
        return None


def zone_name(field: Field) -> str | None:
    """The same by its name."""
    return None if zone_of(field) is None else str(field.options.get("defaultTimezone") or "UTC")


def utc_parts(value: str, zone: str, unit: int) -> str:
    """SQL of a time without a zone, meant in `zone`, as whole units (so many a second) since 1970 in UTC.

    Functions that take two moments, as `timestampdiff` does, would cast it in the session's zone, where an hour a year is missing.
    """
    at = f"convert_timezone({text(zone)}, 'UTC', {value})"
    parts = [(f"unix_date(CAST({at} AS DATE))", 86_400), (f"hour({at})", 3600), (f"minute({at})", 60)]
    whole = " + ".join(f"{part} * {seconds * unit}L" for part, seconds in parts)
    return f"({whole} + CAST(floor(extract(SECOND FROM {at}) * {unit}) AS BIGINT))"
