"""What the table formats share of Spark: schemas, errors, statements about tables by path, rules of tables."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.tables.spark import (
        by_path as by_path,
        constraints as constraints,
        errors as errors,
        schema as schema,
    )
else:
    _MODULES = (
        "by_path",
        "constraints",
        "errors",
        "schema",
    )
    __getattr__ = lazy(__name__, _MODULES)
