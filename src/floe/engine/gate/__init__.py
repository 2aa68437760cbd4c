"""The write path of one batch: check its schema, stage it, evaluate it, split it, commit it. It never calls the action
that uses it.
"""

from typing import TYPE_CHECKING

import floe.engine.spark  # noqa: F401  (says it where pyspark is missing)
from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine.gate import (
        as_of as as_of,
        capture as capture,
        commit as commit,
        gate as gate,
        quarantine as quarantine,
        request as request,
        schema_check as schema_check,
        staging as staging,
    )
else:
    _MODULES = (
        "as_of",
        "capture",
        "commit",
        "gate",
        "quarantine",
        "request",
        "schema_check",
        "staging",
    )
    __getattr__ = lazy(__name__, _MODULES)
