"""E504 sla-property-unknown."""

import difflib
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.service_levels import KIND, KINDS
from floe.contract.lint.views import SlaOf, fold
from floe.model import Message, Severity


@rule("E504", "sla-property-unknown", Severity.INFO, value=SlaOf)
def sla_property_unknown(part: SlaOf) -> Iterator[Message]:
    """A service level has a name that the standard does not list.

    Why: floe keeps it and shows it, and watches only the ones it knows.

    Fix: use one of the standard's names, e.g. freshness, availability, retention; or keep it as documentation.
    """
    name = part.noun.property
    if fold(name) not in KIND:
        near = difflib.get_close_matches(fold(name), KIND, 1, 0.75)
        shown = next((word for words in KINDS.values() for word in words.split() if near and fold(word) == near[0]), "")
        yield Message(
            f"Service level '{name}' is none that floe watches",
            "It is kept as documentation",
            f"Did you mean '{shown}'?" if shown else "Use a name of the standard where one fits",
            at=("property",),
            severity=Severity.WARNING if shown else None,
        )
