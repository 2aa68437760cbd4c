"""What is decided without reading rows: schemas compared, rules proved by the statistics of files, drift, cost, age."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine.metadata import (
        age as age,
        anomaly as anomaly,
        budget as budget,
        drift as drift,
        profile as profile,
        proof as proof,
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
