"""What opens doors, kept out of everything that is printed or kept."""

import re
from collections.abc import Mapping
from typing import Any

_SECRET = re.compile("password|secret|token|credential|access.?key|api.?key", re.IGNORECASE)
_PASSWORD = re.compile(r"(://[^/@\s:]*:)[^/@\s]*@")


def masked(value: Any, name: str = "") -> Any:
    """A value without what would open a door: passwords in addresses, whole values of secret-sounding keys.

    >>> masked({"uri": "https://me:pw@host/x", "token": "abc"})
    {'uri': 'https://me:***@host/x', 'token': '***'}
    """
    if isinstance(value, dict):
        return {key: masked(below, str(key)) for key, below in value.items()}
    if isinstance(value, list):
        return [masked(below, name) for below in value]
    if _SECRET.search(name):
        return "***"
    if name == "to":  # an alert's address is its token
        return f"{str(value).split('://', maxsplit=1)[0]}://***"
    return _PASSWORD.sub(r"\1***@", value) if isinstance(value, str) else value


def hushed(text: str, options: Mapping[str, Any]) -> str:
    """A text without the secrets of some options, and without passwords in addresses.

    >>> hushed("abc refused by https://me:pw@host", {"token": "abc"})
    '*** refused by https://me:***@host'
    """
    for name, value in options.items():
        if value and _SECRET.search(name):
            text = text.replace(str(value), "***")
    return str(masked(text))
