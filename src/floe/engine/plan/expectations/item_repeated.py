"""E551 item-repeated."""

from floe.engine.plan.expectations.expectation import Bad, row_expectation
from floe.model import Field
from floe.model.types import Array, MapOf, Struct, Type


@row_expectation("E551", "item-repeated")
def item_repeated(value: str, field: Field) -> Bad | None:
    """An array contains an element twice, where the contract requires unique elements.

    Why: readers that explode the array or use it as a set count twice.

    Fix: correct the row at its source, or drop uniqueItems in a new version.
    """
    if field.options.get("uniqueItems") is not True:
        return None
    if not isinstance(field.type, Array) or _holds_map(field.type.element):
        return Bad("", "", cause=f"elements of {field.type} cannot be compared")
    items = f"array_compact({value})"
    return Bad(f"array_size(array_distinct({items})) < array_size({items})", "no element twice")


def _holds_map(type_: Type) -> bool:
    match type_:
        case MapOf():
            return True
        case Array(element):
            return _holds_map(element)
        case Struct(members):
            return any(_holds_map(member.type) for member in members)
    return False
