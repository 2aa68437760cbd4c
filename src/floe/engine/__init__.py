"""From a contract and a table to outcomes, and from a batch to a commit; besides `floe.tables` the only part that imports
pyspark.
"""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine import (
        gate as gate,
        incremental as incremental,
        metadata as metadata,
        plan as plan,
        spark as spark,
    )
else:
    _MODULES = (
        "gate",
        "incremental",
        "metadata",
        "plan",
        "spark",
    )
    __getattr__ = lazy(__name__, _MODULES)
