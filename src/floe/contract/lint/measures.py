"""Measures and dimensions."""

from collections.abc import Iterator
from typing import Any

from floe.contract.lint.views import DatasetOf
from floe.model import Step


def custom(part: DatasetOf, name: str) -> Iterator[tuple[tuple[Step, ...], dict[str, Any]]]:
    """The entries that a custom property of a dataset lists."""
    entries = part.noun.node.get("customProperties")
    for i, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get("property") == name and isinstance(entry.get("value"), list):
            for j, listed in enumerate(entry["value"]):
                if isinstance(listed, dict):
                    yield ("customProperties", i, "value", j), listed
