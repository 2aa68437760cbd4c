"""Evaluating expectations with Spark: the session, one pass for row rules, keys, references, SQL rules, samples of bad rows.

Importing it without pyspark is an EngineError, which callers turn into "not evaluated": metadata needs no Spark.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from floe.model import EngineError
from floe.system.lazy import lazy

if find_spec("pyspark") is None:
    raise EngineError("pyspark is not installed", "pip install 'floe-contracts[spark]'")

if TYPE_CHECKING:
    from floe.engine.spark import (
        keys as keys,
        major_table as major_table,
        measure as measure,
        measure_query as measure_query,
        measure_volume as measure_volume,
        migrate as migrate,
        mlflow as mlflow,
        profile as profile,
        protect as protect,
        repair as repair,
        row_pass as row_pass,
        scan as scan,
        session as session,
    )
else:
    _MODULES = (
        "keys",
        "major_table",
        "measure",
        "measure_query",
        "measure_volume",
        "migrate",
        "mlflow",
        "profile",
        "protect",
        "repair",
        "row_pass",
        "scan",
        "session",
    )
    __getattr__ = lazy(__name__, _MODULES)
