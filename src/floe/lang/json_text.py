"""JSON for programs: exact numbers, no surprises."""

import json
import re
from decimal import Decimal
from typing import Any

# signs that a terminal obeys or does not show; JSON writes all of them by their number as well
_UNSEEN = re.compile("[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def dumps(data: Any, indent: int | None = None) -> str:
    """Data as JSON text; exact decimals become numbers, what JSON does not know becomes text.

    >>> dumps({"a": Decimal("1.50"), "b": Decimal(2)})
    '{"a": 1.5, "b": 2}'
    """
    text = json.dumps(data, indent=indent, ensure_ascii=False, default=_one_value)
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _one_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)


def plain(value: Any) -> Any:
    """Values as JSON holds them, numbers exactly."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, Decimal):
        whole = value == value.to_integral_value() if value.is_finite() and value.adjusted() < 40 else False
        return int(value) if whole else {"number": str(value.normalize())}
    return value
