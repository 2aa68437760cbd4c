"""E504 sla-property-unknown."""

import difflib
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.service_levels import KIND, KINDS
from floe.contract.lint.views import SlaOf, fold
from floe.model import Message, Severity


@rule("E504", "sla-property-unknown", Severity.INFO, value=SlaOf)
def sla_property_unknown(part: SlaOf) -> Iterator[Message]:
    """A service level has a name that the standard does not define.

    Why: floe keeps and shows it, but checks only the service levels it knows.

    Fix: use a name of the standard, e.g. freshness, availability or retention; or keep it as documentation.
    """
    name = part.noun.property
    if fold(name) not in KIND:
        near = difflib.get_close_matches(fold(name), KIND, 1, 0.75)
        shown = next((word for words in KINDS.values() for word in words.split() if near and fold(word) == near[0]), "")
        yield Message(
            f"Service level '{name}' is unknown and not checked",
            "It is kept as documentation",
            f"Did you mean '{shown}'?" if shown else "Use a name of the standard if one fits",
            at=("property",),
            severity=Severity.WARNING if shown else None,
        )
