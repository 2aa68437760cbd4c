"""Delta Lake tables."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.delta import (
        changes as changes,
    )
    from floe.tables.delta import (
        commit as commit,
    )
    from floe.tables.delta import (
        history as history,
    )
    from floe.tables.delta import (
        metadata as metadata,
    )
    from floe.tables.delta import (
        protect as protect,
    )
    from floe.tables.delta import (
        reader as reader,
    )
    from floe.tables.delta import (
        rows as rows,
    )
    from floe.tables.delta import (
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
