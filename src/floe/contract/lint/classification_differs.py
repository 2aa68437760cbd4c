"""E508 classification-differs."""

from collections import defaultdict
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.side_by_side import same_contract
from floe.contract.lint.views import Folder, fold
from floe.model import Contract, Dataset, Field, Message, Severity

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


@rule("E508", "classification-differs", Severity.WARNING, each=Folder)
def classification_differs(folder: Folder) -> Iterator[Message]:
    """One column name with one meaning is classified differently in two contracts.

    Why: access and masking follow the label, so the same data are closed in one table and open in the other.

    Fix: give both the same classification, or names or descriptions that tell them apart.
    """
    seen: defaultdict[str, list[tuple[Contract, Dataset, Field]]] = defaultdict(list)
    for contract, dataset, field in _classified(folder):
        key = fold(field.name)
        other = next((entry for entry in seen[key] if _clash(entry, (contract, field))), None)
        if other:
            before = f"{other[1].name}.{other[2].path}"
            yield Message(
                f"'{dataset.name}.{field.path}' is classified '{field.classification}', '{before}' of another contract '{other[2].classification}'",
                f"The other stands in {other[0].source}",
                "Give both the same classification",
                at=("classification",),
                about=field,
            )
        else:
            seen[key].append((contract, dataset, field))


def _classified(folder: Folder) -> Iterator[tuple[Contract, Dataset, Field]]:
    for contract in folder.contracts:
        for dataset in contract.datasets:
            for field in dataset.walk():
                if field.name and isinstance(field.classification, str) and "${" not in field.classification:
                    yield contract, dataset, field


def _clash(one: tuple[Contract, Dataset, Field], other: tuple[Contract, Field]) -> bool:
    first, second = one[2], other[1]
    return (
        not same_contract(one[0], other[0])
        and fold(str(first.classification)) != fold(str(second.classification))
        and _same_meaning(first, second)
    )


def _same_meaning(one: Field, other: Field) -> bool:
    """Whether what is said about two fields of one name is the same, or nothing is said and the name is a telling one."""
    first, second = _meanings(one), _meanings(other)
    if first or second:
        return bool(first & second)
    return fold(one.name) not in _GENERAL and str(one.type) == str(other.type)


def _meanings(field: Field) -> set[str]:
    said = {fold(str(field.node.get(key)).strip()) for key in ("businessName", "description") if field.node.get(key)}
    links = field.node.get("authoritativeDefinitions")
    urls = {str(link.get("url")) for link in links if isinstance(link, dict)} if isinstance(links, list) else set()
    return said | urls
