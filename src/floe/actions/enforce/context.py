"""One batch's way through the gate: found, and refused before a JVM starts where it cannot work."""

import tempfile
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.load.find import find_for_write, find_layer
from floe.actions.verify.offline import require_offline_write, store_or_offline
from floe.engine.plan import make_plan
from floe.model import Contract, ContractError, Dataset, Finding, TableError
from floe.model.lifecycle import RETIRED, refusal, standing_of, used
from floe.model.plan import Plan
from floe.model.table import Target
from floe.model.types import schema_hash
from floe.settings import Settings
from floe.system.clock import utc_now
from floe.system.full_disk import remedy
from floe.system.private_files import OWN, private_folder
from floe.tables import reader_of
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from floe.registry import Store

MODES = ("append", "merge", "overwrite_partition")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How a caller wants a batch written."""

    mode: str = "append"
    way: TableSelector = field(default_factory=TableSelector)
    layer: str | None = None
    batch_id: str | None = None
    shadow: bool = False
    inputs: "Mapping[str, DataFrame] | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """One batch's way through the gate: what is held to what, and where it is written down."""

    settings: Settings
    contract: Contract
    dataset: Dataset
    layer: str
    table_id: str
    store: "Store"
    target: Target
    plan: Plan
    schema_version: int
    schema_hash: str
    run_id: str
    options: WriteOptions
    known: "Mapping[str, Any] | None" = None  # what the registry knows of the table
    offline: tuple[str, ...] = ()
    ending: Finding | None = None


def find_context(name: str | Path | Contract, options: WriteOptions, settings: Settings) -> WriteContext:
    """What a batch is held to and where it goes, or why it cannot."""
    contract, dataset = find_for_write(name, settings)
    where = find_layer(contract, dataset, options.layer)
    _possible(options.mode, where, dataset)
    table_id = contract.table_id(dataset) or f"{where}.{contract.domain or 'default'}.{dataset.name}"
    store = store_or_offline(settings)
    known = store.table(table_id)
    target = _committable(find_target(settings, contract, dataset, options.way, known))
    offline = require_offline_write(store, contract, target, where, settings)
    ending = None if offline else _usable(contract, store)
    if known and not offline:
        registry.offline.keep_table(settings.root / ".floe", known)
    _writable(settings.path(settings.tables.warehouse))
    plan = make_plan(contract, dataset, settings.classifications)
    digest = schema_hash(plan.schema)
    return WriteContext(
        settings=settings,
        contract=contract,
        dataset=dataset,
        layer=where,
        table_id=table_id,
        store=store,
        target=target,
        plan=plan,
        schema_version=store.schema_version(table_id, digest, declared(dataset)),
        schema_hash=digest,
        run_id=uuid.uuid4().hex,
        options=options,
        known=known,
        offline=offline,
        ending=ending,
    )


def _usable(contract: Contract, store: "Store") -> Finding | None:
    """What a contract's end says to its writers; E572 where it is retired."""
    first = standing_of(contract)
    standing = registry.lifecycle.state(store, first.contract, first.major, utc_now(), lambda: first)
    ending = used(standing, contract.identity)
    if ending and standing.state == RETIRED:
        raise refusal(ending)
    return ending


def _committable(target: Target) -> Target:
    """Say that a table has no commit before a JVM starts."""
    if not reader_of(target).can_commit(target):
        raise TableError(
            f"{target} is a {target.format} table given by path, which floe can read but not write",
            "Pass a Delta folder, or an Iceberg table as catalog.namespace.table, with --table",
        )
    return target


def _possible(mode: str, layer: str, dataset: Dataset) -> None:
    """Say that a mode cannot work with a contract before a JVM starts."""
    if mode != "append" and layer == "bronze":
        raise ContractError("Bronze only appends", "Append", "E501")
    if mode == "merge" and layer == "gold":
        raise ContractError(
            "Gold keeps snapshots and does not support merge", "Use append, or overwrite_partition", "E501"
        )
    if mode == "merge" and not dataset.primary_key:
        raise ContractError(
            f"'{dataset.name}' has no primary key for merge", "Add primaryKey: true to its key columns", "E501"
        )
    if mode == "overwrite_partition" and not dataset.partition:
        raise ContractError(
            f"'{dataset.name}' has no partition columns for overwrite_partition",
            "Add partitioned: true to its partition columns",
            "E501",
        )


def declared(dataset: Dataset) -> int | None:
    """The schema_version that the contract itself gives."""
    said = dataset.custom.get("schemaVersion")
    return said if isinstance(said, int) else None


def _writable(folder: Path) -> None:
    """Say that the warehouse cannot be written before a JVM starts."""
    try:
        if OWN in folder.parts:  # what others may read stands elsewhere
            private_folder(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise TableError(
            f"The warehouse {folder} cannot be written: {error.strerror}",
            remedy(error, "Make it writable, or set tables.warehouse"),
        ) from None
