"""Contracts as the properties of a product's namespace; what a catalog holds is read and written here, nowhere else.

`floe.contracts` lists the newest version of each live MAJOR (`["customers:1.0.0", …]`); it follows from the keys
`floe.contract.<name>.<field>` for the newest MAJOR, and `floe.contract.<name>@<major>.<field>` for the others.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from floe.model import SendError

NAME, REPOSITORY, CONTRACTS = "floe.product.name", "floe.product.repo", "floe.contracts"
_FIELDS = ("version", "schema_hash", "owner", "description", "registered_at", "repository")
_KEY = re.compile(rf"floe\.contract\.(.+?)(@\d+)?\.({'|'.join(_FIELDS)})")
_LIST = re.compile(r"floe\.contracts(\.\d+)?")
# what the tables of Iceberg's SQL catalogs take
_LONGEST_KEY, _LONGEST_VALUE = 255, 1000


@dataclass(frozen=True, slots=True)
class Held:
    """One version of a contract as a catalog holds it."""

    name: str
    version: str
    schema_hash: str
    owner: str = ""
    description: str = ""
    registered_at: str = ""
    repository: str = ""  # where it is not the namespace's

    @property
    def order(self) -> tuple[int, ...]:
        """The order of two versions."""
        return tuple(int(part) for part in self.version.split("."))


def held(properties: Mapping[str, str]) -> list[Held]:
    """The contracts in a namespace's properties, by name and version."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for key, value in properties.items():
        match = _KEY.fullmatch(key)
        if match:
            found.setdefault((match[1], match[2] or ""), {})[match[3]] = value
    whole = [Held(name, **values) for (name, _), values in found.items() if _whole(values)]
    return sorted(whole, key=lambda each_held: (each_held.name, each_held.order))


def _whole(values: Mapping[str, str]) -> bool:
    return "schema_hash" in values and re.fullmatch(r"\d+\.\d+\.\d+", values.get("version", "")) is not None


def owner_of(properties: Mapping[str, str], name: str) -> str:
    """The repository that may write a contract: its own, else the namespace's."""
    own = (value.repository for value in held(properties) if value.name == name and value.repository)
    return next(own, properties.get(REPOSITORY, ""))


def with_contract(properties: Mapping[str, str], new: Held) -> dict[str, str]:
    """The properties floe wants where this version is held too; SendError (E523) where it has another hash there."""
    there = [
        replace(value, repository=new.repository) if value.name == new.name else value for value in held(properties)
    ]
    same = next((value for value in there if (value.name, value.order[0]) == (new.name, new.order[0])), None)
    if same and same.version == new.version and same.schema_hash != new.schema_hash:
        raise SendError(
            f"{new.name}:{new.version} is in the catalog with other content: "
            f"hash {same.schema_hash}, this version has {new.schema_hash}",
            "Two registries write to the same namespace; publish from one of them",
            "E523",
            permanent=True,
        )
    if same and same.order >= new.order:  # sent again, or a newer one came first
        return _written(there)
    return _written([*(value for value in there if value is not same), _fitting(new)])


def without_contract(properties: Mapping[str, str], name: str, major: int) -> dict[str, str]:
    """The properties floe wants where a MAJOR of a contract is held no longer."""
    return _written(value for value in held(properties) if (value.name, value.order[0]) != (name, major))


def _fitting(new: Held) -> Held:
    if len(f"floe.contract.{new.name}@99.registered_at") > _LONGEST_KEY:
        raise SendError(f"The name '{new.name[:50]}…' is too long for a catalog", "Shorten it", permanent=True)
    return replace(new, owner=_cut(new.owner), description=_cut(new.description))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _written(entries: Iterable[Held]) -> dict[str, str]:
    ordered = sorted(entries, key=lambda each_held: (each_held.name, each_held.order))
    newest = {value.name: value for value in ordered}
    found = _listed([f"{each_held.name}:{each_held.version}" for each_held in ordered]) if ordered else {}
    for value in ordered:
        major = "" if newest[value.name] is value else f"@{value.order[0]}"
        texts = {field: getattr(value, field) for field in _FIELDS}
        found |= {f"floe.contract.{value.name}{major}.{field}": text for field, text in texts.items() if text}
    return found


def _listed(names: Sequence[str]) -> dict[str, str]:
    """The list, in as many properties as it needs: `floe.contracts`, `floe.contracts.2`, …"""
    cuts, size = [0], 0
    for index, name in enumerate(names):
        size += len(json.dumps(name, ensure_ascii=False)) + 2
        if size > _LONGEST_VALUE and index > cuts[-1]:
            cuts.append(index)
            size = len(json.dumps(name, ensure_ascii=False)) + 2
    parts = [names[begin:end] for begin, end in pairwise([*cuts, len(names)])]
    keys = [CONTRACTS, *(f"{CONTRACTS}.{number}" for number in range(2, len(parts) + 1))]
    return {key: json.dumps(part, ensure_ascii=False) for key, part in zip(keys, parts, strict=True)}


def difference(there: Mapping[str, str], wanted: Mapping[str, str]) -> tuple[set[str], dict[str, str]]:
    """The keys of floe's contracts to remove, and the properties to set."""
    ours = {key for key in there if _KEY.fullmatch(key) or _LIST.fullmatch(key)}
    return ours - set(wanted), {key: value for key, value in wanted.items() if there.get(key) != value}
