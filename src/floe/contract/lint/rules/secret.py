"""Secrets: how they look, and how to keep them out of every message."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from floe.contract.lint.rule import rule
from floe.contract.lint.views import Texts
from floe.lang.secret import HINT, LOOKS, PLACEHOLDER, masked
from floe.model import Finding, List, Map, Message, Severity

_HIDDEN = "•••"
_NAMES = (
    r"(?i:.*(?:password|passwd|passphrase|client_?secret|secret_?key|secret_?access_?key|api_?key|access_?token"
    r"|auth_?token|bearer_?token|private_?key|credentials?)|pwd|secret|token)"
)
_NAMED_IN_TEXT = re.compile(
    r"""(?im)^[ \t\-{]*["']?(?:[\w.-]*(?:password|passwd|passphrase|client_?secret|secret_?key|secret_?access_?key|api_?key|access_?token|auth_?token|bearer_?token|private_?key)|pwd|secret|token)["']?\s*:\s*["']?([^\s"'#,}]{4,})"""
)


@rule("E507", "secret", Severity.ERROR, value=Texts)
def secret(texts: Texts) -> Iterator[Message]:
    """The contract contains a password, key or token.

    Why: contracts are shared, versioned and published, so the secret is no longer secret.

    Fix: remove it, replace it in the system that uses it, and write a variable such as ${DB_PASSWORD}.
    """
    for at, text in texts.found:
        kind = _kind(text) or ("secret" if _named(texts.noun.node, at, text) else "")
        if kind:
            yield Message(
                f"The contract contains a {kind.replace('_', ' ')}",
                "Its value is not shown",
                "Remove it, replace it in the system that uses it, and write a variable such as ${DB_PASSWORD}",
                at=at,
            )


def _kind(text: str) -> str:
    if not HINT.search(text):
        return ""
    for match in re.finditer(LOOKS, text):
        name = match.lastgroup or ""
        if name and not re.search(PLACEHOLDER, match[name]):
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
    return not re.search(PLACEHOLDER, text)


@lru_cache(maxsize=4096)
def _called_secret(name: str) -> bool:
    return re.fullmatch(_NAMES, name) is not None


def hidden(node: Any, name: str = "") -> Any:
    """A tree of a contract with every secret in it hidden; its parts keep their places."""
    if isinstance(node, Map):
        made = Map(node.place)
        called = node.get("property")
        for key, part in node.items():
            as_named = called if key == "value" and isinstance(called, str) else key
            made.put(key, hidden(part, as_named), node.value_places.get(key), node.key_places.get(key))
        return made
    if isinstance(node, List):
        listed = List(node.place)
        for part, place in zip(node, node.item_places, strict=True):
            listed.add(hidden(part, name), place)
        return listed
    return without_secrets(node, name)


def secrets_in(text: str) -> frozenset[str]:
    """The secrets in a contract's text, also where it cannot be read as one."""
    found = (
        {match[match.lastgroup] for match in re.finditer(LOOKS, text) if match.lastgroup}
        if HINT.search(text)
        else set()
    )
    found |= set(_NAMED_IN_TEXT.findall(text))
    return frozenset(word for word in found if not re.search(PLACEHOLDER, word))


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
    return masked(value, name, _HIDDEN, _called_secret)
