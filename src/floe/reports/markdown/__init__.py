"""Findings, results, diffs and reference pages in Markdown."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.markdown import (
        changes as changes,
        ci as ci,
        codes as codes,
        diff as diff,
        findings as findings,
        impact as impact,
        result as result,
    )
else:
    _MODULES = (
        "changes",
        "ci",
        "codes",
        "diff",
        "findings",
        "impact",
        "result",
    )
    __getattr__ = lazy(__name__, _MODULES)
