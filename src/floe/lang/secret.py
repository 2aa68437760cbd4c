"""What opens doors, kept out of everything that is printed or kept.

One function hides it: by the name of a value, and by its form, at any place in a text. Values of a
contract's variables are hidden too, as soon as a variable got one (`reveal`).
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

SIGN = "***"
_LEAST = 4
# The patterns are texts: `re` compiles them with the first value that needs one, and most commands have none.
# Texts are hostile, and long ones must not take long: no part may begin at every letter and read on from each of them.
# each named for what it is; the last group that matches is what must never be shown
LOOKS = r"""(?x)
    ://[^\s/:@'"]*:(?P<password_in_url>[^\s/@'"]+)@
  | (?<![A-Za-z0-9])(?P<aws_key>(?:AKIA|ASIA)[0-9A-Z]{16})(?![A-Za-z0-9])
  | (?P<github_token>gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,})
  | (?P<slack_token>xox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]+)
  | (?P<google_key>AIza[0-9A-Za-z_-]{35})
  | (?P<databricks_token>dapi[0-9a-f]{32})
  | (?P<service_key>[sr]k_live_[0-9A-Za-z]{20,}|sk-[A-Za-z0-9_-]{32,})
  | (?P<web_token>eyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,})
  | (?P<private_key>-----BEGIN[ A-Z]*PRIVATE\ KEY-----[\s\S]*)
  | (?i:account_?key|shared_?access_?(?:key|signature))\s*=\s*(?P<account_key>[A-Za-z0-9+/=%]{20,})
  | [?&](?:sig|X-Amz-Signature)=(?P<signature>[A-Za-z0-9%+/=]{20,})
  | (?:^|[;?&])(?i:password|passwd|pwd|secret_?access_?key|client_?secret|api_?key|access_?token)=(?P<setting>[^\s;&,'"]{3,})
"""
# a text without any of these cannot match, and this is tested on every text
HINT = re.compile(
    r"://[^\s/]*@|AKIA|ASIA|gh[pousr]_|github_pat|glpat-|xox|hooks\.slack|AIza|dapi|k_live_|sk-|eyJ|BEGIN|[=]"
)
# references to a secret that are not secrets
PLACEHOLDER = (
    r"\$\{|\{\{|<[^<>]*>$|\*{3,}|(?i:(?<!x)x{4,}$|vault:|arn:aws:secretsmanager|secrets?://|secret/|env:|keyvault|akv:|\$[A-Z_]+$"
    r"|none$|null$|true$|false$|required$|example|placeholder|changeme|your[-_ ])"
)
# what is too little to be sure that a contract holds a secret, and enough to hide it
_MORE = r"""(?x)
    ://[^\s/@'":]*:(?P<url>[^/\s'"]*)@
  | (?:[?&;]|(?<![\w.-]))(?i:[\w.-]*(?:password|passwd|pwd|secret|token|credential|signature|api[_.-]?key|access[_.-]?key
      |account[_.-]?key|access[_.-]?key[_.-]?id|authorization))=(?P<pair>[^\s;&,'"=][^\s;&,'"]*)
  | [?&;](?i:sig|sas|code|key|auth)=(?P<query>[^\s;&,'"]+)
  | (?i:\b(?:bearer|basic|sharedkey|negotiate|digest)\s+(?P<header>[A-Za-z0-9._~+/=:-]{6,}))
"""
_NAMES = (
    r"(?i)password|passwd|passphrase|secret|token|credential|authorization|cookie|signature|private.?key|access.?key"
    r"|api.?key|account.?key|shared.?key|encryption.?key|(?:^|[._-])(?:pwd|sas|sig)(?:[._-]|$)"
)


def secret_name(name: str) -> bool:
    """Whether the value under a setting's name is a secret."""
    return _named(name)


@lru_cache(maxsize=4096)
def _named(name: str) -> bool:
    return re.search(_NAMES, name) is not None


def masked(value: Any, name: str = "", sign: str = SIGN, named: Callable[[str], bool] = secret_name) -> Any:
    """A value without secrets: whole values of secret names, and parts of texts that have the form of a secret.

    `named` is whether a name is a secret's; settings and contracts use different words.

    >>> masked({"uri": "https://me:pw@host/x", "token": "abc", "fs.azure.account.key.lake": "a2V5"})
    {'uri': 'https://me:***@host/x', 'token': '***', 'fs.azure.account.key.lake': '***'}
    >>> masked("jdbc:postgresql://h/d?user=u&password=pw;sslmode=on"), masked("https://h/x?sig=abc&se=2026")
    ('jdbc:postgresql://h/d?user=u&password=***;sslmode=on', 'https://h/x?sig=***&se=2026')
    """
    match value:
        case {"property": str(called), "value": _}:  # a custom property: its value belongs to this name
            names = {key: called if key == "value" else str(key) for key in value}
            return {key: masked(below, names[key], sign, named) for key, below in value.items()}
        case Mapping():
            return {key: masked(below, str(key), sign, named) for key, below in value.items()}
        case list() | tuple():
            return [masked(below, name, sign, named) for below in value]
        case bool() | None:
            return value
    if named(name):
        return value if _is_placeholder(value) else sign
    if name == "to" and named is secret_name:  # an alert's address is its token
        return f"{str(value).split('://', maxsplit=1)[0]}://{sign}"
    return _without(value, sign) if isinstance(value, str) else value


def _is_placeholder(value: Any) -> bool:
    """Whether a value only refers to its secret."""
    return isinstance(value, str) and (not value or re.search(PLACEHOLDER, value) is not None)


def _without(text: str, sign: str) -> str:
    """A text with everything that has the form of a secret hidden."""
    for looks in (LOOKS, _MORE):
        text = re.sub(looks, lambda match: _hidden(match, sign), text)
    return text


def _hidden(match: re.Match[str], sign: str) -> str:
    name = match.lastgroup
    found = match[name] if name else ""
    if not name or not found or re.search(PLACEHOLDER, found) or found == sign:
        return match[0]
    start, end = (place - match.start() for place in match.span(name))
    return match[0][:start] + sign + match[0][end:]


def without_secrets(text: str, options: Mapping[str, Any]) -> str:
    """A text without the secrets of some options, and without anything that has the form of a secret.

    >>> without_secrets("abc refused by https://me:pw@host", {"token": "abc"})
    '*** refused by https://me:***@host'
    """
    for name, value in options.items():
        if value and secret_name(name):
            text = text.replace(str(value), SIGN)
    return str(masked(text))


# --- values of variables

_revealed: dict[str, str] = {}  # how a value may be spelled, and the variable it is the value of


def reveal(variable: str, value: str) -> None:
    """Record that a variable of a contract got its value, which is from now on written as the variable.

    Numbers and values with fewer than 4 characters occur in too many texts: they are not hidden.
    """
    if _revealed.get(value) == variable or len(value) < _LEAST or value.replace(".", "").isdigit():
        return
    from html import escape

    for spelled in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], escape(value)):
        _revealed.setdefault(spelled, variable)
    _pattern.cache_clear()


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    spelled = sorted(_revealed, key=len, reverse=True)
    return re.compile("|".join(map(_alone, spelled)))


def _alone(text: str) -> str:
    """A text that is no part of a longer word."""
    before, after = r"(?<![A-Za-z0-9])" * text[0].isalnum(), r"(?![A-Za-z0-9])" * text[-1].isalnum()
    return f"{before}{re.escape(text)}{after}"


def with_variables_hidden(value: Any) -> Any:
    """A value, at any depth, in whose texts the values of variables are written as the variables.

    >>> reveal("DOCTEST_LAKE", "/doctest/lake")
    >>> with_variables_hidden({"at": "/doctest/lake/orders"}), with_variables_revealed("${DOCTEST_LAKE}/orders")
    ({'at': '${DOCTEST_LAKE}/orders'}, '/doctest/lake/orders')
    """
    if not _revealed:
        return value
    match value:
        case str():
            return _pattern().sub(lambda found: f"${{{_revealed[found[0]]}}}", value)
        case Mapping():
            return {key: with_variables_hidden(below) for key, below in value.items()}
        case list() | tuple():
            return [with_variables_hidden(below) for below in value]
    return value


def with_variables_revealed(text: str) -> str:
    """A text that `with_variables_hidden` wrote, with the values put back as far as they are known."""
    if "${" in text:
        plain = {variable: value for value, variable in reversed(_revealed.items())}  # its first spelling is the value
        for variable, value in plain.items():
            text = text.replace(f"${{{variable}}}", value)
    return text


def key_of(text: str) -> str:
    """A text with values as a key for lookups: its values hidden, and distinguished by a slow hash of the hidden parts."""
    shown = str(with_variables_hidden(text))
    return shown if shown == text else f"{shown}#{_slow_hash(text)}"


@lru_cache(maxsize=64)
def _slow_hash(text: str) -> str:
    import hashlib

    return hashlib.scrypt(text.encode(), salt=b"floe", n=2**14, r=8, p=1, dklen=8).hex()
