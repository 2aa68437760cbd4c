"""From a contract and a table to outcomes, and from a batch to a commit; beside `floe.tables` the only part that imports
pyspark.
"""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine import (
        gate as gate,
    )
    from floe.engine import (
        incremental as incremental,
    )
    from floe.engine import (
        metadata as metadata,
    )
    from floe.engine import (
        plan as plan,
    )
    from floe.engine import (
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
