"""Who blocks what: every cell of the specification's table, written out by hand."""

import pytest

from floe.model import Severity
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, decide


def outcome(severity: Severity, result: str = FAIL, structural: bool = False) -> Outcome:
    return Outcome(id="x", code="E550", name="x", field="x", severity=severity, outcome=result, structural=structural)


STRUCTURE = outcome(Severity.ERROR, structural=True)
CRITICAL = outcome(Severity.CRITICAL)
UNKNOWN_CRITICAL = outcome(Severity.CRITICAL, NOT_EVALUATED)
UNKNOWN_ERROR = outcome(Severity.ERROR, NOT_EVALUATED)
ERROR = outcome(Severity.ERROR)
WARNING = outcome(Severity.WARNING)

# found                off              warn          alert_only      block
CELLS = [
    (STRUCTURE, ("refuse", "refuse", "refuse", "refuse")),
    (CRITICAL, ("write, record", "write, log", "refuse", "refuse")),
    (UNKNOWN_CRITICAL, ("write, record", "write, log", "refuse", "refuse")),
    (UNKNOWN_ERROR, ("write, record", "write, log", "refuse", "refuse")),
    (ERROR, ("write, record", "write, log", "write, alert", "refuse")),
    (WARNING, ("write", "write, log", "write, alert", "write, alert")),
]


@pytest.mark.parametrize("layer", ["silver", "gold"])
@pytest.mark.parametrize(("found", "verdicts"), CELLS)
def test_each_cell(layer: str, found: Outcome, verdicts: tuple[str, ...]):
    levels = ("off", "warn", "alert_only", "block")
    assert tuple(decide((found,), level, layer) for level in levels) == verdicts


@pytest.mark.parametrize("level", ["off", "warn", "alert_only", "block"])
def test_bronze_writes_in_every_cell(level: str):
    for found, _ in CELLS:
        assert decide((found,), level, "bronze").startswith("write")


def test_the_strictest_cell_decides():
    assert decide((WARNING, CRITICAL, ERROR), "alert_only", "silver") == "refuse"
    assert decide((WARNING, ERROR), "alert_only", "silver") == "write, alert"


def test_what_passes_asks_for_nothing():
    assert decide((outcome(Severity.CRITICAL, PASS), outcome(Severity.INFO, "not_gated")), "block", "gold") == "write"
