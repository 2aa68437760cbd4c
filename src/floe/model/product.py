"""The content of a product folder."""

from dataclasses import dataclass

from floe.model.finding import Place
from floe.model.yaml_text import Map


@dataclass(frozen=True, slots=True)
class InputPort:
    """An input of a product: a name, and its contract."""

    name: str
    contract: str
    place: Place


@dataclass(frozen=True, slots=True)
class OutputPort:
    """What a product gives: a table, with the contract that its port alone makes."""

    name: str
    table: str
    format: str | None
    tree: Map
    place: Place


@dataclass(frozen=True, slots=True)
class Product:
    """A product: who owns it, what it gives, what it takes."""

    name: str
    domain: str
    version: str
    owner: str
    repository: str
    source: str
    outputs: tuple[OutputPort, ...] = ()
    inputs: tuple[InputPort, ...] = ()
    transforms: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.domain}.{self.name}"
