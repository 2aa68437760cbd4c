"""Results and figures as HTML pages."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.html import (
        chart as chart,
        figures as figures,
        result as result,
    )
else:
    _MODULES = (
        "chart",
        "figures",
        "result",
    )
    __getattr__ = lazy(__name__, _MODULES)
