"""The contracts in a catalog."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from floe.model import RegistryError, SendError
from floe.registry.catalogs.opened import CannotHoldError, open_catalog, options_of, spoken
from floe.registry.catalogs.properties import NAME, REPOSITORY, held
from floe.settings import Settings
from floe.system.timeout import call_with_timeout

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

_PATIENCE = 30


@dataclass(frozen=True, slots=True)
class Listed:
    """A contract's newest version of one MAJOR in a catalog."""

    contract_id: str  # sales.customer_360/customers
    version: str
    schema_hash: str
    owner: str
    repository: str


def listed(settings: Settings, catalog: str | None = None) -> list[Listed]:
    """The contracts in a catalog, the settings' first where none is named; RegistryError (E540) out of reach."""
    name = catalog or contract_catalog(settings)
    if name is None:
        return []
    try:
        with spoken(name, settings):
            return call_with_timeout(lambda: _found(name, settings), _PATIENCE)
    except (SendError, CannotHoldError) as error:
        code, suggestion = getattr(error, "code", ""), getattr(error, "suggestion", "")
        raise RegistryError(getattr(error, "message", str(error)), suggestion, code or "E540") from None


def contract_catalog(settings: Settings) -> str | None:
    """The catalog for contracts: the first one of the settings."""
    return next(iter(settings.catalogs), None)


def _found(name: str, settings: Settings) -> list[Listed]:
    uri = options_of(name, settings).get("uri", "")
    if uri.startswith("sqlite:///") and not Path(uri.removeprefix("sqlite:///")).is_file():
        return []  # looking leaves no trace
    opened = open_catalog(name, settings)
    spaces = [space for domain in opened.list_namespaces() for space in _below(opened, domain)]
    return [value for space in sorted(spaces) for value in _in(opened, space)]


def _below(opened: "Catalog", domain: tuple[str, ...]) -> list[tuple[str, ...]]:
    # pyiceberg's SQL catalog also returns those of sales_eu for sales
    return [space for space in opened.list_namespaces(domain) if space[: len(domain)] == domain]


def _in(opened: "Catalog", space: tuple[str, ...]) -> list[Listed]:
    properties = opened.load_namespace_properties(space)
    product = f"{'.'.join(space[:-1])}.{properties.get(NAME, space[-1])}"
    repository = properties.get(REPOSITORY, "")
    return [
        Listed(f"{product}/{value.name}", value.version, value.schema_hash, value.owner, value.repository or repository)
        for value in held(properties)
    ]
