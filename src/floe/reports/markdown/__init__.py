"""Findings, results, diffs and reference pages in Markdown."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.markdown import (
        changes as changes,
    )
    from floe.reports.markdown import (
        ci as ci,
    )
    from floe.reports.markdown import (
        codes as codes,
    )
    from floe.reports.markdown import (
        diff as diff,
    )
    from floe.reports.markdown import (
        findings as findings,
    )
    from floe.reports.markdown import (
        impact as impact,
    )
    from floe.reports.markdown import (
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
