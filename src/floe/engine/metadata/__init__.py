"""What is decided without reading rows: schemas compared, rules proved by the statistics of files, drift, cost, age."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine.metadata import (
        anomaly as anomaly,
        profile as profile,
        proof as proof,
        schema as schema,
    )
else:
    _MODULES = (
        "anomaly",
        "profile",
        "proof",
        "schema",
    )
    __getattr__ = lazy(__name__, _MODULES)
