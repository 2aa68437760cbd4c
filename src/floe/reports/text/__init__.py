"""Everything that commands print for people."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.text import (
        columns as columns,
        compile as compile,
        consumers as consumers,
        contracts as contracts,
        diff as diff,
        doctor as doctor,
        effective as effective,
        explain as explain,
        figures as figures,
        findings as findings,
        impact as impact,
        lifecycle as lifecycle,
        migrate as migrate,
        monitor as monitor,
        outbox as outbox,
        plan as plan,
        protect as protect,
        publish as publish,
        quarantine as quarantine,
        result as result,
        runs as runs,
    )
else:
    _MODULES = (
        "columns",
        "compile",
        "consumers",
        "contracts",
        "diff",
        "doctor",
        "effective",
        "explain",
        "figures",
        "findings",
        "impact",
        "lifecycle",
        "migrate",
        "monitor",
        "outbox",
        "plan",
        "protect",
        "publish",
        "quarantine",
        "result",
        "runs",
    )
    __getattr__ = lazy(__name__, _MODULES)
