"""Variables of a contract, `${NAME}` and `${NAME:-default}`, given their values where the contract is used."""

import os
import re
from dataclasses import replace
from typing import Any

from floe.contract.formats.odcs import contract_in
from floe.contract.formats.yaml_text import plain_value
from floe.model import Contract, ContractError, List, Map

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
# the standard's own words in the SQL of a rule: the table and column it stands on
_OWN = re.compile(r"\$\{(?:table|object|model|column|property|field)\}")


def with_values(contract: Contract) -> Contract:
    """The contract with its variables' values from the environment; ContractError names those that have none."""
    missing: list[str] = []
    tree = _given(contract.node, missing)
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        raise ContractError(
            f"{contract.source}: no value for the variable {names}",
            f"Set it in the environment, or write a default: ${{{missing[0]}:-value}}",
            "E506",
        )
    return contract if tree is contract.node else replace(contract_in(tree, contract.source), format=contract.format)


def _given(value: Any, missing: list[str]) -> Any:
    """A part with its variables replaced; the part itself where it has none."""
    if isinstance(value, Map):
        sql = isinstance(value.get("query"), str)
        found = {
            key: _given_sql(part, missing) if sql and key == "query" else _given(part, missing)
            for key, part in value.items()
        }
        if all(found[key] is value[key] for key in found):
            return value
        mapping = Map(value.place)
        for key, part in found.items():
            mapping.put(key, part, value.value_places.get(key), value.key_places.get(key))
        return mapping
    if isinstance(value, List):
        items = [_given(part, missing) for part in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        listed = List(value.place)
        for part, place in zip(items, value.item_places, strict=True):
            listed.add(part, place)
        return listed
    return _replaced(value, missing) if isinstance(value, str) and "${" in value else value


def _given_sql(text: str, missing: list[str]) -> str:
    """SQL with its variables replaced, but not the words that stand for the rule's own table and column."""
    own = _OWN.findall(text)
    parts = [str(_replaced(part, missing)) if "${" in part else part for part in _OWN.split(text)]
    return text if len(parts) == 1 and parts[0] == text else "".join(map("".join, zip(parts, [*own, ""], strict=True)))


def _replaced(text: str, missing: list[str]) -> Any:
    """A text with its variables replaced; what is nothing but a variable may be a number or a truth value."""

    def value_of(match: re.Match[str]) -> str:
        found = os.environ.get(match[1], match[2])  # noqa: TID251  (the environment is what variables are about)
        if found is None:
            missing.append(match[1])
        return found or ""

    given = _VARIABLE.sub(value_of, text)
    return plain_value(given) if _VARIABLE.fullmatch(text) else given
