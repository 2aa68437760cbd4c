"""E508 rules about the list of values a field may have."""

from floe.model import Field, Step


def place_of_values(field: Field) -> tuple[Step, ...]:
    """Where the list of values stands."""
    if "enum" in field.node:
        return ("enum",)
    index = next((i for i, rule in enumerate(field.rules) if rule.valid_values is not None), 0)
    return ("quality", index, "arguments", "validValues")
