"""Enforce: hold a batch to its contract in the write path."""

import tempfile
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.actions.find import find_contract, find_layer
from floe.actions.find_table import Way, find_target
from floe.actions.record import of_write, record
from floe.actions.references import reference_targets
from floe.actions.salt import salt_of
from floe.actions.settings import load_settings
from floe.data.plan import plan as make_plan
from floe.model import Contract, Dataset, TableError, ViolationError
from floe.model.clock import stamp, utc_now
from floe.model.decision import Verdict, decide
from floe.model.plan import Plan
from floe.model.result import Result, WriteResult
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import schema_hash

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floe.data.spark.gate import Gate, Passage
    from floe.registry import Store

MODES = ("append",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
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
    references: Mapping[str, str]


def enforce(  # noqa: PLR0913  (the names the specification gives)
    df: "DataFrame",
    contract: str | Path | Contract,
    mode: str = "append",
    *,
    table: str | None = None,
    server: str | None = None,
    layer: str | None = None,
    references: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> WriteResult:
    """Write a batch to the table its contract promises, or raise ViolationError and write nothing.

    Args:
        df: the batch.
        contract: a table_id, an id with or without version, a path, YAML text, or a loaded contract.
        mode: append.
        table: the table, where it is not found by the contract: a catalog name or a path.
        server: the name or environment of the contract's server to write to, where it has several.
        layer: bronze, silver or gold, where the contract does not say.
        references: the tables of datasets that keys refer to, by name, where they are not found.
        settings: read from the folder's manifest.yaml and the environment where not given.
    """
    if mode not in MODES:
        raise ValueError(f"mode '{mode}' is none of {', '.join(MODES)}")
    return _enforce(df, mode, _case(contract, Way(table, server, references or {}), layer, settings or load_settings()))


def _enforce(df: "DataFrame", mode: str, case: _Case) -> WriteResult:
    from floe.data.spark.gate import append

    started = time.monotonic()
    passage = append(df, _gate(case))
    result = _written(case, mode, passage, stamp(utc_now()), round(time.monotonic() - started, 3))
    result = _record(case, result)
    if result.refused:
        raise _refusal(result)
    return result


def _case(name: str | Path | Contract, way: Way, layer: str | None, settings: Settings) -> _Case:
    from floe.registry import open_store

    contract, dataset = find_contract(name, settings)
    where = find_layer(contract, dataset, layer)
    table_id = contract.table_id(dataset) or f"{where}.{contract.domain or 'default'}.{dataset.name}"
    store = open_store(settings["registry.url"], settings.root)
    target = _committable(find_target(settings, contract, dataset, way, store.table(table_id)))
    _writable(settings.path("tables.warehouse"))
    plan = make_plan(contract, dataset, settings["classifications"])
    digest = schema_hash(plan.schema)
    return _Case(
        settings=settings,
        contract=contract,
        dataset=dataset,
        layer=where,
        table_id=table_id,
        store=store,
        target=target,
        plan=plan,
        schema_version=store.schema_version(table_id, digest, _declared(dataset)),
        schema_hash=digest,
        run_id=uuid.uuid4().hex,
        references=way.references,
    )


def _committable(target: Target) -> Target:
    """Say that a table has no commit before a JVM starts."""
    if not target.committable:
        raise TableError(
            f"{target} is {target.format} by path, which floe reads but cannot commit to",
            "Name a Delta folder, or an Iceberg table as catalog.namespace.table, with --table",
        )
    return target


def _gate(case: _Case) -> "Gate":
    from floe.data.spark.gate import Gate

    level = case.settings["data_contracts.enforcement"]
    staging = case.settings.path("tables.warehouse") / ".staging"
    return Gate(
        plan=case.plan,
        target=case.target,
        layer=case.layer,
        staging=staging / case.run_id,
        salt=salt_of(case.settings.root),
        properties={
            "floe.contract": case.contract.identity,
            "floe.schema_version": str(case.schema_version),
            "floe.schema_hash": case.schema_hash,
        },
        references=reference_targets(case.plan, case.contract, case.references, case.settings, case.store),
        decide=lambda outcomes: decide(outcomes, level, case.layer),
    )


def _written(case: _Case, mode: str, passage: "Passage", at: str, seconds: float) -> WriteResult:
    unknown = dict.fromkeys(("queries", "jobs", "scans", "files", "files_read", "bytes_read"))
    judged = Result(
        contract=case.plan.contract,
        version=case.plan.version,
        dataset=case.plan.dataset,
        checked_at=at,
        expectations=passage.outcomes,
        rows=passage.rows,
        snapshot=passage.after,
        cost={**unknown, "seconds": seconds},
    )
    return WriteResult(
        table=case.table_id,
        mode=mode,
        written=passage.written,
        refused=passage.verdict is Verdict.REFUSE,
        result=judged,
        run_id=case.run_id,
        location=passage.location or str(case.target),
        format=case.target.format,
        level=case.settings["data_contracts.enforcement"],
        created=passage.created,
        snapshot_before=passage.before,
        snapshot_after=passage.after,
        schema_version=case.schema_version,
        schema_hash=case.schema_hash,
        notes=(*passage.notes, *_notes(case.dataset)),
    )


def _record(case: _Case, result: WriteResult) -> WriteResult:
    """Keep the run, and the table where something was written; what could not be kept is said."""
    entry = of_write(result, case.settings.actor)
    if not result.refused:
        entry |= {"table": _table_row(case, result), "schema": _schema_row(case, result.result.checked_at)}
    note = record(case.store, case.settings.root, entry)
    return replace(result, notes=(*result.notes, note)) if note else result


def _table_row(case: _Case, result: WriteResult) -> dict[str, Any]:
    return {
        "table_id": case.table_id,
        "layer": case.layer,
        "location": result.location,
        "primary_keys": list(case.plan.key),
        "partition_cols": list(case.plan.partition),
        "contract_path": case.contract.source,
        "format": case.target.format,
        "name": case.target.name,
    }


def _schema_row(case: _Case, at: str) -> dict[str, Any]:
    return {
        "table_id": case.table_id,
        "schema_version": case.schema_version,
        "schema_hash": case.schema_hash,
        "changed_at": at,
        "changed_by": case.settings.actor,
        "notes": f"contract {case.contract.identity}",
    }


def _refusal(result: WriteResult) -> ViolationError:
    failed = result.result.failed or result.result.not_evaluated
    lines = [f"{result.table} refused the batch; nothing was written"]
    lines += [
        f"    FLOE-{one.code} {one.severity}: {one.message} (expected {one.expected}, actual {one.actual})"
        for one in failed[:10]
    ]
    lines += [f"    and {len(failed) - 10} more, in .result"] if len(failed) > 10 else []
    return ViolationError(
        "\n".join(lines),
        result,
        "Mend the batch at its source, or change the contract in a new version",
        failed[0].code,
    )


def enforce_file(
    batch: str, contract: str, mode: str, *, way: Way, layer: str | None, settings: Settings
) -> WriteResult:
    """Enforce a Parquet file or folder, on floe's own session."""
    from floe.data.spark.batch import parquet

    _parquet(batch)
    case = _case(contract, way, layer, settings)
    return _enforce(parquet(batch, settings), mode, case)


def _parquet(batch: str) -> None:
    """Say what is wrong with a batch's file before a JVM starts."""
    if "://" in batch:
        return
    path = Path(batch)
    if not path.exists():
        raise TableError(f"The batch {batch} does not exist", "Name a Parquet file, or a folder of Parquet files")
    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    if not files:
        raise TableError(
            f"The folder {batch} holds no Parquet file", "Name a Parquet file, or a folder of Parquet files"
        )
    for file in files:
        with file.open("rb") as stream:
            head = stream.read(4)
            stream.seek(max(file.stat().st_size - 4, 0))
            if (head, stream.read(4)) != (b"PAR1", b"PAR1"):
                raise TableError(
                    f"The batch {file} is not a Parquet file, or is cut short", "Write it as Parquet, whole"
                )


def _declared(dataset: Dataset) -> int | None:
    declared = dataset.custom.get("schemaVersion")
    return declared if isinstance(declared, int) else None


def _notes(dataset: Dataset) -> tuple[str, ...]:
    if dataset.primary_key:
        return ()
    return (
        f"'{dataset.name}' has no primary key, so duplicates were not looked for: add primaryKey: true to its key columns",
    )


def _writable(folder: Path) -> None:
    """Say that the warehouse cannot be written before a JVM starts."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise TableError(
            f"The warehouse {folder} cannot be written: {error.strerror}", "Make it writable, or set tables.warehouse"
        ) from None
