"""Rows of a table by their key, read without Spark."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from floe.model.types import Struct


@dataclass(frozen=True, slots=True)
class RowQuery:
    """A selection of rows: those with these values, and of these the ones dated before a point in time."""

    values: Mapping[str, Any]
    dated: str | None = None
    before: date | datetime | None = None


class TableRows(Protocol):
    """A table at one snapshot."""

    @property
    def properties(self) -> Mapping[str, str]:
        """The table's own properties."""

    @property
    def schema(self) -> Struct:
        """Its columns as Spark shows them."""

    def find(self, wanted: RowQuery) -> list[dict[str, Any]]:
        """The rows that are wanted."""

    def stored(self, promised: Struct) -> Struct:
        """A schema as the format keeps it."""

    def past(self, schema_hash: str, version: int | None) -> Struct | None:
        """The schema of a kept snapshot that was written under a hash that begins so, else under a version."""


def marked(marks: Mapping[str, Any], schema_hash: str, version: int | None) -> bool:
    """Whether the marks of a commit name this schema."""
    if schema_hash:
        return str(marks.get("floe.schema_hash", "")).startswith(schema_hash)
    return version is not None and str(marks.get("floe.schema_version")) == str(version)
