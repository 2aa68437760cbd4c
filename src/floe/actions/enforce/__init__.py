"""`floe.enforce`: write a batch to the table of its contract, or refuse it and write nothing.

The way of a batch: `context` finds contract, table and plan before a JVM starts; `write` reads the state of the table, has
the batch checked against it (`floe.engine.gate.gate`), decides, records what will be committed (`pending`), and has it
committed (`floe.engine.gate.commit`); `result` makes the answer and what the registry keeps.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from floe import engine
from floe.actions.enforce.context import MODES, WriteContext, WriteOptions, check_batch_file, find_context
from floe.actions.enforce.write import refusal, write_batch
from floe.actions.load.settings import load_settings
from floe.events.trace import facts_of, span
from floe.model import Contract
from floe.model.result import WriteResult
from floe.settings import Settings
from floe.tables.locate import TableSelector

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def enforce(  # noqa: PLR0913  (the options of a write)
    df: "DataFrame",
    contract: str | Path | Contract,
    mode: str = "append",
    *,
    batch_id: str | None = None,
    inputs: "Mapping[str, DataFrame] | None" = None,
    shadow: bool = False,
    table: str | None = None,
    server: str | None = None,
    layer: str | None = None,
    references: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> WriteResult:
    """Write a batch to the table of its contract, or raise ViolationError and write nothing.

    Args:
        df: the batch.
        contract: a table_id, an id with or without version, a path, YAML text, or a loaded contract.
        mode: append, merge (by the primary key), or overwrite_partition (the partitions that the batch has rows of).
        batch_id: a name of the batch; repeating an accepted one writes nothing and gives the first answer again.
        inputs: the frames the batch was made of, by contract, to be checked too.
        shadow: write the batch whatever the outcome, and report what would be refused.
        table: the table, where it is not found by the contract: a catalog name or a path.
        server: the name or environment of the contract's server to write to, where it has several.
        layer: bronze, silver or gold, if the contract has none.
        references: the tables of datasets that keys refer to, by name, where they are not found.
        settings: read from the folder's manifest.yaml and the environment where not given.
    """
    if mode not in MODES:
        raise ValueError(f"mode '{mode}' is not one of {', '.join(MODES)}")
    way = TableSelector(table, server, references or {})
    options = WriteOptions(mode=mode, way=way, layer=layer, batch_id=batch_id, shadow=shadow, inputs=inputs)
    return _enforce(df, find_context(contract, options, settings or load_settings()))


def enforce_file(
    batch: str, contract: str, options: WriteOptions, settings: Settings, inputs: Mapping[str, str] | None = None
) -> WriteResult:
    """Enforce a Parquet file or folder, made of the Parquet files of `inputs`, on floe's own session."""
    for file in (batch, *(inputs or {}).values()):
        check_batch_file(file)
    context = find_context(contract, options, settings)
    df = engine.gate.gate.parquet(batch, settings)
    frames = {name: engine.gate.gate.parquet(file, settings) for name, file in (inputs or {}).items()}
    return _enforce(df, replace(context, options=replace(options, inputs=frames or None)))


def _enforce(df: "DataFrame", context: WriteContext) -> WriteResult:
    attributes = {"run_id": context.run_id, "table": context.table_id, "mode": context.options.mode}
    with span(context.settings, "floe.enforce", **attributes) as add_attributes:
        result = write_batch(df, context)
        add_attributes(refused=result.refused, written=result.written, **facts_of(result.result))
    if result.refused:
        raise refusal(result)
    return result
