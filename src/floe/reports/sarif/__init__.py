"""Findings as SARIF."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.sarif import (
        findings as findings,
    )
else:
    _MODULES = ("findings",)
    __getattr__ = lazy(__name__, _MODULES)
