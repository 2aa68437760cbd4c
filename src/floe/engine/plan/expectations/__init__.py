"""Expectations on values, one file per kind."""

from floe.engine.plan.expectations.format_mismatch import format_mismatch
from floe.engine.plan.expectations.item_repeated import item_repeated
from floe.engine.plan.expectations.length_wrong import too_long, too_long_for_type, too_short
from floe.engine.plan.expectations.not_multiple import not_multiple
from floe.engine.plan.expectations.out_of_range import above_maximum, below_minimum
from floe.engine.plan.expectations.pattern_mismatch import pattern_mismatch
from floe.engine.plan.expectations.value_not_listed import value_not_listed

EXPECTATIONS = (
    value_not_listed,
    below_minimum,
    above_maximum,
    too_short,
    too_long,
    too_long_for_type,
    pattern_mismatch,
    format_mismatch,
    not_multiple,
    item_repeated,
)
