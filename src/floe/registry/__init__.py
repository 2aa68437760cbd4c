"""What is kept: versions, runs, tables, consumers, incidents, messages to send; SQLite or PostgreSQL by one code path."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.registry import (
        catalogs as catalogs,
        consumers as consumers,
        day_facts as day_facts,
        details as details,
        exports as exports,
        figures as figures,
        incidents as incidents,
        leases as leases,
        lifecycle as lifecycle,
        lineage as lineage,
        names as names,
        offline as offline,
        outbox as outbox,
        outbox_worker as outbox_worker,
        schema as schema,
        search as search,
        signoffs as signoffs,
        sla_status as sla_status,
        store as store,
        timed as timed,
        transfer as transfer,
        versions as versions,
        worker_lock as worker_lock,
    )
    from floe.registry.store import Store as Store, find_store as find_store, open_store as open_store
else:
    _MODULES = (
        "consumers",
        "day_facts",
        "details",
        "exports",
        "figures",
        "incidents",
        "leases",
        "lifecycle",
        "lineage",
        "names",
        "offline",
        "outbox",
        "outbox_worker",
        "schema",
        "search",
        "signoffs",
        "sla_status",
        "store",
        "timed",
        "transfer",
        "versions",
        "worker_lock",
        "catalogs",
    )
    __getattr__ = lazy(__name__, _MODULES, {"Store": "store", "find_store": "store", "open_store": "store"})
