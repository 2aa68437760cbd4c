"""A table as Spark sees it at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass

from floe.model.types import Struct


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a gate must know of a table: if any of it changes before the commit, the batch is judged again."""

    schema: Struct
    snapshot: str | None
    identity: str  # another one under the same name is another table
    properties: Mapping[str, str]
    partition: tuple[str, ...]
    location: str
