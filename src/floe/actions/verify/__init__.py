"""Verify: data against a contract, changing nothing."""

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import engine, tables
from floe.actions.load.find import find_contract, use_contract
from floe.actions.load.settings import load_settings
from floe.actions.record import record_and_emit, run_row_for_test
from floe.actions.verify.references import reference_targets, salt_of, store_or_offline
from floe.actions.verify.table import EarlierRuns, Progress, judge_schema, judge_table, result_of, seconds_since
from floe.engine.metadata.schema import schema_outcomes
from floe.engine.plan import make_plan
from floe.events.trace import facts_of, span
from floe.model import Contract, Dataset, EngineError, Severity, TableError
from floe.model.plan import Expectation, Plan, VerifyInputs
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result, not_evaluated
from floe.settings import Settings
from floe.system.clock import stamp
from floe.tables.locate import TableSelector, find_target, select_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floe.registry import Store

Asked = Callable[[Expectation], bool]


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """One result per dataset, worst first."""

    results: tuple[Result, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        outcomes = [result.outcome for result in self.results]
        counts = {word: outcomes.count(word) for word in (PASS, FAIL, NOT_EVALUATED)}
        return {
            "results": [result.to_dict() for result in self.results],
            "summary": {"datasets": len(outcomes), **counts},
        }


def verify(
    data: "DataFrame | str", contract: str | Path | Contract, settings: Settings | None = None, *, full: bool = False
) -> Result:
    """Whether a DataFrame, or a table named by catalog name or path, keeps a contract of one dataset; `full` forgets earlier runs."""
    settings = settings or load_settings()
    found, dataset = find_contract(contract, settings)
    if isinstance(data, str):
        return _recorded(found, dataset, TableSelector(table=data, full=full), settings)
    return verify_frame(data, found, dataset, settings)


def verify_frame(
    data: "DataFrame", contract: Contract, dataset: Dataset, settings: Settings, asked: Asked = lambda _: True
) -> Result:
    """Check a frame against one dataset; not recorded, because it is not a table."""
    plan = _plan(contract, dataset, settings, asked)
    started = time.monotonic()
    schema, rest = judge_schema(plan, tables.spark.schema.struct_of(data.schema), "frame")
    store = store_or_offline(settings)
    rows, outcomes, cost = engine.spark.scan.scan_rows(
        data, rest, _aids(plan, contract, TableSelector(), settings, store), settings
    )
    result = result_of(plan, (*schema, *outcomes), settings.clock(), rows, None, {**cost, **seconds_since(started)})
    return replace(result, owner=contract.owner or None, support=_support(contract))


def _plan(contract: Contract, dataset: Dataset, settings: Settings, asked: Asked) -> Plan:
    plan = make_plan(contract, dataset, settings.classifications)
    return replace(plan, expectations=tuple(filter(asked, plan.expectations)))


def verify_tables(
    contracts: Sequence[str | Path | Contract],
    way: TableSelector,
    settings: Settings,
    progress: Progress = lambda _: None,
    *,
    tables: Sequence[str] = (),
) -> VerifyResult:
    """Every dataset of the contracts on its table: by metadata where that proves it, by one scan where not.

    `tables` has their locations, as TABLE for the only dataset or as DATASET=TABLE.
    """
    found = [use_contract(name, settings) for name in contracts]
    asked = [(contract, dataset) for contract in found for dataset in contract.datasets]
    ways = select_tables(way, [dataset for _, dataset in asked], tables)
    results = []
    for number, ((contract, dataset), to) in enumerate(zip(asked, ways, strict=True), 1):
        tell = _naming(f"{dataset.name} ({number} of {len(asked)})", progress)
        results.append(_recorded(contract, dataset, to, settings, tell))
    return VerifyResult(tuple(sorted(results, key=_badness)))


def _naming(what: str, progress: Progress) -> Progress:
    return lambda phase: progress(f"{what}: {phase}")


def _badness(result: Result) -> tuple[int, int]:
    worst = max((outcome.severity for outcome in result.failed), default=Severity.INFO)
    return (FAIL, NOT_EVALUATED, PASS).index(result.outcome), -worst


def _recorded(
    contract: Contract, dataset: Dataset, way: TableSelector, settings: Settings, progress: Progress = lambda _: None
) -> Result:
    started, run_id = settings.clock(), uuid.uuid4().hex
    with span(settings, "floe.test", run_id=run_id, dataset=dataset.name) as say:
        result = verify_some(contract, dataset, way, settings, progress=progress)
        say(**facts_of(result))
    store = store_or_offline(settings)
    table_id = contract.table_id(dataset) or dataset.name
    entry = run_row_for_test(result, run_id, table_id, settings.actor)
    note = record_and_emit(settings, store, entry, result, started=started)
    if note and EarlierRuns(store, table_id, started).unknown:
        note += "; whether the table was replaced since it was last judged is not known"
    if note:
        settings.say(note)
    return result


def verify_some(  # noqa: PLR0913  (what is held to what, and who asks)
    contract: Contract,
    dataset: Dataset,
    way: TableSelector,
    settings: Settings,
    asked: Asked = lambda _: True,
    progress: Progress = lambda _: None,
    *,
    store: "Store | None" = None,
) -> Result:
    """The outcomes of the requested expectations and of the schema on a dataset's table; not recorded."""
    store = store or store_or_offline(settings)
    table_id = contract.table_id(dataset) or dataset.name
    plan = _plan(contract, dataset, settings, asked)
    started, target = time.monotonic(), None
    try:
        target = find_target(settings, contract, dataset, way, store.table(table_id))
        aids = _aids(plan, contract, way, settings, store)
        progress("reading metadata")
        result = judge_table(plan, target, settings, aids, EarlierRuns(store, table_id, settings.clock()), progress)
    except (TableError, EngineError) as error:
        unknown = [not_evaluated(expectation, error.message) for expectation in plan.expectations]
        result = result_of(
            plan, (_unseen(plan, error.message), *unknown), settings.clock(), None, None, seconds_since(started)
        )
    scope = way.scope.said if way.scope else None
    owner, support, at = contract.owner or None, _support(contract), stamp(settings.clock())
    return replace(result, checked_at=at, scope=scope, owner=owner, support=support, target=target)


def _unseen(plan: Plan, cause: str) -> Outcome:
    """The schema of a table that was not reached: a contract without rules is not kept by a table that is not there."""
    (schema,) = schema_outcomes(plan.dataset, [], "silver", "table")
    said = "Columns and types of the table were not evaluated"
    return replace(schema, code="E580", outcome=NOT_EVALUATED, message=said, cause=cause, how=None, violations=None)


def _support(contract: Contract) -> tuple[str, ...]:
    """The contacts of the contract."""
    listed = contract.node.get("support")
    entries = [value for value in listed if isinstance(value, dict)] if isinstance(listed, list) else []
    said = [[str(entry[key]) for key in ("channel", "tool", "url") if entry.get(key)] for entry in entries]
    return tuple(" ".join(words) for words in said if words)


def _aids(plan: Plan, contract: Contract, way: TableSelector, settings: Settings, store: "Store") -> VerifyInputs:
    return VerifyInputs(
        salt_of(settings.root),
        reference_targets(plan, contract, way.references, settings, store),
        int(settings.clock().timestamp()),
        way.scope,
        full=way.full,
    )
