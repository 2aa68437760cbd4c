"""Findings, results and diffs as workflow commands of GitHub."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.github import (
        diff as diff,
        findings as findings,
        result as result,
    )
else:
    _MODULES = (
        "diff",
        "findings",
        "result",
    )
    __getattr__ = lazy(__name__, _MODULES)
