"""E515 policy-broken."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from floe.contract.lint.personal import holds
from floe.contract.lint.rule import rule
from floe.contract.lint.tiers import Governed
from floe.contract.lint.views import is_open
from floe.lang.type_text import parse_type
from floe.model import Contract, Dataset, Field, Message, Severity, Sla
from floe.model.policy import Policy, RequiredColumn
from floe.model.service_level import HIGHER, LOWER, level_name
from floe.model.strictness import as_written, weaker
from floe.model.types import accepts

# what can be demanded of a contract, and how it is found there
OF_CONTRACTS: dict[str, Callable[[Contract], Any]] = {
    "owner": lambda contract: contract.owner,
    "description": lambda contract: contract.node.get("description"),
    "domain": lambda contract: contract.domain,
    "product": lambda contract: contract.product,
    "support": lambda contract: contract.node.get("support"),
    "servers": lambda contract: contract.servers,
    "tags": lambda contract: contract.node.get("tags"),
    "roles": lambda contract: contract.node.get("roles"),
    "extends": lambda contract: contract.custom.get("extends"),
}
# what can be demanded of columns
OF_COLUMNS: dict[str, Callable[[Field], Any]] = {
    "classification": lambda field: field.classification,
    "description": lambda field: field.node.get("description"),
    "tags": lambda field: field.node.get("tags"),
    "physicalType": lambda field: field.physical_type,
    "businessName": lambda field: field.node.get("businessName"),
    "required": lambda field: field.required,
    "encryptedName": lambda field: field.node.get("encryptedName"),
}
DEMANDS = tuple(dict.fromkeys((*OF_CONTRACTS, *OF_COLUMNS)))
_ADVICE = {
    "owner": "Add team.members with role: owner, or metadata.owner in floe.yaml",
    "classification": "Add classification, e.g. pii",
}


@rule("E515", "policy-broken", Severity.ERROR, value=Governed)
def policy_broken(governed: Governed) -> Iterator[Message]:
    """A contract violates a policy of the platform or of a parent.

    Why: policies apply to all contracts, so consumers can expect them without reading each contract.

    Fix: follow the policy, or waive the finding with floe approve.
    """
    contract, policy = governed.noun, governed.policy
    for message in _broken(contract, policy):
        yield message if message.severity else _with(message, policy.severity)


def _with(message: Message, severity: Severity | None) -> Message:
    return Message(
        message.text,
        message.detail,
        message.suggestion,
        message.at,
        message.key,
        severity,
        message.about,
        message.alike,
    )


def _broken(contract: Contract, policy: Policy) -> Iterator[Message]:
    if policy.columns or set(policy.require) & (set(OF_COLUMNS) - set(OF_CONTRACTS)):
        yield from _columns(contract, policy)
    else:
        yield from _whole(contract, policy)
    for name, bounds in policy.levels.items():
        yield from _levels(contract, policy, name, bounds)
    for dataset in _datasets(contract, policy):
        yield from (message for asked in policy.fields for message in _field(dataset, asked, policy))


def _datasets(contract: Contract, policy: Policy) -> Iterator[Dataset]:
    for dataset in contract.datasets:
        names = (dataset.name, contract.table_id(dataset) or dataset.name)
        if any(fnmatchcase(name, pattern) for name in names for pattern in policy.datasets):
            yield dataset


def _whole(contract: Contract, policy: Policy) -> Iterator[Message]:
    for word in policy.require:
        if not OF_CONTRACTS[word](contract):
            yield Message(
                f"Policy '{policy.name}' is violated: the contract has no {word}",
                _asked_by(policy),
                _ADVICE.get(word, f"Add {word}"),
            )


def _columns(contract: Contract, policy: Policy) -> Iterator[Message]:
    for dataset in _datasets(contract, policy):
        for field in dataset.walk():
            missing = [word for word in policy.require if field.name and not OF_COLUMNS[word](field)]
            if missing and _fits(field, policy):
                yield Message(
                    f"Policy '{policy.name}' is violated: '{dataset.name}.{field.path}' has no {' and no '.join(missing)}",
                    _asked_by(policy),
                    f"{_ADVICE.get(missing[0], f'Add {missing[0]}')} for '{dataset.name}.{field.path}'",
                    at=("name",),
                    about=field,
                )


def _fits(field: Field, policy: Policy) -> bool:
    if not policy.columns:
        return True
    patterns = policy.columns.get("pattern", ())
    tags = {str(tag) for tag in field.node.get("tags") or ()}
    return any(
        holds(field, pattern) if pattern in ("pii", "phi") else fnmatchcase(field.name, pattern) for pattern in patterns
    ) or bool(tags & set(policy.columns.get("tag", ())))


def _levels(contract: Contract, policy: Policy, name: str, bounds: Any) -> Iterator[Message]:
    wanted = ", ".join(f"{word.replace('_', ' ')} {value}" for word, value in bounds.items())
    levels = [sla for sla in contract.sla if level_name(sla.property) == level_name(name) and sla.value is not None]
    if not levels:
        yield Message(
            f"Policy '{policy.name}' is violated: no service level '{name}'",
            f"{_asked_by(policy)}: {wanted}",
            f"Add '{name}' to slaProperties, {wanted}",
        )
    for sla in levels:
        for word, value in bounds.items():
            if not is_open(sla.value) and _outside(sla, word, value):
                given = as_written(sla.value, sla.unit)
                yield Message(
                    f"Policy '{policy.name}' is violated: '{name}' is {given}",
                    f"{_asked_by(policy)}: {wanted}",
                    f"Promise '{name}' {word.replace('_', ' ')} {value}",
                    at=("value",),
                    about=sla,
                )


def _outside(sla: Sla, word: str, bound: Any) -> bool:
    """Whether a value is beyond a bound; a level that cannot be compared with it is."""
    way = LOWER if word == "at_most" else HIGHER
    return weaker(sla.property, (bound, None), (sla.value, sla.unit), way) is not False


def _field(dataset: Dataset, asked: RequiredColumn, policy: Policy) -> Iterator[Message]:
    found = next((field for field in dataset.fields if asked.name in (field.name, field.column)), None)
    wrong = ""
    if found is None:
        wrong = "is missing"
    elif asked.required and not found.required:
        wrong = "is optional"
    elif asked.type and not accepts(parse_type(asked.type), found.type):
        wrong = f"is {found.type}, not {asked.type}"
    if wrong:
        yield Message(
            f"Policy '{policy.name}' is violated: '{dataset.name}.{asked.name}' {wrong}",
            f"{_asked_by(policy)} of every dataset" + ("" if policy.datasets == ("*",) else f" {policy.datasets}"),
            f"{'Correct' if found else 'Add'} column '{asked.name}'" + (f" ({asked.type})" if asked.type else ""),
            at=() if found else ("name",),
            about=found or dataset,
        )


def _asked_by(policy: Policy) -> str:
    return f"RequiredColumn by {policy.source}" if policy.source else "RequiredColumn by the manifest"
