"""What it means that one type becomes another: section D of docs/design/compatibility.md, with the verdicts of the formats."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from floe.model.change import FORMATS, Bump, Impact
from floe.model.types import SECOND_DIGITS, Array, Atomic, Decimal, Family, MapOf, Struct, Text, Type

ALLOWED, REJECTED, NOT_APPLICABLE = "allowed", "rejected", "not_applicable"
_WORDS = {"+": ALLOWED, "-": REJECTED, ".": NOT_APPLICABLE}
_IMPACTS = {
    "widening": (Impact.RISK, Impact.BREAK),
    "narrowing": (Impact.OK, Impact.BREAK),
    "incompatible": (Impact.BREAK, Impact.BREAK),
    "alias": (Impact.OK, Impact.OK),
}
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_TIMES = ("date", "timestamp", "timestamp_ntz", "time")
# the integer digits that a decimal needs so that Delta widens an integer into it
_DIGITS = {"tinyint": 10, "smallint": 10, "int": 10, "bigint": 20}
# types that a format does not have
_MISSING = {
    "delta": ("time", "interval"),
    "iceberg_v2": ("tinyint", "smallint", "interval", "variant"),
    "iceberg_v3": ("tinyint", "smallint", "interval"),
    "avro": ("tinyint", "smallint", "interval", "variant"),
}


@dataclass(frozen=True, slots=True)
class TypeVerdict:
    """What a change of type asks for, and what Delta, Iceberg and Avro say of it."""

    row: str
    klass: str
    bump: Bump
    reader: Impact
    writer: Impact
    formats: Mapping[str, str]


def _verdict(row: str, klass: str, marks: str, bump: Bump = Bump.MAJOR) -> TypeVerdict:
    """A verdict from four marks: + allowed, - rejected, . not applicable, in the order of FORMATS."""
    reader, writer = _IMPACTS[klass]
    return TypeVerdict(row, klass, bump, reader, writer, dict(zip(FORMATS, (_WORDS[m] for m in marks), strict=True)))


_SHAPES = _verdict("D17", "incompatible", "----")
_OTHER = _verdict("D22", "incompatible", "----")
_LOOSER = TypeVerdict(
    "D13", "length bound", Bump.MINOR, Impact.BREAK, Impact.OK, dict.fromkeys(FORMATS, NOT_APPLICABLE)
)
_TIGHTER = replace(_LOOSER, bump=Bump.MAJOR, reader=Impact.OK, writer=Impact.BREAK)
_LENGTH = _verdict("D14", "incompatible", "----")
_DIGITS_OF_A_SECOND = _verdict("D12", "incompatible", "...-")


def _pairs() -> dict[tuple[str, str], TypeVerdict]:
    """The pairs of types without parameters that have a row of their own, in both directions."""
    up = [(a, b) for i, a in enumerate(_INTEGERS) for b in _INTEGERS[i + 1 :]]
    small, short = ("tinyint", "smallint", "int"), ("tinyint", "smallint")
    widening = {
        **{pair: _verdict("D1", "widening", "++++") for pair in up},
        ("float", "double"): _verdict("D2", "widening", "++++"),
        **{(name, "double"): _verdict("D3", "widening", "+--+") for name in small},
        ("date", "timestamp_ntz"): _verdict("D10", "widening", "+-+-"),
    }
    others = {
        **{(name, "float"): _verdict("D4", "incompatible", "---+") for name in short},
        ("int", "float"): _verdict("D5", "incompatible", "---+"),
        ("bigint", "float"): _verdict("D5", "incompatible", "---+"),
        ("bigint", "double"): _verdict("D5", "incompatible", "---+"),
    }
    back = {(b, a): _verdict(one.row, "narrowing", "----") for (a, b), one in widening.items()}
    lossy = {(b, a): _verdict(one.row, "incompatible", "----") for (a, b), one in others.items()}
    times = {(a, b): _verdict("D11", "incompatible", "----") for a in _TIMES for b in _TIMES if a != b}
    return {**times, **back, **lossy, **widening, **others}


_PAIRS = _pairs()


def compared(old: Type, new: Type) -> TypeVerdict | None:
    """What it means that one type becomes another; nothing for the same type and for containers of the same shape.

    >>> compared(Atomic("int"), Atomic("bigint")).row, compared(Atomic("int"), Atomic("int"))
    ('D1', None)
    """
    match old, new:
        case (Array(), Array()) | (MapOf(), MapOf()) | (Struct(), Struct()):
            return None
        case Atomic(), Atomic() if old == new:
            return _sizes(old, new)
    return None if old == new else _different(old, new)


@lru_cache(maxsize=4096)
def _different(old: Type, new: Type) -> TypeVerdict:
    """The verdict on two unlike types, as far as each format has them."""
    found = _general(old, new) or _unlike(old, new)
    absent = {name for name in FORMATS if {str(old), str(new)} & set(_MISSING[name])}
    if found.row == "D4" and new == Atomic("float"):
        absent.discard("avro")  # where a byte is an int
    formats = {name: NOT_APPLICABLE if name in absent else verdict for name, verdict in found.formats.items()}
    return replace(found, formats=formats)


def _general(old: Type, new: Type) -> TypeVerdict | None:
    """The rows that hold whatever the other type is."""
    if old == Atomic("void"):
        return _verdict("D23", "widening", "+-+.")
    if isinstance(old, Family) or isinstance(new, Family):
        return _family(old, new)
    if isinstance(old, Array | MapOf | Struct) or isinstance(new, Array | MapOf | Struct):
        return _SHAPES
    return None


def _family(old: Type, new: Type) -> TypeVerdict | None:
    """Families against their members and one another."""
    if isinstance(old, Family) and old.has(new):
        return _verdict("D22", "alias", "....", Bump.PATCH)
    if isinstance(new, Family) and new.has(old):
        return _verdict("D22", "widening", "....")
    match _number(old), _number(new):
        case "integer", "number":
            return _verdict("D21", "widening", "....")
        case "number", "integer":
            return _verdict("D21", "narrowing", "....")
    return _SHAPES if _is_shape(old) or _is_shape(new) else None


def _number(type_: Type) -> str | None:
    """Whether a type is some integer or some other number."""
    match type_:
        case Family("integer") | Atomic("tinyint" | "smallint" | "int" | "bigint"):
            return "integer"
        case Family("number" | "decimal") | Atomic("float" | "double") | Decimal():
            return "number"
    return None


def _is_shape(type_: Type) -> bool:
    match type_:
        case Family(name):
            return name in ("array", "map", "object")
        case Array() | MapOf() | Struct():
            return True
    return False


def _unlike(old: Type, new: Type) -> TypeVerdict:
    """Two scalar types that are not the same."""
    match old, new:
        case (Text(), Text()) | (Text(), Atomic("string")) | (Atomic("string"), Text()):
            return _texts(old, new)
        case (Text() | Atomic("string"), Atomic("binary")) | (Atomic("binary"), Text() | Atomic("string")):
            return _verdict("D15", "incompatible", "---+")
        case (Text() | Atomic("string" | "boolean"), _) | (_, Text() | Atomic("string" | "boolean")):
            return _verdict("D16", "incompatible", "----")
        case Decimal(), Decimal():
            return _decimals(old, new)
        case (Decimal(), _) | (_, Decimal()):
            return _with_decimal(old, new)
        case Atomic(one), Atomic(other):
            return _PAIRS.get((one, other), _OTHER)
    return _OTHER


def _texts(old: Type, new: Type) -> TypeVerdict:
    """Bounded texts are bounds; fixed ones are stored as wide as they are."""
    match old, new:
        case (Text("char"), _) | (_, Text("char")):
            return _LENGTH
        case Text(length=one), Text(length=other):
            return _LOOSER if other > one else _TIGHTER
        case Text(), _:
            return _LOOSER
    return _TIGHTER


def _decimals(old: Decimal, new: Decimal) -> TypeVerdict:
    if new.scale == old.scale and new.precision > old.precision:
        return _verdict("D6", "widening", "++++")
    if new.scale > old.scale and new.precision - new.scale >= old.precision - old.scale:
        return _verdict("D7", "widening", "+---")
    return _verdict("D8", "narrowing", "----")


def _with_decimal(old: Type, new: Type) -> TypeVerdict:
    """A decimal against another number."""
    match old, new:
        case Atomic(name), Decimal(precision, scale) if name in _INTEGERS:
            fits = precision - scale >= _DIGITS[name]
            return _verdict("D9", "widening" if fits else "incompatible", "+---" if fits else "----")
        case Decimal(precision, scale), Atomic(name) if name in _INTEGERS:
            fits = precision - scale >= _DIGITS[name]
            return _verdict("D9", "narrowing" if fits else "incompatible", "----")
        case (Atomic("float" | "double"), _) | (_, Atomic("float" | "double")):
            return _verdict("D5", "incompatible", "----")
    return _OTHER


def _sizes(old: Atomic, new: Atomic) -> TypeVerdict | None:
    """The same type with another number beside it: digits of a second, bytes of a binary."""
    if old.name in _TIMES:
        same = (old.size or SECOND_DIGITS, old.size == 0) == (new.size or SECOND_DIGITS, new.size == 0)
        return None if same else _DIGITS_OF_A_SECOND
    if (old.size, old.fixed) == (new.size, new.fixed):
        return None
    if old.fixed or new.fixed:
        return _LENGTH
    return _LOOSER if new.size is None or (old.size is not None and new.size > old.size) else _TIGHTER


def lengths(old: int | None, new: int | None) -> TypeVerdict:
    """The verdict on a bounded text by its longest value, wherever the bound is written; None is no bound.

    >>> lengths(10, 10).bump.name, lengths(10, None).bump.name, lengths(10, 9).bump.name
    ('PATCH', 'MINOR', 'MAJOR')
    """
    if old == new:
        return replace(_LOOSER, bump=Bump.PATCH, klass="alias", reader=Impact.OK)
    return _LOOSER if new is None or (old is not None and new > old) else _TIGHTER


def of_key(verdict: TypeVerdict) -> TypeVerdict:
    """The verdict on a map's key: Avro's keys are strings, whatever else it would allow."""
    return replace(verdict, formats={**verdict.formats, "avro": REJECTED})
