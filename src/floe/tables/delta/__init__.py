"""Delta Lake tables."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.delta import (
        changes as changes,
        commit as commit,
        history as history,
        metadata as metadata,
        protect as protect,
        reader as reader,
        rows as rows,
        table as table,
    )
else:
    _MODULES = (
        "changes",
        "commit",
        "history",
        "metadata",
        "protect",
        "reader",
        "rows",
        "table",
    )
    __getattr__ = lazy(__name__, _MODULES)
