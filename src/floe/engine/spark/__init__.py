"""Evaluating expectations with Spark: the session, one pass for row rules, keys, references, SQL rules, samples of bad rows."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.engine.spark import (
        concurrency as concurrency,
    )
    from floe.engine.spark import (
        cost as cost,
    )
    from floe.engine.spark import (
        jars as jars,
    )
    from floe.engine.spark import (
        java as java,
    )
    from floe.engine.spark import (
        keys as keys,
    )
    from floe.engine.spark import (
        major_table as major_table,
    )
    from floe.engine.spark import (
        measure as measure,
    )
    from floe.engine.spark import (
        measure_query as measure_query,
    )
    from floe.engine.spark import (
        measure_volume as measure_volume,
    )
    from floe.engine.spark import (
        migrate as migrate,
    )
    from floe.engine.spark import (
        mlflow as mlflow,
    )
    from floe.engine.spark import (
        profile as profile,
    )
    from floe.engine.spark import (
        protect as protect,
    )
    from floe.engine.spark import (
        repair as repair,
    )
    from floe.engine.spark import (
        row_pass as row_pass,
    )
    from floe.engine.spark import (
        samples as samples,
    )
    from floe.engine.spark import (
        scan as scan,
    )
    from floe.engine.spark import (
        session as session,
    )
else:
    _MODULES = (
        "concurrency",
        "cost",
        "jars",
        "java",
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
        "samples",
        "scan",
        "session",
    )
    __getattr__ = lazy(__name__, _MODULES)
