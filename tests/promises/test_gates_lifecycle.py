"""A gate into the table of a contract that is ending: written with a warning, or refused."""

import pytest

import floe
from tests.conftest import Lake
from tests.helpers.orders import frame, order

pytestmark = pytest.mark.spark
TOLD = """customProperties:
  - property: deprecation
    value: {announced: 2026-01-01, sunsetDate: 2099-01-01, replacement: silver.shop.orders}
schema:
"""


def test_a_batch_for_a_deprecated_contract_is_written_and_the_result_says_so(spark, lake: Lake):
    lake.contract("status: active", "status: deprecated")
    lake.contract("schema:\n", TOLD)
    result = floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    assert (result.written, result.refused) == (1, False)
    (said,) = [note for note in result.notes if "E57" in note]
    assert said.startswith("FLOE-E570 warning: Contract ")
    assert said.endswith("is deprecated. Sunset date: 2099-01-01. Migrate to: silver.shop.orders")


def test_a_batch_for_a_retired_contract_is_refused_and_nothing_is_made(spark, lake: Lake):
    lake.contract("status: active", "status: retired")
    with pytest.raises(floe.ContractError, match="is retired and cannot be used") as error:
        floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    assert error.value.code == "E572"
    assert lake.state() == (None, None, ())
