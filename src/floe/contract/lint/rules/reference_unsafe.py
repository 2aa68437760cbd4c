"""E507 reference-unsafe."""

import re
from collections.abc import Iterator

from floe.contract.lint.references import sides, target
from floe.contract.lint.rule import rule
from floe.contract.lint.views import LintScope, ReferenceOf, Referring
from floe.model import Message, Severity, Step

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_FILE = re.compile(r"\.(ya?ml|json)$", re.IGNORECASE)


@rule("E507", "reference-unsafe", Severity.ERROR, value=(ReferenceOf, Referring))
def reference_unsafe(part: ReferenceOf | Referring) -> Iterator[Message]:
    """A reference to another document leaves the contract root, or is a path or URL that floe does not follow.

    Why: a contract could read files of the machine that evaluates it.

    Fix: use a relative path below the contract root, or the id of a contract.
    """
    found = _parents(part) if isinstance(part, Referring) else _documents(part)
    for at, document in found:
        if problem := _unsafe(document, _source(part), part.scope):
            yield Message(
                f"Reference to another document {problem}",
                "References must stay below the contract root",
                "Use a relative path below the contract root, or a contract's id",
                at=at,
            )


def _documents(part: ReferenceOf) -> Iterator[tuple[tuple[Step, ...], str]]:
    for _, at, text in sides(part):
        if document := target(text).document:
            yield at, document


def _parents(part: Referring) -> Iterator[tuple[tuple[Step, ...], str]]:
    entries = part.noun.node.get("customProperties")
    for i, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get("property") == "extends":
            value = entry.get("value")
            at: tuple[Step, ...] = ("customProperties", i, "value")
            yield from (
                ((*at, j) if isinstance(value, list) else at, text)
                for j, text in enumerate(value if isinstance(value, list) else [value])
                if isinstance(text, str) and _is_path(text)
            )


def _is_path(text: str) -> bool:
    """Whether a parent is named by a path or URL, not by an id such as urn:datacontract:…"""
    urn = text.lower().startswith("urn:")
    return not urn and ("/" in text or "\\" in text or bool(_FILE.search(text)) or bool(_SCHEME.match(text)))


def _source(part: ReferenceOf | Referring) -> str:
    return part.noun.source if isinstance(part, Referring) else part.names.contract.source


def _unsafe(document: str, source: str, scope: LintScope) -> str:
    """What is wrong with a document's address; empty where nothing is."""
    if document.startswith(("\\\\", "//")):
        return "is a network path"
    if document.startswith(("/", "~")) or _DRIVE.match(document):
        return "is an absolute path"
    if scheme := _SCHEME.match(document):
        return "" if scheme[1].lower() == "https" else f"is a '{scheme[1].lower()}:' address"
    folder = source.replace("\\", "/").rpartition("/")[0] or "."
    place = scope.resolve(f"{folder}/{document}".replace("\\", "/"))
    root = scope.resolve(scope.root)
    inside = not place.startswith("..") if root in (".", "") else f"{place}/".startswith(f"{root.rstrip('/')}/")
    return "" if inside else "leads out of the contract root"
