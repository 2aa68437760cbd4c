"""Durations and percentages in every spelling that contracts use, read exactly."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

PERCENT = "percent"
# Nominal lengths in seconds; a month is a twelfth of a year of 365 days, so that 12 months are one year.
LENGTHS = {
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86_400),
    "w": Decimal(604_800),
    "mo": Decimal(2_628_000),
    "y": Decimal(31_536_000),
}
_CALENDAR = ("mo", "y")
_SPELLINGS = {
    "ms": "ms msec msecs millis millisecond milliseconds",
    "s": "s sec secs second seconds",
    "min": "m min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
    "w": "w wk wks week weeks",
    "mo": "mo mon mos mth mths month months",
    "y": "y yr yrs year years",
    PERCENT: "% percent pct percentage",
}
_UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
_NUMBER = r"[0-9]{1,18}(?:\.[0-9]{1,18})?"
_ISO = re.compile(
    rf"P(?=[0-9T])(?:({_NUMBER})Y)?(?:({_NUMBER})M)?(?:({_NUMBER})W)?(?:({_NUMBER})D)?"
    rf"(?:T(?=[0-9])(?:({_NUMBER})H)?(?:({_NUMBER})M)?(?:({_NUMBER})S)?)?",
    re.IGNORECASE,
)
_ISO_UNITS = ("y", "mo", "w", "d", "h", "min", "s")
_PART = re.compile(rf"({_NUMBER})\s*([A-Za-z]+|%)")
_PLAIN = re.compile(_NUMBER)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount in one unit as written (`ms s min h d w mo y percent`, or empty where none is given), and the text after it."""

    amount: Decimal
    unit: str
    rest: str = ""

    @property
    def seconds(self) -> Decimal | None:
        """How long it is; months and years by their nominal length; None where it is no duration."""
        return self.amount * LENGTHS[self.unit] if self.unit in LENGTHS else None

    @property
    def percent(self) -> Decimal | None:
        """How many of a hundred; None where it is no percentage."""
        return self.amount if self.unit == PERCENT else None

    @property
    def canonical(self) -> str:
        """One text for all spellings of one quantity: the largest unit that leaves a whole number.

        >>> [parse_quantity(text).canonical for text in ("PT24H", "90m", "7 days", "18 months", "99.90%")]
        ['1d', '90min', '7d', '18mo', '99.9%']
        """
        if self.unit in LENGTHS:
            units = ("y", "mo") if self.unit in _CALENDAR else ("d", "h", "min", "s")
            length = self.amount * LENGTHS[self.unit]
            unit = next((unit for unit in units if length % LENGTHS[unit] == 0), units[-1])
            return f"{_plain(length / LENGTHS[unit])}{unit}"
        return _plain(self.amount) + ("%" if self.unit == PERCENT else "")

    @property
    def value(self) -> int | Decimal:
        """The amount as a contract writes it: whole numbers without a point."""
        return int(self.amount) if self.amount == self.amount.to_integral_value() else self.amount

    def __str__(self) -> str:
        return self.canonical


def parse_quantity(value: Any, unit: str | None = None) -> Quantity:
    """The duration or percentage of a value (and its unit); ValueError names what could not be read.

    >>> parse_quantity("PT6H") == parse_quantity(6, "hours") == parse_quantity("6h")
    True
    >>> parse_quantity("7 years per compliance")
    Quantity(amount=Decimal('7'), unit='y', rest='per compliance')
    """
    given = _unit(unit) if unit is not None else ""
    if isinstance(value, str):
        return _from_text(value.strip(), given)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError(f"{_shown(value)} is neither a number nor a text")
    return Quantity(_amount(value), given)


def _amount(value: int | float | Decimal) -> Decimal:
    amount = Decimal(str(value))
    if not amount.is_finite() or amount.is_signed() or abs(amount.adjusted()) > 18:
        raise ValueError(f"{_shown(value)} is not a number from zero upwards that can be measured")
    return amount


def _unit(word: Any) -> str:
    """The unit a word names; `M` alone could mean minutes or months.

    >>> _unit("Days"), _unit("%")
    ('d', 'percent')
    """
    if not isinstance(word, str):
        raise ValueError(f"unit {_shown(word)} is not a text")
    word = word.strip()
    if word == "M":
        raise ValueError("unit 'M' could mean minutes or months; write min or mo")
    if word.lower() not in _UNITS:
        raise ValueError(f"unit {_shown(word)} is not one of {', '.join(LENGTHS)} and percent")
    return _UNITS[word.lower()]


def _from_text(text: str, given: str) -> Quantity:
    if _PLAIN.fullmatch(text):
        return Quantity(Decimal(text), given)
    if iso := _ISO.fullmatch(text):
        parts = [(Decimal(number), unit) for number, unit in zip(iso.groups(), _ISO_UNITS, strict=True) if number]
        read, rest = _together(parts), ""
    else:
        read, rest = _spoken(text)
    if given and given != read.unit:
        raise ValueError(f"value {_shown(text)} has the unit {read.unit}, but the unit given is {given}")
    return Quantity(read.amount, read.unit, rest)


def _spoken(text: str) -> tuple[Quantity, str]:
    """`4h`, `1h 30m`, `99.9%`, or a number and unit with words after it."""
    parts: list[tuple[Decimal, str]] = []
    end = 0
    while match := _PART.match(text, end):
        if parts and match[2] != "M" and match[2].lower() not in _UNITS:
            break
        parts.append((Decimal(match[1]), _unit(match[2])))
        end = match.end()
        while end < len(text) and text[end].isspace():
            end += 1
    if not parts:
        raise ValueError(f"{_shown(text)} is not a duration or percentage, e.g. PT6H, 6h, 7 days or 99.9%")
    rest = text[end:]
    if rest[:1].isdigit() or (rest and not text[end - 1].isspace() and rest[0] not in ",;("):
        raise ValueError(f"{_shown(rest)} is unexpected in {_shown(text)}")
    return _together(parts), rest


def _together(parts: list[tuple[Decimal, str]]) -> Quantity:
    """Several parts as one amount of the smallest unit among them."""
    if len(parts) == 1:
        return Quantity(*parts[0])
    units = [unit for _, unit in parts]
    if PERCENT in units or len(set(units)) < len(units):
        raise ValueError(f"{' '.join(f'{_plain(number)}{unit}' for number, unit in parts)} is not a single duration")
    smallest = min(units, key=LENGTHS.__getitem__)
    return Quantity(sum((number * LENGTHS[unit] for number, unit in parts), Decimal()) / LENGTHS[smallest], smallest)


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown(value: Any) -> str:
    text = str(value)
    return f"'{text[:60]}…'" if len(text) > 60 else f"'{text}'"
