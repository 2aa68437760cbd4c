"""E553 format-mismatch."""

from floe.engine.plan.expectations.expectation import Bad, row_expectation
from floe.lang.sql.literals import text
from floe.model import Field
from floe.model.types import Atomic, Text

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
