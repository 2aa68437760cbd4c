"""What is decided without reading rows: schemas compared, rules proved by the statistics of files, drift, cost, age."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine.metadata import (
        age as age,
    )
    from floe.engine.metadata import (
        anomaly as anomaly,
    )
    from floe.engine.metadata import (
        budget as budget,
    )
    from floe.engine.metadata import (
        drift as drift,
    )
    from floe.engine.metadata import (
        profile as profile,
    )
    from floe.engine.metadata import (
        proof as proof,
    )
    from floe.engine.metadata import (
        schema as schema,
    )
else:
    _MODULES = (
        "age",
        "anomaly",
        "budget",
        "drift",
        "profile",
        "proof",
        "schema",
    )
    __getattr__ = lazy(__name__, _MODULES)
