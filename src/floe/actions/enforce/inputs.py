"""Inputs: check the schemas of the frames that a batch was made of."""

from dataclasses import replace
from typing import TYPE_CHECKING

from floe import engine, tables
from floe.actions.load.find import find_for_write
from floe.engine.metadata.schema import differences, schema_outcomes
from floe.model import Severity
from floe.model.result import Outcome
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from floe.registry import Store


def check_inputs(inputs: "Mapping[str, DataFrame]", settings: Settings, store: "Store") -> tuple[Outcome, ...]:
    """One outcome per input or per difference; an extra column is accepted."""
    outcomes: list[Outcome] = []
    for name, frame in inputs.items():
        promised = _promised(name, frame, settings, store)
        found = [
            difference
            for difference in differences(promised, tables.spark.schema.struct_of(frame.schema))
            if difference.code != "E532"
        ]
        said = schema_outcomes(name, found, "silver", f"input {name}")
        outcomes += [replace(outcome, id=f"input {outcome.id}", severity=Severity.CRITICAL) for outcome in said]
    return tuple(outcomes)


def _promised(name: str, frame: "DataFrame", settings: Settings, store: "Store") -> Struct:
    """The schema of the contract; for Bronze without a contract, the captured columns."""
    contract, dataset = find_for_write(name, settings)
    if dataset.fields:
        return dataset.schema

    target = find_target(settings, contract, dataset, TableSelector(), store.table(name))
    return engine.gate.capture.captured_schema(frame.sparkSession, target)
