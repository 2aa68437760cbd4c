"""What the table formats share of Spark: schemas, errors, statements about tables by path, rules of tables."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.spark import (
        by_path as by_path,
    )
    from floe.tables.spark import (
        constraints as constraints,
    )
    from floe.tables.spark import (
        errors as errors,
    )
    from floe.tables.spark import (
        schema as schema,
    )
    from floe.tables.spark import (
        unskipped as unskipped,
    )
else:
    _MODULES = (
        "by_path",
        "constraints",
        "errors",
        "schema",
        "unskipped",
    )
    __getattr__ = lazy(__name__, _MODULES)
