"""Inputs: the frames a batch was made of, held to the schemas their contracts promise."""

from dataclasses import replace
from typing import TYPE_CHECKING

from floe.actions.find import find_contract
from floe.data.plan.schema import differences, schema_outcomes
from floe.model import Severity
from floe.model.result import Outcome
from floe.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame


def check_inputs(inputs: "Mapping[str, DataFrame]", settings: Settings) -> tuple[Outcome, ...]:
    """One outcome per input, or one per way in which it differs; a column more than promised does no harm."""
    from floe.data.spark.schema import struct_of

    outcomes: list[Outcome] = []
    for name, frame in inputs.items():
        _, dataset = find_contract(name, settings)
        found = [one for one in differences(dataset.schema, struct_of(frame.schema)) if one.code != "E532"]
        said = schema_outcomes(name, found, "silver", f"input {name}")
        outcomes += [replace(one, id=f"input {one.id}", severity=Severity.CRITICAL) for one in said]
    return tuple(outcomes)
