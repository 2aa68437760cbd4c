"""What a write needs: the contract, its table and plan, found and checked before a JVM starts, and what the gate gets of it."""

import tempfile
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import engine, registry, tables
from floe.actions.load.find import find_for_write, find_layer
from floe.actions.verify.references import reference_targets, require_offline_write, salt_of, store_or_offline
from floe.engine.plan import make_plan
from floe.engine.plan.expectations import zone_name
from floe.lang.secret import with_variables_hidden
from floe.model import Contract, ContractError, Dataset, Finding, TableError
from floe.model.contract import Target, as_of_field
from floe.model.lifecycle import RETIRED, refusal, standing_of, used
from floe.model.plan import Plan
from floe.model.result import Outcome
from floe.model.types import Atomic, schema_hash
from floe.settings import Settings
from floe.system.full_disk import remedy
from floe.system.private_files import OWN, private_folder
from floe.tables import reader_of
from floe.tables.locate import TableSelector, find_target, kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from floe.engine.gate.request import WriteRequest
    from floe.engine.gate.staging import StagingArea
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
    """The context of a write: contract, plan, table, and the places where it is recorded."""

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
    """Find the contract and the table of a batch, or raise the reason why it cannot be written."""
    contract, dataset = find_for_write(name, settings)
    where = find_layer(contract, dataset, options.layer)
    _possible(options.mode, where, dataset)
    table_id = contract.table_id(dataset) or f"{where}.{contract.domain or 'default'}.{dataset.name}"
    store = store_or_offline(settings)
    known = store.table(table_id)
    target = _committable(find_target(settings, contract, dataset, options.way, known))
    offline = require_offline_write(store, contract, target, where, settings)
    ending = None if offline else _usable(contract, store, settings.clock())
    if known and not offline:
        registry.offline.keep_table(settings.root / ".floe", known)
    _check_writable(settings.place(settings.tables.warehouse))
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


def _usable(contract: Contract, store: "Store", now: datetime) -> Finding | None:
    """The finding of a contract's lifecycle for its writers; E572 if it is retired."""
    first = standing_of(contract)
    standing = registry.lifecycle.state(store, first.contract, first.major, now, lambda: first)
    ending = used(standing, contract.identity)
    if ending and standing.state == RETIRED:
        raise refusal(ending)
    return ending


def _committable(target: Target) -> Target:
    """Refuse a table that floe cannot write, before a JVM starts."""
    if not reader_of(target).can_commit(target):
        raise TableError(
            f"{target} is a {target.format} table given by path, which floe can read but not write",
            "Pass a Delta folder, or an Iceberg table as catalog.namespace.table, with --table",
        )
    return target


def _possible(mode: str, layer: str, dataset: Dataset) -> None:
    """Refuse a mode that the contract does not support, before a JVM starts."""
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


def _check_writable(warehouse: str) -> None:
    """Refuse a warehouse that cannot be written, before a JVM starts; of an object store, a bucket that is not there."""
    if tables.storage.is_remote(warehouse):
        tables.storage.check_bucket(warehouse)
        return
    folder = Path(warehouse)
    try:
        if OWN in folder.parts:  # folders that others may read are elsewhere
            private_folder(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise TableError(
            f"The warehouse {folder} cannot be written: {error.strerror}",
            remedy(error, "Make it writable, or set tables.warehouse"),
        ) from None


def write_request(context: WriteContext, staging: "StagingArea", inputs: tuple[Outcome, ...]) -> "WriteRequest":
    """Everything the gate needs besides the rows."""
    settings, options = context.settings, context.options
    level = settings.data_contracts.enforcement
    quarantine = engine.gate.request.Quarantine.NONE
    if context.dataset.custom.get("onViolation") == "quarantine":
        quarantine = engine.gate.request.Quarantine.REFUSED if level == "off" else engine.gate.request.Quarantine.BROKEN
    dated = as_of_field(context.dataset) if context.layer == "gold" else None
    return engine.gate.request.WriteRequest(
        plan=context.plan,
        target=context.target,
        layer=context.layer,
        mode=options.mode,
        level=level,
        staging=staging,
        salt=salt_of(settings.root),
        contract=context.contract.identity,
        schema_version=engine.gate.schema_check.SchemaVersion(
            hash=context.schema_hash,
            version=context.schema_version,
            declared=declared(context.dataset) is not None,
            identity=_identity(context),
            before=_registered_identity(context),
        ),
        run_id=context.run_id,
        batch_id=options.batch_id,
        shadow=options.shadow,
        quarantine=quarantine,
        as_of=dated.column if dated else None,
        inputs=inputs,
        references=reference_targets(context.plan, context.contract, options.way.references, settings, context.store),
        settings=settings,
    )


def _identity(context: WriteContext) -> dict[str, Any]:
    """The key, partition and meaning of the rows; it is stored in the table and compared at every write."""
    custom, dataset = context.dataset.custom, context.dataset
    found = {
        "primary key": list(context.plan.key),
        "partition columns": list(context.plan.partition),
        "join keys": custom.get("joinKeys"),
        "snapshot keys": custom.get("snapshotKeys"),
        "feature set": custom.get("featureSet"),
        "grain": " ".join(str(dataset.node.get("dataGranularityDescription") or "").split()).casefold(),
        "time zones": {
            field.path: zone_name(field) for field in dataset.walk() if field.type == Atomic("timestamp_ntz")
        },
    }
    return {name: value for name, value in found.items() if value or name in ("primary key", "partition columns")}


def _registered_identity(context: WriteContext) -> dict[str, Any]:
    """The keys and partition columns that the registry knows, where it knows this very table."""
    known = context.known or {}
    if not known or with_variables_hidden(context.target.name) != known.get("name"):
        return {}
    if not context.target.name and str(known.get("location")) not in (
        kept(str(context.target), context.settings.root),
        with_variables_hidden(str(context.target)),  # as an older floe kept it
    ):
        return {}
    return {"primary key": known["primary_keys"], "partition columns": known["partition_cols"]}


def check_batch_file(batch: str) -> None:
    """TableError where a batch is no Parquet file, or no folder of nothing else."""
    if "://" in batch:
        return
    path = Path(batch)
    if not path.exists():
        raise TableError(f"The batch {batch} does not exist", "Pass a Parquet file or a folder of Parquet files")
    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    if not files:
        raise TableError(
            f"The folder {batch} contains no Parquet file", "Pass a Parquet file or a folder of Parquet files"
        )
    others = _others(path) if path.is_dir() else ()
    if others:
        raise TableError(
            f"The folder {batch} contains a file without the suffix .parquet: {Path(others[0]).name}",
            "Move it, or rename it to *.parquet",
        )
    for file in files:
        with file.open("rb") as stream:
            head = stream.read(4)
            stream.seek(max(file.stat().st_size - 4, 0))
            if (head, stream.read(4)) != (b"PAR1", b"PAR1"):
                raise TableError(f"The batch {file} is not a Parquet file or is truncated", "Write it again as Parquet")


def _others(folder: Path) -> tuple[str, ...]:
    """The files of a folder that are not named as Parquet; TableError where they are partitioned in two ways."""
    found = tables.parquet.folder.list_files(str(folder))
    return found.others if found else ()
