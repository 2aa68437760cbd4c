"""A table at one snapshot, ready to be asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows: those with these values, and of these the ones that a column dates before a moment."""

    values: Mapping[str, Any]
    dated: str | None = None
    before: date | datetime | None = None


class Opened(Protocol):
    """A table at one snapshot."""

    @property
    def properties(self) -> Mapping[str, str]:
        """What the table says of itself."""

    @property
    def schema(self) -> Struct:
        """Its columns as Spark shows them."""

    def find(self, wanted: Wanted) -> list[dict[str, Any]]:
        """The rows that are wanted."""

    def stored(self, promised: Struct) -> Struct:
        """A schema as the format keeps it."""

    def past(self, schema_hash: str, version: int | None) -> Struct | None:
        """The schema of a kept snapshot that was written under a hash that begins so, else under a version."""


def open_table(target: Target, settings: Settings) -> Opened | None:
    """The table as it is now; None where there is none, TableError where it is out of reach."""
    if target.format == "iceberg":
        from floe.data.rows import iceberg  # noqa: PLC0415  (0.3 s that a Delta table does not need)

        return iceberg.open_table(target, settings)
    from floe.data.rows import delta  # noqa: PLC0415  (deltalake is heavy too)

    return delta.open_table(target)


def marked(marks: Mapping[str, Any], schema_hash: str, version: int | None) -> bool:
    """Whether the marks of a commit name this schema."""
    if schema_hash:
        return str(marks.get("floe.schema_hash", "")).startswith(schema_hash)
    return version is not None and str(marks.get("floe.schema_version")) == str(version)
