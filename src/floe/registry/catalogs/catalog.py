"""A catalog with registered contracts, next to their tables."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NamespaceAlreadyExistsError, NoSuchNamespaceError

from floe.model import SendError
from floe.registry.catalogs.properties import (
    NAME,
    REPOSITORY,
    Held,
    difference,
    held,
    owner_of,
    with_contract,
    without_contract,
)

_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class ContractMetadata:
    """The metadata of a contract in a catalog besides its name and version."""

    owner: str = ""
    description: str = ""
    registered_at: str = ""


@dataclass(frozen=True, slots=True)
class ContractCatalog:
    """An Iceberg catalog, written to on behalf of one repository."""

    catalog: Catalog
    repository: str = ""
    before: str = ""  # the repository that a contract was transferred from

    def register_contract(
        self,
        namespace: str | Sequence[str],
        contract_name: str,
        contract_version: str,
        schema_hash: str,
        metadata: ContractMetadata,
    ) -> None:
        """Write a contract to its product's namespace; again is nothing, another repository's namespace is E541."""
        parts = tuple(namespace.split(".", 1)) if isinstance(namespace, str) else tuple(namespace)
        said = (metadata.owner, metadata.description, metadata.registered_at)
        new = Held(contract_name, contract_version, schema_hash, *said)
        self._write(parts, contract_name, lambda there: self._with(there, new) | {NAME: parts[-1]})

    def retire_contract(self, namespace: str | Sequence[str], contract_name: str, major: int) -> None:
        """Take a retired MAJOR out of its product's namespace, whose owner stays; nothing where it is not there."""
        parts = tuple(namespace.split(".", 1)) if isinstance(namespace, str) else tuple(namespace)
        with suppress(NoSuchNamespaceError):
            self.catalog.load_namespace_properties(parts)
            self._write(parts, contract_name, lambda there: without_contract(there, contract_name, major))

    def _with(self, there: Mapping[str, str], new: Held) -> dict[str, str]:
        others = any(value.name != new.name for value in held(there))  # a namespace without owner stays so
        shared = there.get(REPOSITORY) or ("" if others else self.repository)
        own = "" if _plain(shared) == _plain(self.repository) else self.repository
        wanted = with_contract(there, replace(new, repository=own))
        return wanted | {REPOSITORY: shared} if shared else wanted

    def _write(self, parts: tuple[str, ...], name: str, wish: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
        for _ in range(_ROUNDS):  # what was written is read again: catalogs know no transaction over both
            there = self._properties(parts)
            self._check_owner(parts, owner_of(there, name))
            removals, updates = difference(there, wish(there))
            if not removals and not updates:
                return
            self.catalog.update_namespace_properties(parts, removals, updates)
        raise SendError(f"The namespace {'.'.join(parts)} changes faster than it can be written", "", "E540")

    def _properties(self, parts: tuple[str, ...]) -> dict[str, str]:
        """The namespace's properties, once it and those above it are there."""
        with suppress(NoSuchNamespaceError):
            return dict(self.catalog.load_namespace_properties(parts))
        for depth in range(1, len(parts) + 1):
            with suppress(NamespaceAlreadyExistsError):
                self.catalog.create_namespace(parts[:depth])
        return dict(self.catalog.load_namespace_properties(parts))

    def _check_owner(self, parts: tuple[str, ...], owner: str) -> None:
        if not owner or _plain(owner) in (_plain(self.repository), _plain(self.before) or None):
            return
        raise SendError(
            f"The namespace {'.'.join(parts)} belongs to the repository {owner}, "
            f"this contract belongs to {self.repository or 'none'}",
            "Publish it from there, or give the product another name",
            "E541",
            permanent=True,
        )


def _plain(repository: str) -> str:
    """A repository's address without parts that do not identify it."""
    return re.sub(r"^(\w+://([^/@]*@)?|git@)|(\.git)?/*$", "", repository.strip().lower()).replace(":", "/")
