"""Everything that commands print for people."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports.text import (
        columns as columns,
    )
    from floe.reports.text import (
        compile as compile,
    )
    from floe.reports.text import (
        consumers as consumers,
    )
    from floe.reports.text import (
        contracts as contracts,
    )
    from floe.reports.text import (
        diff as diff,
    )
    from floe.reports.text import (
        doctor as doctor,
    )
    from floe.reports.text import (
        effective as effective,
    )
    from floe.reports.text import (
        explain as explain,
    )
    from floe.reports.text import (
        figures as figures,
    )
    from floe.reports.text import (
        findings as findings,
    )
    from floe.reports.text import (
        impact as impact,
    )
    from floe.reports.text import (
        lifecycle as lifecycle,
    )
    from floe.reports.text import (
        migrate as migrate,
    )
    from floe.reports.text import (
        monitor as monitor,
    )
    from floe.reports.text import (
        outbox as outbox,
    )
    from floe.reports.text import (
        plan as plan,
    )
    from floe.reports.text import (
        protect as protect,
    )
    from floe.reports.text import (
        publish as publish,
    )
    from floe.reports.text import (
        quarantine as quarantine,
    )
    from floe.reports.text import (
        result as result,
    )
    from floe.reports.text import (
        runs as runs,
    )
    from floe.reports.text import (
        write as write,
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
        "write",
    )
    __getattr__ = lazy(__name__, _MODULES)
