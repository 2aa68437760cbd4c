"""The producer's migration texts for the changes of a new version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from floe.model.finding import Place
from floe.model.yaml_text import Map


@dataclass(frozen=True, slots=True)
class ListedChange:
    """One entry of changes.yaml."""

    values: Mapping[str, Any]
    node: Map = field(compare=False, repr=False)

    @property
    def place(self) -> Place:
        """Its place."""
        return self.node.place

    @property
    def plan(self) -> dict[str, Any]:
        """Its migration text and deadline, where it has them."""
        return {key: self.values[key] for key in ("migration", "deadline") if self.values.get(key) is not None}

    def __str__(self) -> str:
        where = self.values.get("field") or f"{self.values.get('old_field')} → {self.values.get('new_field')}"
        return f"{self.values.get('type')} {where}"
