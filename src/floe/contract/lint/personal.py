"""Which columns hold personal or health data: by name, tag or format."""

import re

from floe.model import Field

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# words of a name, in this order and side by side
PII = (
    *("email", "e mail", "phone", "telephone", "msisdn", "mobile number", "mobile phone", "cell phone", "fax"),
    *("card number", "card no", "card num", "credit card", "creditcard", "cc number", "pan", "iban", "bic iban"),
    *("ssn", "social security", "national id", "passport", "tax id", "drivers license", "driver license"),
    *("first name", "last name", "full name", "maiden name", "surname", "date of birth", "birth date", "birthdate"),
    *("dob", "street", "street address", "home address", "postal address", "address", "ip address"),
)
PHI = (
    *("diagnosis", "diagnoses", "diagnosis code", "icd", "icd 10", "patient id", "patient number", "patient name"),
    *("mrn", "medical record", "medical record number", "health insurance"),
)
# a name that ends or begins so speaks about the data, and does not hold it
_ABOUT = frozenset(
    [
        "count",
        "cnt",
        "at",
        "date",
        "ts",
        "time",
        "flag",
        "status",
        "sent",
        "verified",
        "valid",
        "validated",
        "type",
        "kind",
        "length",
        "len",
        "domain",
        "opened",
        "clicked",
        "bounced",
        "total",
        "rate",
        "ratio",
        "score",
        "opt",
        "consent",
        "enabled",
        "template",
        "present",
        "missing",
        "changed",
        "hint",
        "label",
        "format",
    ]
)
_ASKING = ("is", "has", "num", "count", "n", "was", "can")
_OF_DATA = ("date of birth", "birth date")
_FORMATS = {"email": PII, "idn-email": PII, "phone": PII, "iban": PII, "ssn": PII, "credit-card": PII}
_WORDS = {"pii": PII + PHI, "phi": PHI}


def holds(field: Field, what: str) -> bool:
    """Whether a column looks as if it held `pii` or `phi`."""
    tags = {str(tag).lower() for tag in field.node.get("tags") or ()}
    if tags & ({"pii", "phi"} if what == "pii" else {"phi"}):
        return True
    if what == "pii" and str(field.options.get("format") or "").lower() in _FORMATS:
        return True
    return named(field.name or field.column, what)


def named(name: str, what: str) -> bool:
    """Whether a name says so.

    >>> [named(name, "pii") for name in ("email", "customerEmail", "emailed_at", "phonetic", "address_count")]
    [True, True, False, False, False]
    """
    words = [word.lower() for word in _PARTS.findall(name)]
    if not words or words[0] in _ASKING:
        return False
    text = f" {' '.join(words)} "
    found = [phrase for phrase in _WORDS[what] if f" {phrase} " in text]
    if words[-1] in _ABOUT and not any(phrase in _OF_DATA for phrase in found):
        return False
    return bool(found)
