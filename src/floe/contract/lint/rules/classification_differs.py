"""E508 classification-differs."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from floe.contract.lint.rule import rule
from floe.contract.lint.together import same_contract
from floe.contract.lint.views import ContractFolder, fold, is_open
from floe.model import Contract, Field, Message, Severity

# so many fields are named for one name and pair of labels
_FEW = 3
# names that mean something else in every table, unless a description says the same
_GENERAL = {
    "id",
    "name",
    "type",
    "status",
    "code",
    "value",
    "description",
    "date",
    "timestamp",
    "key",
    "title",
    "label",
}


@rule("E508", "classification-differs", Severity.WARNING, value=ContractFolder)
def classification_differs(folder: ContractFolder) -> Iterator[Message]:
    """The same column has different classifications in two contracts.

    Why: access and masking follow the classification, so the data is protected in one table and readable in the other.

    Fix: use the same classification, or give the columns names or descriptions that show the difference.
    """
    seen: defaultdict[tuple[str, str], dict[str, _Labelled]] = defaultdict(dict)
    said: Counter[tuple[str, ...]] = Counter()
    for labelled in _classified(folder):
        other = _clash(labelled, seen)
        if other and said[labelled.name, *sorted((labelled.label, other.label))] < _FEW:
            said[labelled.name, *sorted((labelled.label, other.label))] += 1
            yield Message(
                f"'{labelled.path}' is classified '{labelled.field.classification}', but "
                f"'{other.path}' of another contract '{other.field.classification}'",
                f"The other contract is {other.contract.source}",
                "Give both the same classification",
                at=("classification",),
                about=labelled.field,
            )


class _Labelled(NamedTuple):
    """A field with its label and where it stands."""

    contract: Contract
    field: Field
    path: str
    name: str
    label: str


def _classified(folder: ContractFolder) -> Iterator[_Labelled]:
    for contract in folder.contracts:
        for dataset in contract.datasets:
            for field in dataset.walk():
                label = field.classification
                if field.name and isinstance(label, str) and not is_open(label):
                    yield _Labelled(contract, field, f"{dataset.name}.{field.path}", fold(field.name), fold(label))


def labels(contract: Contract) -> Iterator[tuple[str, str]]:
    """What a contract calls and means by each classified field, and the label it gives it."""
    for labelled in _classified(ContractFolder((contract,))):
        yield from ((f"{labelled.name}\n{meaning}", labelled.label) for meaning in meanings(labelled.field))


def _clash(labelled: _Labelled, seen: defaultdict[tuple[str, str], dict[str, _Labelled]]) -> _Labelled | None:
    """An earlier field of another contract with the same name and meaning and another label."""
    found = None
    for meaning in meanings(labelled.field):
        known = seen[labelled.name, meaning]
        others = (other for label, other in known.items() if label != labelled.label)
        found = found or next((other for other in others if not same_contract(labelled.contract, other.contract)), None)
        known.setdefault(labelled.label, labelled)
    return found


def meanings(field: Field) -> set[str]:
    """What is said about a field; where nothing is, its type, if the name is a telling one."""
    said = {fold(str(field.node.get(key)).strip()) for key in ("businessName", "description") if field.node.get(key)}
    links = field.node.get("authoritativeDefinitions")
    urls = {str(link.get("url")) for link in links if isinstance(link, dict)} if isinstance(links, list) else set()
    return said | urls or (set() if fold(field.name) in _GENERAL else {f"type {field.type}"})
