"""What is said of a broken promise about rows: the same words whoever counted them."""

from floe.model.plan import Expectation


def rows_text(count: int) -> str:
    """So many rows."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def broken_text(expectation: Expectation, count: int) -> str:
    """What is said where rows break an expectation."""
    if expectation.reference:
        return f"'{expectation.field}' of {rows_text(count)} has no match in '{expectation.reference}'"
    if expectation.key:
        return f"'{expectation.field}' is duplicated in {rows_text(count)}"
    if expectation.name == "null-value":
        return f"Null in required field '{expectation.field}'"
    if expectation.code == "E550":
        return f"'{expectation.field}' is missing in {rows_text(count)}, the contract requires {expectation.expected}"
    return f"Values of '{expectation.field}' are not {_wanted(expectation)}"


def _wanted(expectation: Expectation) -> str:
    if ":quality." in expectation.id:
        return f"valid under the rule '{expectation.name}'"
    listed = expectation.expected
    return f"among {', '.join(map(str, listed))}" if isinstance(listed, list) else str(listed)
