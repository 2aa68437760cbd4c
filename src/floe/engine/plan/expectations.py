"""Expectations on values: for each kind a function from a field to SQL that is true for a bad value, with claims that prove it.

Patterns are at the end: they cost more than all other rules on rows, so frequent values are matched once, while Spark plans.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal as Number
from typing import Any, NamedTuple, TypeGuard
from zoneinfo import ZoneInfo

from floe.lang.regex.cost import backtracking_risk
from floe.lang.regex.pattern import parse_pattern
from floe.lang.sql.literals import compared, fits, literal, moment, quote, text
from floe.model import Contract, Dataset, Field, Severity
from floe.model.plan import Claim, Expectation, ForeignKey, RowRule, UniqueKey
from floe.model.types import Array, Atomic, Decimal, Family, MapOf, Struct, Text, Type


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

    `path` is how results name it; `wrap` makes of a condition on the value one on the row; `top` is true for a column of
    the table itself.
    """

    contract: Contract
    dataset: Dataset
    path: str
    field: Field | None = None
    value: str = ""
    wrap: Wrap = str
    parent: str = ""
    top: bool = False

    @property
    def column(self) -> str | None:
        """The SQL of the field where it has one value per row."""
        return self.value if self.field is not None and self.wrap is str else None

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
    match expectation.check:
        case ForeignKey(target=target):
            return f"'{expectation.field}' of {rows_text(count)} has no match in '{target}'"
        case UniqueKey():
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


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Delta keeps milliseconds of a timestamp in its statistics
_CUT = timedelta(milliseconds=1)


@row_expectation("E554", "below-minimum")
def below_minimum(value: str, field: Field) -> Bad | None:
    """A value is below the contract's minimum, or is not a finite number.

    Why: readers size, bin and divide by the minimum.

    Fix: correct the row at its source, or lower the minimum in a new version.
    """
    return _beyond(value, field, ("minimum", "<", ">="), ("exclusiveMinimum", "<=", ">"))


@row_expectation("E554", "above-maximum")
def above_maximum(value: str, field: Field) -> Bad | None:
    """A value is above the contract's maximum, or is not a finite number.

    Why: readers size, bin and divide by the maximum.

    Fix: correct the row at its source, or raise the maximum in a new version.
    """
    return _beyond(value, field, ("maximum", ">", "<="), ("exclusiveMaximum", ">=", "<"))


def _beyond(value: str, field: Field, *bounds: tuple[str, str, str]) -> Bad | None:
    tests = [(field.options[key], bad, good) for key, bad, good in bounds if field.options.get(key) is not None]
    if not tests:
        return None
    unread = next((bound for bound, _, _ in tests if not fits(bound, field.type)), None)
    if unread is not None:
        return Bad("", str(unread), cause=f"the bound '{unread}' is not of type {field.type}")
    zone = zone_of(field)
    if zone is None:
        return Bad("", "", cause=f"there is no time zone '{field.options.get('defaultTimezone')}'")
    conditions = [compared(value, bad, bound, field.type, zone) for bound, bad, _ in tests]
    conditions += [unfinite] if (unfinite := not_finite(value, field)) else []
    claims = tuple(claim for bound, _, good in tests if (claim := _claim(field, bound, good)))
    expected = " and ".join(f"{good} {bound}" for bound, _, good in tests)
    return Bad(" OR ".join(conditions), expected, claims if len(claims) == len(tests) else ())


def not_finite(value: str, field: Field) -> str | None:
    """What is true for NaN and infinity, where a type has them: Spark holds NaN to be greater than everything."""
    if field.type in (Atomic("float"), Atomic("double")):
        return f"isnan({value}) OR abs({value}) = double('Infinity')"
    if field.type == Family("number"):
        return f"isnan(CAST({value} AS DOUBLE)) OR abs(CAST({value} AS DOUBLE)) = double('Infinity')"
    return None


