"""Folders of Parquet files, which floe reads and never commits to."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.parquet import (
        columns as columns,
        folder as folder,
        footers as footers,
        reader as reader,
        table as table,
    )
else:
    _MODULES = (
        "columns",
        "folder",
        "footers",
        "reader",
        "table",
    )
    __getattr__ = lazy(__name__, _MODULES)
