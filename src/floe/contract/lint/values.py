"""E508 rules about the list of values a field may have."""

from floe.model import Field, Step


def place_of_values(field: Field) -> tuple[Step, ...]:
    """Where the list of values stands."""
    if "enum" in field.node:
        return ("enum",)
    index = next((i for i, rule in enumerate(field.rules) if rule.valid_values is not None), 0)
    inside = () if field.rules and "validValues" in field.rules[index].node else ("arguments",)
    return ("quality", index, *inside, "validValues")