def _claim(field: Field, bound: Any, good: str) -> Claim | None:
    """What bounds of a file prove; only for types whose bounds are exact, or whose error is known."""
    kind = "at_least" if good.startswith(">") else "at_most"
    strict = "=" not in good
    match field.type, bound:
        case (Atomic("tinyint" | "smallint" | "int" | "bigint") | Decimal(), int() | Number()) if not isinstance(
            bound, bool
        ):
            return Claim(kind, field.column, bound, strict)
        case Atomic("date"), str():
            try:
                return Claim(kind, field.column, date.fromisoformat(bound), strict)
            except ValueError:
                return None
        case Atomic("timestamp"), str():
            return _moment_claim(field, bound, kind, strict)
    return None


def _moment_claim(field: Field, bound: str, kind: str, strict: bool) -> Claim | None:
    """A claim that stays true where the statistics were cut to milliseconds, towards 1970 or downwards."""
    at = moment(bound, zone_of(field) or UTC)
    if at is None:
        return None
    try:
        if kind == "at_most":
            return Claim(kind, field.column, at - _CUT, strict)
        return Claim(kind, field.column, at if at > _EPOCH else at + _CUT, strict)
    except OverflowError:
        return None


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


# powers of two and five that a BIGINT holds, and that are more than the digits of a double
_MOST_TWOS, _MOST_FIVES = 62, 26
_POWERS_OF_FIVE = f"array({', '.join(f'{5**power}L' for power in range(_MOST_FIVES + 1))})"


@row_expectation("E554", "not-multiple")
def not_multiple(value: str, field: Field) -> Bad | None:
    """A number is not a multiple of the contract's multipleOf.

    Why: readers count in these steps, such as cents or boxes of twelve.

    Fix: correct the row at its source, or require a smaller step in a new version.
    """
    step = field.options.get("multipleOf")
    if step is None:
        return None
    exact = Decimal(38, 18)
    if not fits(step, exact) or float(step) <= 0:
        return Bad("", str(step), cause=f"'multipleOf' must be a number above zero, it is '{step}'")
    whole = f"{value} % {literal(step, exact)} <> 0"
    match field.type:
        case Atomic("tinyint" | "smallint" | "int" | "bigint") | Decimal() | Family("integer" | "decimal"):
            bad = whole
        case Atomic("float" | "double"):
            bad = _floating(value, field, step)
        case Family("number"):
            bad = f"CASE WHEN typeof({value}) LIKE 'decimal%' THEN {whole} ELSE {_floating(value, field, step)} END"
        case _:
            return Bad("", str(step), cause=f"'multipleOf' applies to numbers, the type is {field.type}")
    # a value that the check cannot answer for is no multiple; where there is no value, there is nothing to answer for
    return Bad(f"{value} IS NOT NULL AND coalesce({bad}, true)", f"a multiple of {step}")


def _floating(value: str, field: Field, step: object) -> str:
    return f"{not_finite(value, field)} OR {_as_written(value, step)}"


def _as_written(value: str, step: object) -> str:
    """A double is taken as it is written: digits and a power of ten, whatever its size.

    The step is rest * 2^twos * 5^fives * 10^exponent. So digits * 10^power is a multiple of it where rest divides the
    digits, and where the digits have the twos and the fives that 10^(power - exponent) lacks. A double has 17 digits at
    most: a power of two or five that is cut to what a BIGINT holds is still more than they can have.
    """
    _, figures, exponent = Number(str(step).strip()).as_tuple()
    rest, twos, fives = int("".join(map(str, figures))), 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    written = f"CAST({value} AS STRING)"
    front = f"substring_index({written}, 'E', 1)"
    digits = f"try_cast(replace({front}, '.', '') AS BIGINT)"
    said = f"if({written} LIKE '%E%', try_cast(substring_index({written}, 'E', -1) AS INT), 0)"
    tens = f"({said} - length(substring_index({front}, '.', -1)) - ({exponent}))"
    tests = [
        f"{digits} % shiftleft(1L, {_lacking(tens, twos, _MOST_TWOS)}) <> 0",
        f"{digits} % element_at({_POWERS_OF_FIVE}, 1 + {_lacking(tens, fives, _MOST_FIVES)}) <> 0",
    ]
    tests += [f"{digits} % {rest}BD <> 0"] if rest > 1 else []
    return f"({' OR '.join(tests)})"


