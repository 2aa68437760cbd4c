"""Iceberg tables."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.iceberg import (
        changes as changes,
    )
    from floe.tables.iceberg import (
        commit as commit,
    )
    from floe.tables.iceberg import (
        deletes as deletes,
    )
    from floe.tables.iceberg import (
        field_ids as field_ids,
    )
    from floe.tables.iceberg import (
        local_files as local_files,
    )
    from floe.tables.iceberg import (
        manifests as manifests,
    )
    from floe.tables.iceberg import (
        metadata as metadata,
    )
    from floe.tables.iceberg import (
        names as names,
    )
    from floe.tables.iceberg import (
        protect as protect,
    )
    from floe.tables.iceberg import (
        reader as reader,
    )
    from floe.tables.iceberg import (
        required_fields as required_fields,
    )
    from floe.tables.iceberg import (
        rows as rows,
    )
    from floe.tables.iceberg import (
        table as table,
    )
else:
    _MODULES = (
        "changes",
        "commit",
        "deletes",
        "field_ids",
        "local_files",
        "manifests",
        "metadata",
        "names",
        "protect",
        "reader",
        "required_fields",
        "rows",
        "table",
    )
    __getattr__ = lazy(__name__, _MODULES)
