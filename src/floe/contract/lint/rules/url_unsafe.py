"""E507 url-unsafe."""

import re
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import Texts
from floe.model import Message, Severity

_UNSAFE = re.compile(
    r"(?i)\s*(file|gopher|javascript|data|vbscript|ldap|dict|smb|\\\\)(?::|(?<=\\))"
    r"|\s*https?://(?:169\.254\.|\[fe80:|metadata\.google\.internal)"
)
_KEYS = ("url", "invitationUrl", "$ref")


@rule("E507", "url-unsafe", Severity.WARNING, value=Texts)
def url_unsafe(texts: Texts) -> Iterator[Message]:
    """A link points to the reader's own machine, to a script, or to a cloud metadata service.

    Why: following it opens a local file, runs code, or exposes credentials.

    Fix: use an https address.
    """
    for at, text in texts.found:
        if at[-1] in _KEYS and (unsafe := _UNSAFE.match(text)):
            scheme = unsafe[1]
            yield Message(
                f"The link under '{at[-1]}' is unsafe",
                f"It is a '{scheme.lower()}:' address" if scheme else "It points to a cloud metadata service",
                "Use an https address",
                at=at,
            )
