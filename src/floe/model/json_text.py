"""JSON for programs: exact numbers, no surprises."""

import json
from decimal import Decimal
from typing import Any


def dumps(data: Any, indent: int | None = None) -> str:
    """Data as JSON text; exact decimals become numbers, what JSON does not know becomes text.

    >>> dumps({"a": Decimal("1.50"), "b": Decimal(2)})
    '{"a": 1.5, "b": 2}'
    """
    return json.dumps(data, indent=indent, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)
