"""E508 custom-property-duplicated."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.model import Contract, Dataset, Message, Severity


@rule("E508", "custom-property-duplicated", Severity.WARNING, value=(Contract, Dataset))
def custom_property_duplicated(part: Contract | Dataset) -> Iterator[Message]:
    """A custom property is given twice with different values.

    Why: the second value replaces the first without a message.

    Fix: remove one of the two.
    """
    entries = part.node.get("customProperties")
    seen: dict[str, object] = {}
    for i, entry in enumerate(entries if isinstance(entries, list) else ()):
        name = entry.get("property") if isinstance(entry, dict) else None
        if isinstance(name, str):
            if name in seen and seen[name] != entry.get("value"):
                yield Message(
                    f"Custom property '{name}' is given twice with different values",
                    "The second value is used",
                    "Keep one of the two",
                    at=("customProperties", i, "property"),
                )
            seen[name] = entry.get("value")
