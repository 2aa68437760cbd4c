"""Secrets: how they look, and how to keep them out of every message."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from floe.contract.lint.rule import rule
from floe.contract.lint.views import Texts
from floe.model import Finding, Message, Severity

_HIDDEN = "•••"
# each named for what it is; the group `secret` is what must never be shown
_LOOKS = re.compile(
    r"""
    [A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'"]*:(?P<password_in_url>[^\s/@'"]+)@
  | (?<![A-Za-z0-9])(?P<aws_key>(?:AKIA|ASIA)[0-9A-Z]{16})(?![A-Za-z0-9])
  | (?P<github_token>gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,})
  | (?P<slack_token>xox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]+)
  | (?P<google_key>AIza[0-9A-Za-z_-]{35})
  | (?P<databricks_token>dapi[0-9a-f]{32})
  | (?P<service_key>[sr]k_live_[0-9A-Za-z]{20,}|sk-[A-Za-z0-9_-]{32,})
  | (?P<web_token>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})
  | (?P<private_key>-----BEGIN[ A-Z]*PRIVATE\ KEY-----[\s\S]*)
  | (?i:account_?key|shared_?access_?(?:key|signature))\s*=\s*(?P<account_key>[A-Za-z0-9+/=%]{20,})
  | [?&](?:sig|X-Amz-Signature)=(?P<signature>[A-Za-z0-9%+/=]{20,})
  | (?:^|[;?&])(?i:password|passwd|pwd|secret_?access_?key|client_?secret|api_?key|access_?token)=(?P<setting>[^\s;&,'"]{3,})
    """,
    re.VERBOSE,
)
# a text without any of these cannot match, and this is asked of every text
_HINT = re.compile(
    r"://[^\s/]*@|AKIA|ASIA|gh[pousr]_|github_pat|glpat-|xox|hooks\.slack|AIza|dapi|k_live_|sk-|eyJ|BEGIN|[=]"
)
_NAMES = re.compile(
    r"(?i:.*(?:password|passwd|passphrase|client_?secret|secret_?key|secret_?access_?key|api_?key|access_?token"
    r"|auth_?token|bearer_?token|private_?key|credentials?)|pwd|secret|token)"
)
_NAMED_IN_TEXT = re.compile(
    r"""(?im)^[\s\-{]*["']?(?:[\w.-]*(?:password|passwd|passphrase|client_?secret|secret_?key|secret_?access_?key|api_?key|access_?token|auth_?token|bearer_?token|private_?key)|pwd|secret|token)["']?\s*:\s*["']?([^\s"'#,}]{4,})"""
)
# what stands for a secret without being one
_PLACEHOLDER = re.compile(
    r"\$\{|\{\{|<[^>]*>$|\*{3,}|(?i:x{4,}$|vault:|arn:aws:secretsmanager|secrets?://|secret/|env:|keyvault|akv:|\$[A-Z_]+$"
    r"|none$|null$|true$|false$|required$|example|placeholder|changeme|your[-_ ])"
)


@rule("E507", "secret", Severity.ERROR, each=Texts)
def secret(texts: Texts) -> Iterator[Message]:
    """The contract holds a password, key or token.

    Why: contracts are shared, versioned and published; a secret in one is known to everyone, for ever.

    Fix: remove it, change it where it is valid, and name a variable such as ${DB_PASSWORD} instead.
    """
    for at, text in texts.found:
        kind = _kind(text) or ("secret" if _named(texts.noun.node, at, text) else "")
        if kind:
            yield Message(
                f"The contract holds a {kind.replace('_', ' ')}",
                "Its value is not shown",
                "Remove it, change it where it is valid, and name a variable such as ${DB_PASSWORD} instead",
                at=at,
            )


def _kind(text: str) -> str:
    if not _HINT.search(text):
        return ""
    for match in _LOOKS.finditer(text):
        name = match.lastgroup or ""
        if name and not _PLACEHOLDER.search(match[name]):
            return "password" if name in ("password_in_url", "setting") else name
    return ""


def _named(tree: Any, at: tuple[str | int, ...], text: str) -> bool:
    """Whether a text stands under a key, or in a custom property, that is called a secret."""
    name: Any = at[-1]
    if name == "value" and len(at) > 2 and at[-3] == "customProperties":
        entry = tree
        for step in at[:-1]:
            entry = entry[step]
        name = entry.get("property")
    if not isinstance(name, str) or not _called_secret(name) or " " in text or len(text) < 4:
        return False
    return not _PLACEHOLDER.search(text)


@lru_cache(maxsize=4096)
def _called_secret(name: str) -> bool:
    return _NAMES.fullmatch(name) is not None


def secrets_in(text: str) -> frozenset[str]:
    """The secrets in a contract's text, also where it cannot be read as one."""
    found = (
        {match[match.lastgroup] for match in _LOOKS.finditer(text) if match.lastgroup} if _HINT.search(text) else set()
    )
    found |= set(_NAMED_IN_TEXT.findall(text))
    return frozenset(word for word in found if not _PLACEHOLDER.search(word))


def hide(finding: Finding, secrets: frozenset[str]) -> Finding:
    """A finding that shows no secret, whatever rule or schema quoted it, whole or cut short."""
    texts = (finding.message, finding.detail, finding.suggestion)
    if not any(word[:8] in text for word in secrets for text in texts):
        return finding
    looks = "|".join(
        re.escape(word[:8]) + (r"\S*" if len(word) > 8 else "") for word in sorted(secrets, key=len, reverse=True)
    )
    message, detail, suggestion = (re.sub(looks, _HIDDEN, text) for text in texts)
    return replace(finding, message=message, detail=detail, suggestion=suggestion)


def without_secrets(value: Any, name: str = "") -> Any:
    """A value with every secret in it hidden, by its look or by the name it stands under.

    >>> without_secrets({"host": "h", "password": "hunter22"}), without_secrets("postgres://u:hunter22@h/db")
    ({'host': 'h', 'password': '•••'}, 'postgres://u:•••@h/db')
    """
    match value:
        case {"property": str(called), "value": _}:
            return {key: without_secrets(part, called if key == "value" else "") for key, part in value.items()}
        case dict():
            return {key: without_secrets(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            return [without_secrets(part, name) for part in value]
        case str():
            if _called_secret(name) and value and not _PLACEHOLDER.search(value):
                return _HIDDEN
            return _LOOKS.sub(_hidden, value) if _HINT.search(value) else value
        case int() if _called_secret(name) and not isinstance(value, bool):
            return _HIDDEN
    return value


def _hidden(match: re.Match[str]) -> str:
    found = match[match.lastgroup] if match.lastgroup else ""
    return match[0] if not found or _PLACEHOLDER.search(found) else match[0].replace(found, _HIDDEN)
