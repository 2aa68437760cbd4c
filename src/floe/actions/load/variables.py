"""Variables of a contract, `${NAME}` and `${NAME:-default}`, given their values where the contract is used.

A contract is written by others, and the environment holds what opens doors. So only variables that `variables` in
manifest.yaml names are read from it, and only for `servers`, where the standard puts what differs from place to place.
Elsewhere a variable has its default, or stays as it is written. What was read is hidden from then on (`reveal`).
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from floe.contract.formats.odcs import contract_in
from floe.contract.formats.text.yaml_text import plain_value
from floe.lang.secret import reveal
from floe.model import Contract, ContractError, List, Map, Place, locate
from floe.settings import Settings

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
# words that the standard defines in the SQL of a rule: the table and the column of the rule
_OWN = re.compile(r"\$\{(?:table|object|model|column|property|field)\}")
_SERVERS = "servers"
# parts of expectations: without a value, a variable there would leave an expectation unchecked
_JUDGED = {"logicalTypeOptions", "arguments", "enum", "physicalType", "logicalType", "physicalName", "implementation"}
_JUDGED_SLA = {"value", "valueExt"}
_Value = Callable[[re.Match[str]], str]


def with_values(contract: Contract, settings: Settings) -> Contract:
    """The contract with its variables' values; ContractError names those of servers that have none."""
    node = contract.node
    if not isinstance(node, Map):
        return contract
    allowed = frozenset(str(name) for name in settings.variables)
    _refuse_elsewhere(node, allowed, contract.source)
    missing: list[str] = []
    read = _reader(allowed, missing)
    tree = _mapped(node, {key: _given(part, read if key == _SERVERS else _default) for key, part in node.items()})
    if missing:
        raise _missing(contract, missing[0], allowed)
    _refuse_open(tree)
    return contract if tree is node else replace(contract_in(tree, contract.source), format=contract.format)


def _reader(allowed: frozenset[str], missing: list[str]) -> _Value:
    """Values from the environment, of the variables that may be read."""

    def value_of(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        found = os.environ.get(name) if name in allowed else None  # noqa: TID251  (the environment is what variables are about)
        if found:
            reveal(name, found)
        elif default is None:
            missing.append(name)
        return found or default or ""

    return value_of


def _default(match: re.Match[str]) -> str:
    """A variable's default, or the variable as it is written."""
    return match[0] if match[2] is None else match[2]


def _missing(contract: Contract, name: str, allowed: frozenset[str]) -> ContractError:
    place = next(
        (place for found, place in _used(contract.node.get(_SERVERS), contract.node, _SERVERS) if found == name), None
    )
    if name in allowed:
        advice = f"Set it in the environment, or write a default: ${{{name}:-value}}"
    else:
        advice = f"Add it to manifest.yaml, variables: [{name}], and set it in the environment; or write a default: ${{{name}:-value}}"
    return ContractError(f"{place or contract.source}: no value for the variable {name}", advice, "E506")


def _refuse_open(node: Map) -> None:
    """Refuse a variable without a value in an expectation; rules with one are not evaluated."""
    for part, judged in ((node.get("schema"), _JUDGED), (node.get("slaProperties"), _JUDGED_SLA)):
        for name, place in _open(part, judged):
            raise ContractError(
                f"{place}: the variable {name} has no value: the environment is read for servers only",
                f"Write the value itself, or a default: ${{{name}:-value}}",
                "E506",
            )


def _open(part: Any, judged: set[str]) -> Iterator[tuple[str, Place | None]]:
    """The variables of a part below the keys that are checked."""
    if isinstance(part, Map):
        for key, below in part.items():
            if key in judged:
                yield from _used(below, part, key)
            elif key != "customProperties":
                yield from _open(below, judged)
    elif isinstance(part, List):
        for below in part:
            yield from _open(below, judged)


def _refuse_elsewhere(node: Map, allowed: frozenset[str], source: str) -> None:
    """A variable that is read for servers must not mean something else in another part of the contract."""
    for key, part in node.items():
        for name, place in _used(part, node, key) if key != _SERVERS else ():
            if name in allowed and os.environ.get(name):  # noqa: TID251  (as above)
                raise ContractError(
                    f"{place or source}: the variable {name} has a value in servers only, but is used under '{key}'",
                    "Write the value itself, or use another variable with a default",
                    "E506",
                )


def _used(part: Any, holder: Any, key: Any) -> Iterator[tuple[str, Place | None]]:
    """The variables of a part, with the places of the texts that hold them."""
    if isinstance(part, str):
        yield from ((match[1], locate(holder, key)) for match in _VARIABLE.finditer(part)) if "${" in part else ()
    elif isinstance(part, Map):
        for name, below in part.items():
            yield from _used(below, part, name)
    elif isinstance(part, List):
        for index, below in enumerate(part):
            yield from _used(below, part, index)


def _given(value: Any, value_of: _Value) -> Any:
    """A part with its variables replaced; the part itself where it has none."""
    if isinstance(value, Map):
        sql = isinstance(value.get("query"), str)
        return _mapped(
            value,
            {
                key: _given_sql(part, value_of) if sql and key == "query" else _given(part, value_of)
                for key, part in value.items()
            },
        )
    if isinstance(value, List):
        items = [_given(part, value_of) for part in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        listed = List(value.place)
        for part, place in zip(items, value.item_places, strict=True):
            listed.add(part, place)
        return listed
    return _replaced(value, value_of) if isinstance(value, str) and "${" in value else value


def _mapped(value: Map, found: dict[str, Any]) -> Map:
    """A mapping with other values, at the places of the first; itself where none is another."""
    if all(found[key] is value[key] for key in found):
        return value
    mapping = Map(value.place)
    for key, part in found.items():
        mapping.put(key, part, value.value_places.get(key), value.key_places.get(key))
    return mapping


def _given_sql(text: str, value_of: _Value) -> str:
    """SQL with its variables replaced, except the words for the rule's table and column."""
    own = _OWN.findall(text)
    parts = [str(_replaced(part, value_of)) if "${" in part else part for part in _OWN.split(text)]
    whole = "".join(map("".join, zip(parts, [*own, ""], strict=True)))
    return text if whole == text else whole


def _replaced(text: str, value_of: _Value) -> Any:
    """A text with its variables replaced; what is nothing but a variable may be a number or a truth value."""
    given = _VARIABLE.sub(value_of, text)
    if given == text:
        return text
    return plain_value(given) if _VARIABLE.fullmatch(text) else given
