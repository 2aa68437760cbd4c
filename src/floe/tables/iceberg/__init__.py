"""Iceberg tables."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.iceberg import (
        changes as changes,
        commit as commit,
        deletes as deletes,
        field_ids as field_ids,
        local_files as local_files,
        manifests as manifests,
        metadata as metadata,
        names as names,
        protect as protect,
        reader as reader,
        required_fields as required_fields,
        rows as rows,
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
