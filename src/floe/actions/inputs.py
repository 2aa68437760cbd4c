"""Inputs: the frames a batch was made of, held to the schemas their contracts promise."""

from dataclasses import replace
from typing import TYPE_CHECKING

from floe.actions.find import find_for_write
from floe.actions.find_table import Way, find_target
from floe.data.plan.schema import differences, schema_outcomes
from floe.model import Severity
from floe.model.result import Outcome
from floe.model.settings import Settings
from floe.model.types import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from floe.registry import Store


def check_inputs(inputs: "Mapping[str, DataFrame]", settings: Settings, store: "Store") -> tuple[Outcome, ...]:
    """One outcome per input, or one per way in which it differs; a column more than promised does no harm."""
    from floe.data.spark.schema import struct_of

    outcomes: list[Outcome] = []
    for name, frame in inputs.items():
        promised = _promised(name, frame, settings, store)
        found = [one for one in differences(promised, struct_of(frame.schema)) if one.code != "E532"]
        said = schema_outcomes(name, found, "silver", f"input {name}")
        outcomes += [replace(one, id=f"input {one.id}", severity=Severity.CRITICAL) for one in said]
    return tuple(outcomes)


def _promised(name: str, frame: "DataFrame", settings: Settings, store: "Store") -> Struct:
    """What a contract promises; where Bronze has none, the columns that were captured."""
    contract, dataset = find_for_write(name, settings)
    if dataset.fields:
        return dataset.schema
    from floe.data.spark.capture import captured_schema

    target = find_target(settings, contract, dataset, Way(), store.table(name))
    return captured_schema(frame.sparkSession, target)
