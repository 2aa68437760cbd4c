"""What the table formats share of Spark: schemas, errors, statements about tables by path, rules of tables."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.spark import (
        errors as errors,
        schema as schema,
        unskipped as unskipped,
    )
else:
    _MODULES = (
        "errors",
        "schema",
        "unskipped",
    )
    __getattr__ = lazy(__name__, _MODULES)
