"""The pytest plugin: frames of a test held to a contract, with failures that show where they differ."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from floe import engine, reports, tables

if TYPE_CHECKING:
    from floe.model import Contract, Dataset
    from floe.model.result import Outcome
    from floe.settings import Settings

_SHOWN = 5


class ContractOf(Protocol):
    """The fixture's type: a contract by table_id, id or path."""

    def __call__(self, name: str | Path) -> "HeldContract": ...  # noqa: D102


class HeldContract:
    """One dataset of a contract that frames are held to."""

    def __init__(self, contract: "Contract", dataset: "Dataset", settings: "Settings") -> None:
        self.contract = contract
        self.dataset = dataset
        self.settings = settings

    def assert_schema(self, df: Any) -> None:
        """Fail with the columns side by side where names or types of a frame are not the contract's."""
        __tracebackhide__ = True

        actual = tables.spark.schema.struct_of(df.schema)
        found = list(engine.metadata.schema.differences(self.dataset.schema, actual))
        if found:
            pytest.fail(
                reports.text.columns.columns_text(self._name, self.dataset.schema, actual, found), pytrace=False
            )

    def assert_holds(self, df: Any, accept: Iterable[str] = ()) -> None:
        """Fail with counts and samples where a frame breaks a promise, or one was not evaluated and is not accepted."""
        __tracebackhide__ = True
        from floe.actions.verify import verify_frame  # noqa: PLC0415  (as above)
        from floe.model import Severity  # noqa: PLC0415

        accepted = set(accept)
        result = verify_frame(df, self.contract, self.dataset, self.settings)
        broken = [outcome for outcome in result.failed if outcome.severity >= Severity.ERROR]
        unknown = [outcome for outcome in result.not_evaluated if outcome.id not in accepted]
        strange = sorted(accepted - {expectation.id for expectation in result.expectations})
        if broken or unknown or strange:
            head = f"The DataFrame violates {self._name}: {len(broken)} failed, {len(unknown)} not evaluated"
            lines = [line for outcome in (*broken, *unknown) for line in _lines(outcome)]
            lines += [f"  accept names '{name}', which is not an expectation of the contract" for name in strange]
            pytest.fail("\n".join([head, *lines]), pytrace=False)

    @property
    def _name(self) -> str:
        return f"{self.contract.identity} ({self.dataset.name})"


def _lines(value: "Outcome") -> list[str]:
    head = f"  FLOE-{value.code} {value.severity} {value.id}: {value.message}"
    if value.cause:
        return [head, f"    not evaluated: {value.cause}"]
    counted = f"{value.violations:,} bad, " if value.violations is not None else ""
    shown = [", ".join(f"{name}={value}" for name, value in sample.items()) for sample in value.samples[:_SHOWN]]
    return [
        head,
        f"    {counted}expected {value.expected}, actual {value.actual}",
        *(f"    e.g. {sample}" for sample in shown),
    ]


@pytest.fixture
def floe_contract(request: pytest.FixtureRequest) -> ContractOf:
    """A contract by table_id, id or path: `floe_contract("silver.commerce.orders_clean").assert_holds(df)`."""
    from floe.actions.load.find import find_contract  # noqa: PLC0415  (as above)
    from floe.actions.load.settings import load_settings  # noqa: PLC0415

    def found(name: str | Path) -> HeldContract:
        near = request.path.parent / name
        settings = load_settings(start=request.path.parent)
        return HeldContract(*find_contract(near if near.is_file() else name, settings), settings)

    return found
