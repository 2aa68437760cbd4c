"""What is kept: versions, runs, tables, consumers, incidents, messages to send; SQLite or PostgreSQL by one code path."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.registry import (
        audit as audit,
    )
    from floe.registry import (
        catalogs as catalogs,
    )
    from floe.registry import (
        consumers as consumers,
    )
    from floe.registry import (
        day_facts as day_facts,
    )
    from floe.registry import (
        details as details,
    )
    from floe.registry import (
        exports as exports,
    )
    from floe.registry import (
        fact_put as fact_put,
    )
    from floe.registry import (
        figures as figures,
    )
    from floe.registry import (
        incidents as incidents,
    )
    from floe.registry import (
        insert as insert,
    )
    from floe.registry import (
        leases as leases,
    )
    from floe.registry import (
        lifecycle as lifecycle,
    )
    from floe.registry import (
        lineage as lineage,
    )
    from floe.registry import (
        names as names,
    )
    from floe.registry import (
        offline as offline,
    )
    from floe.registry import (
        outbox as outbox,
    )
    from floe.registry import (
        outbox_put as outbox_put,
    )
    from floe.registry import (
        outbox_worker as outbox_worker,
    )
    from floe.registry import (
        rule_history as rule_history,
    )
    from floe.registry import (
        schema as schema,
    )
    from floe.registry import (
        search as search,
    )
    from floe.registry import (
        signoffs as signoffs,
    )
    from floe.registry import (
        sla_status as sla_status,
    )
    from floe.registry import (
        store as store,
    )
    from floe.registry import (
        transfer as transfer,
    )
    from floe.registry import (
        versions as versions,
    )
    from floe.registry import (
        worker_lock as worker_lock,
    )
    from floe.registry.store import Store as Store
    from floe.registry.store import find_store as find_store
    from floe.registry.store import open_store as open_store
else:
    _MODULES = (
        "audit",
        "consumers",
        "day_facts",
        "details",
        "exports",
        "fact_put",
        "figures",
        "incidents",
        "insert",
        "leases",
        "lifecycle",
        "lineage",
        "names",
        "offline",
        "outbox",
        "outbox_put",
        "outbox_worker",
        "rule_history",
        "schema",
        "search",
        "signoffs",
        "sla_status",
        "store",
        "transfer",
        "versions",
        "worker_lock",
        "catalogs",
    )
    __getattr__ = lazy(__name__, _MODULES, {"Store": "store", "find_store": "store", "open_store": "store"})
