"""What is said about a schema document that cannot become a contract."""

from floe.model import ContractError, Finding, Place, Severity


def unreadable(message: str, place: Place, detail: str = "", suggestion: str = "Correct it here") -> ContractError:
    """A document that is no whole schema (E501)."""
    finding = Finding("E501", "schema-unreadable", Severity.CRITICAL, message, detail, suggestion, place)
    return ContractError(message, suggestion, "E501", (finding,))


def unknown_type(path: str, cause: str, place: Place) -> ContractError:
    """A type that floe does not know (E503)."""
    message, suggestion = f"Unknown type for '{path}'", "Use a type that Spark knows"
    finding = Finding("E503", "type-unreadable", Severity.CRITICAL, message, cause, suggestion, place)
    return ContractError(message, suggestion, "E503", (finding,))