def _lacking(tens: str, wanted: int, most: int) -> str:
    """How many of a prime factor the digits must have, where the tens have the others."""
    return f"least({most}, greatest(0, {wanted} - {tens}))"


@row_expectation("E551", "item-repeated")
def item_repeated(value: str, field: Field) -> Bad | None:
    """An array contains an element twice, where the contract requires unique elements.

    Why: readers that explode the array or use it as a set count twice.

    Fix: correct the row at its source, or drop uniqueItems in a new version.
    """
    if field.options.get("uniqueItems") is not True:
        return None
    if not isinstance(field.type, Array) or _holds_map(field.type.element):
        return Bad("", "", cause=f"elements of {field.type} cannot be compared")
    items = f"array_compact({value})"
    return Bad(f"array_size(array_distinct({items})) < array_size({items})", "no element twice")


def _holds_map(type_: Type) -> bool:
    match type_:
        case MapOf():
            return True
        case Array(element):
            return _holds_map(element)
        case Struct(members):
            return any(_holds_map(member.type) for member in members)
    return False


# a pattern that only excludes characters: half the cost with the same result, because none of them ends a line
_WITHOUT = re.compile(r'\^\[\^([@#;,:!~"/<>=_0-9]{1,4})\]\*\\z')


@row_expectation("E553", "pattern-mismatch")
def pattern_mismatch(value: str, field: Field) -> Bad | None:
    """A value does not match the contract's pattern.

    Why: readers parse, join and route by the pattern.

    Fix: correct the row at its source, or widen the pattern in a new version.
    """
    pattern = field.options.get("pattern")
    if not isinstance(pattern, str):
        return None
    java, cause = java_pattern(pattern)
    return Bad(unmatched(value, java), pattern) if java is not None else Bad("", pattern, cause=cause)


def unmatched(value: str, java: str) -> str:
    r"""That a value does not match a pattern.

    >>> print(unmatched("`a`", r"^[^,;]*\z"), "|", unmatched("`a`", "^[a-z]"))
    (contains(`a`, ',') OR contains(`a`, ';')) | NOT `a` RLIKE '^[a-z]'
    """
    without = _WITHOUT.fullmatch(java)
    if without:
        return f"({' OR '.join(f'contains({value}, {text(sign)})' for sign in without[1])})"
    return f"NOT {value} RLIKE {text(java)}"


def java_pattern(pattern: str) -> tuple[str | None, str | None]:
    """A pattern of the standard as Java searches it, or why it is not searched there."""
    try:
        found = parse_pattern(pattern)
    except ValueError as error:
        return None, f"the pattern '{pattern}' is not valid: {error}"
    if (slow := backtracking_risk(found)) and slow[1]:
        return None, f"the pattern '{pattern}' can hang: {slow[0]}"
    return found.java, None if found.java is not None else f"the pattern '{pattern}' cannot be translated to Java"


