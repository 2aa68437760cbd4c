"""How models name the features of a Gold table: by table, day and schema."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from floe.model.contract import Dataset, Field

_TEXT = re.compile(r"(?P<table>[^@\s]+)@(?P<day>\d{4}-\d\d-\d\d)/v(?P<version>\d{1,9})-(?P<hash>[0-9a-f]{8})")
_DATED = ("date", "timestamp", "timestamp_ntz")


@dataclass(frozen=True, slots=True)
class FeatureVersion:
    """A snapshot's name: table_id @ as_of / v schema_version - first of the hash.

    >>> str(FeatureVersion("gold.a.b", date(2026, 1, 31), 3, "sha256:9f2c1a7bffff"))
    'gold.a.b@2026-01-31/v3-9f2c1a7b'
    """

    table_id: str
    as_of: date
    schema_version: int
    schema_hash: str

    def __str__(self) -> str:
        return f"{self.table_id}@{self.as_of}/v{self.schema_version}-{self.schema_hash.removeprefix('sha256:')[:8]}"

    @classmethod
    def read(cls, text: str) -> "FeatureVersion | None":
        """The name in a text; None where it is none."""
        found = _TEXT.fullmatch(text)
        try:
            return (
                cls(found["table"], date.fromisoformat(found["day"]), int(found["version"]), found["hash"])
                if found
                else None
            )
        except ValueError:
            return None


def snapshot_keys(dataset: Dataset) -> tuple[Field, ...]:
    """The columns that name a row of a snapshot, where the contract lists them."""
    return tuple(_named(dataset, dataset.custom.get("snapshotKeys")))


def as_of_field(dataset: Dataset) -> Field | None:
    """The column that dates a snapshot: of the snapshot keys that are no join keys a day, else a moment."""
    joined = tuple(_named(dataset, dataset.custom.get("joinKeys")))
    dated = [field for field in _row_keys(dataset) if field not in joined and str(field.type) in _DATED]
    return min(dated, key=lambda field: _DATED.index(str(field.type)), default=None)


def entity_keys(dataset: Dataset) -> tuple[Field, ...]:
    """The columns that name what features are of: the join keys, else the snapshot keys without the day."""
    joined = tuple(_named(dataset, dataset.custom.get("joinKeys")))
    return joined or tuple(field for field in _row_keys(dataset) if field != as_of_field(dataset))


def _row_keys(dataset: Dataset) -> tuple[Field, ...]:
    return snapshot_keys(dataset) or dataset.primary_key


def _named(dataset: Dataset, listed: Any) -> Iterable[Field]:
    if isinstance(listed, str):
        listed = [listed]
    for name in listed if isinstance(listed, list) else ():
        yield from (field for field in dataset.fields if name in (field.name, field.column))
