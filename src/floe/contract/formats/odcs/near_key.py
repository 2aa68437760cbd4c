"""Which key of the standard was probably meant."""

import difflib
from collections.abc import Sequence

# what other formats call a thing that ODCS has under another name
_ALIASES = {
    "columns": "properties",
    "fields": "properties",
    "elements": "properties",
    "type": "logicalType",
    "datatype": "logicalType",
    "nullable": "required",
    "isnullable": "required",
    "optional": "required",
    "name": "role",
    "title": "businessName",
    "owner": "team",
    "models": "schema",
    "tables": "schema",
    "sla": "slaProperties",
    "servicelevels": "slaProperties",
    "product": "dataProduct",
    "contact": "support",
    "pii": "classification",
}


def near_key(key: str, known: Sequence[str]) -> str | None:
    """The known key that was probably meant.

    >>> near_key("physical_type", ["physicalType", "physicalName"])
    'physicalType'
    """
    names = {folded(name): name for name in known}
    if (alias := _ALIASES.get(folded(key))) in known:
        return alias
    close = difflib.get_close_matches(folded(key), names, 1, 0.7)
    return names[close[0]] if close else None


def folded(name: str) -> str:
    """A key without what people spell differently."""
    return name.replace("_", "").replace("-", "").lower()