_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_V4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_H = "[0-9A-Fa-f]{1,4}"
_LAST = f"(?:{_H}:{_H}|{_V4})"
_IPV6 = "|".join(
    [
        f"(?:{_H}:){{6}}{_LAST}",
        f"::(?:{_H}:){{5}}{_LAST}",
        f"(?:{_H})?::(?:{_H}:){{4}}{_LAST}",
        f"(?:(?:{_H}:){{0,1}}{_H})?::(?:{_H}:){{3}}{_LAST}",
        f"(?:(?:{_H}:){{0,2}}{_H})?::(?:{_H}:){{2}}{_LAST}",
        f"(?:(?:{_H}:){{0,3}}{_H})?::{_H}:{_LAST}",
        f"(?:(?:{_H}:){{0,4}}{_H})?::{_LAST}",
        f"(?:(?:{_H}:){{0,5}}{_H})?::{_H}",
        f"(?:(?:{_H}:){{0,6}}{_H})?::",
    ]
)
_CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:[.][0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_ATOM = "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+"
# what a text of a format must match as a whole; {} is the value
_WHOLE = {
    "uuid": "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "ipv4": _V4,
    "ipv6": f"(?:{_IPV6})",
    "time": _CLOCK,
    "date": _DAY,
    "date-time": f"{_DAY}[Tt ]{_CLOCK}",
    "hostname": rf"{_LABEL}(?:\.{_LABEL})*",
    "email": rf"{_ATOM}@{_LABEL}(?:\.{_LABEL})*",
    "uri": "[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=%-]*",
    "byte": "[A-Za-z0-9+/]*={0,2}",
}
# what else must be true of it; a text longer than its format allows is not searched, for Java's stack is short
_ALSO = {
    "ipv4": "length({}) <= 15",
    "ipv6": "length({}) <= 45",
    "hostname": "length({}) <= 253",
    "email": "length({}) <= 320",
    "date": "try_cast({} AS DATE) IS NOT NULL",
    "date-time": "try_cast(substring({}, 1, 10) AS DATE) IS NOT NULL",
    "uri": "NOT {} RLIKE '%(?![0-9A-Fa-f][0-9A-Fa-f])'",
    "byte": "length({}) % 4 = 0",
}
# formats of the presentation or storage of a text, not of its content
_ANY = ("password", "binary", "text", "string")
_SPELLINGS = {"datetime": "date-time", "timestamp": "date-time", "url": "uri", "ip": "ipv4", "base64": "byte"}


@row_expectation("E553", "format-mismatch")
def format_mismatch(value: str, field: Field) -> Bad | None:
    """A text does not have the format that the contract requires, such as uuid or email.

    Why: readers parse, send to and look up such values.

    Fix: correct the row at its source, or require another format in a new version.
    """
    named = field.options.get("format")
    is_text = field.type == Atomic("string") or isinstance(field.type, Text)
    if named is None or not is_text or str(named).lower() in _ANY:
        return None
    form = _SPELLINGS.get(str(named).lower(), str(named).lower())
    if form not in _WHOLE:
        return Bad("", str(named), cause=f"the format '{named}' of text is unknown; use a pattern")
    tests = [test.format(value) for named_form, test in _ALSO.items() if named_form == form]
    tests.append(f"{value} RLIKE {text(f'^{_WHOLE[form]}' + chr(92) + 'z')}")
    return Bad(f"{value} IS NOT NULL AND NOT ({' AND '.join(tests)})", f"of the format {named}")


@row_expectation("E554", "too-short")
def too_short(value: str, field: Field) -> Bad | None:
    """A text, array or map is shorter than the contract's minimum length.

    Why: readers cut and index by this length.

    Fix: correct the row at its source, or lower the minimum in a new version.
    """
    least = _option(field, "min")
    if not _is_count(least):
        return None
    return _unmeasured(field, least) or Bad(f"{_length(value, field)} < {least}", _said("at least", least, field))


@row_expectation("E554", "too-long")
def too_long(value: str, field: Field) -> Bad | None:
    """A text, array or map is longer than the contract's maximum length.

    Why: readers reserve space for this length, and cut longer values or fail.

    Fix: correct the row at its source, or raise the maximum in a new version.
    """
    most = _option(field, "max")
    if not _is_count(most) or (isinstance(field.type, Text) and most >= field.type.length):
        return None
    return _unmeasured(field, most) or Bad(f"{_length(value, field)} > {most}", _said("at most", most, field))


@row_expectation("E554", "too-long-for-type", Severity.CRITICAL, structural=True)
def too_long_for_type(value: str, field: Field) -> Bad | None:
    """A text is longer than its type char(n) or varchar(n) allows.

    Why: some tables refuse the row, others store what their type does not allow, and readers cut it.

    Fix: correct the row at its source, or widen the type in a new version.
    """
    if not isinstance(field.type, Text):
        return None
    most = field.type.length
    return Bad(f"{_length(value, field)} > {most}", _said("at most", most, field))


def _option(field: Field, end: str) -> Any:
    """How long it may be: `minItems`, `minProperties` or `minLength`, by what it is."""
    words = {Array: "Items", MapOf: "Properties", Struct: "Properties", Family: "Properties"}
    found = field.options.get(f"{end}{words.get(type(field.type), 'Length')}")
    return found if found is not None or not isinstance(field.type, Family) else field.options.get(f"{end}Items")


def _unmeasured(field: Field, count: Any) -> Bad | None:
    """A struct has all its members in every row, so they cannot be counted."""
    if isinstance(field.type, Struct | Family):
        return Bad("", str(count), cause=f"a struct such as {field.type} has all its members in every row")
    return None


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _said(bound: str, count: Any, field: Field) -> str:
    unit = "byte" if field.type == Atomic("binary") else "character"
    if isinstance(field.type, Array | MapOf):
        unit = "item"
    return f"{bound} {count} {unit}{'' if count == 1 else 's'} long"


def _length(value: str, field: Field) -> str:
    # `size` of null is -1 without ANSI mode, `array_size` is null
    if isinstance(field.type, Array):
        return f"array_size({value})"
    if isinstance(field.type, MapOf):
        return f"array_size(map_keys({value}))"
    return f"length({value})" if field.type == Atomic("binary") else f"char_length({value})"


_NAME = "`(?:[^`]|``)+`"
_SEARCH = re.compile(
    rf"(?:(?P<there>{_NAME}) IS NOT NULL AND \()?NOT (?P<name>{_NAME}) (?P<like>RLIKE '[^']*')(?(there)\))"
)


def searches(sql: str) -> bool:
    """Whether a rule searches the text of every row.

    >>> searches("NOT `a` RLIKE '^x'"), searches("`a` > 1"), searches(with_precomputed_values("NOT `a` RLIKE '^x'", {"a": ("x",)}))
    (True, False, False)
    """
    return " RLIKE " in sql and not sql.startswith("CASE ")


def estimated_code_size(sql: str) -> int:
    """About as many characters as a rule's code is made of: answers that are found in planning make none.

    >>> estimated_code_size("`a` > 1"), estimated_code_size(with_precomputed_values("NOT `a` RLIKE '^x'", {"a": ("x", "y")}))
    (7, 102)
    """
    known = sql.count(" WHEN ") if sql.startswith("CASE ") else 0
    return len(sql.rpartition(" ELSE ")[2]) + 40 * known


def regex_columns(rules: Iterable[Expectation], masked: Collection[str]) -> set[str]:
    """The columns that rules use only in patterns, and whose values may be part of a query."""
    found = (_search(expectation.check.sql) for expectation in rules if isinstance(expectation.check, RowRule))
    return {match["name"][1:-1].replace("``", "`") for match in found if match} - set(masked)


def _search(sql: str) -> re.Match[str] | None:
    match = _SEARCH.fullmatch(sql)
    return match if match and match["there"] in (None, match["name"]) else None


def with_precomputed_values(sql: str, common: Mapping[str, Sequence[str]]) -> str:
    """A rule with the same result for every row; for frequent values Spark computes it once, when it plans the query.

    >>> with_precomputed_values("NOT `a` RLIKE '^x'", {"a": ("x", "y")})
    "CASE `a` WHEN 'x' THEN NOT 'x' RLIKE '^x' WHEN 'y' THEN NOT 'y' RLIKE '^x' ELSE NOT `a` RLIKE '^x' END"
    >>> with_precomputed_values("`a` > 1", {"a": ("x",)})
    '`a` > 1'
    """
    match = _search(sql)
    values = next((values for name, values in common.items() if match and match["name"] == quote(name)), ())
    if not match or not values:
        return sql
    known = " ".join(f"WHEN {text(name)} THEN NOT {text(name)} {match['like']}" for name in values)
    return f"CASE {match['name']} {known} ELSE {sql} END"


EXPECTATIONS = (
    value_not_listed,
    below_minimum,
    above_maximum,
    too_short,
    too_long,
    too_long_for_type,
    pattern_mismatch,
    format_mismatch,
    not_multiple,
    item_repeated,
)
