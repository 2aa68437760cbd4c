"""E508 sla-element-unknown."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import Names, fold, is_open
from floe.model import Contract, Message, Severity, Step


@rule("E508", "sla-element-unknown", Severity.WARNING, value=Contract)
def sla_element_unknown(contract: Contract) -> Iterator[Message]:
    """The element of a service level is a column that the contract does not have.

    Why: freshness is then measured by the last commit and not by the column, which gives another result.

    Fix: correct the element, written as table.column.
    """
    written = list(_written(contract))
    known = _known(contract) if written else set()
    for element, name, at in written:
        if fold(element) not in known:
            yield Message(
                f"Service level '{name}' has the element '{element}', which the contract does not have",
                "Elements are written as table or table.column",
                "Correct the element",
                at=at,
            )


def _written(contract: Contract) -> Iterator[tuple[str, str, tuple[Step, ...]]]:
    """Each element once: its text, the service level, its place."""
    seen: set[str] = set()
    entries = [(sla.element, sla.property, (*sla.at, "element")) for sla in contract.sla]
    entries.append((contract.node.get("slaDefaultElement"), "default", ("slaDefaultElement",)))
    for text, name, at in entries:
        for element in text.split(",") if isinstance(text, str) and not is_open(text) else ():
            if (word := element.strip()) and word not in seen:
                seen.add(word)
                yield word, name, at


def _known(contract: Contract) -> set[str]:
    names = Names(contract)
    found = set(names.datasets)
    for dataset in contract.datasets:
        fields = names.fields(dataset)
        found |= fields
        for word in names.datasets:
            if names.datasets[word] is dataset:
                found |= {f"{word}.{field}" for field in fields}
    return found
