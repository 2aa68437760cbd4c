"""The write path of one batch: check its schema, stage it, evaluate it, split it, commit it. It never calls the action
that uses it.
"""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine.gate import (
        as_of as as_of,
    )
    from floe.engine.gate import (
        batch as batch,
    )
    from floe.engine.gate import (
        capture as capture,
    )
    from floe.engine.gate import (
        commit as commit,
    )
    from floe.engine.gate import (
        existing as existing,
    )
    from floe.engine.gate import (
        gate as gate,
    )
    from floe.engine.gate import (
        quarantine as quarantine,
    )
    from floe.engine.gate import (
        request as request,
    )
    from floe.engine.gate import (
        schema_check as schema_check,
    )
    from floe.engine.gate import (
        stage as stage,
    )
else:
    _MODULES = (
        "as_of",
        "batch",
        "capture",
        "commit",
        "existing",
        "gate",
        "quarantine",
        "request",
        "schema_check",
        "stage",
    )
    __getattr__ = lazy(__name__, _MODULES)
