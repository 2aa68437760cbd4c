"""Findings and results as JUnit XML."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.junit import (
        findings as findings,
        result as result,
    )
else:
    _MODULES = (
        "findings",
        "result",
    )
    __getattr__ = lazy(__name__, _MODULES)
