"""A run as two OpenLineage events: START, then COMPLETE or FAIL."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from floe.events.openlineage.dataset import assertions, dataset, versioned
from floe.events.openlineage.facet import EVENT_SCHEMA, PRODUCER, facet, text
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result, WriteResult
from floe.model.violation_type import UNKNOWN, violation_type

MOST = 100  # violations that an event lists; the count has all


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Facts of a run that its result does not have: its times, its parent, its platform's names."""

    run_id: str
    started: str
    ended: str
    kind: str = "test"
    namespace: str = "floe"
    parent: Mapping[str, Any] | None = None
    catalogs: Mapping[str, Any] = field(default_factory=dict)


def run_events(result: Result | WriteResult, about: About) -> tuple[dict[str, Any], dict[str, Any]]:
    """The events of a run, in the order they are to be sent."""
    judged = result.result if isinstance(result, WriteResult) else result
    location = result.location if isinstance(result, WriteResult) else None
    table = dataset(judged, location, about.catalogs, about.namespace)
    side = "outputs" if isinstance(result, WriteResult) else "inputs"
    parent = {"parent": about.parent} if about.parent else {}
    start = _event("START", about.started, result, about, parent)
    end = _event(
        "FAIL" if failed(result) else "COMPLETE", about.ended, result, about, {**parent, **_said(judged, about)}
    )
    return {**start, side: [table]}, {**end, side: [_judged(table, result)]}


def failed(result: Result | WriteResult) -> bool:
    """Whether a run ends in FAIL: a write that was refused, a check that was not passed."""
    return result.refused if isinstance(result, WriteResult) else result.outcome != PASS


def run_uuid(run_id: str) -> str:
    """A run's id in the form of OpenLineage; another form becomes the same UUID each time.

    >>> run_uuid("0123456789abcdef0123456789abcdef")
    '01234567-89ab-cdef-0123-456789abcdef'
    """
    try:
        return str(uuid.UUID(run_id))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"floe:{run_id}"))


def parent_facet(parent: str) -> dict[str, Any] | None:
    """The facet of a parent written as namespace/job/runId; None where it is not."""
    namespace, _, rest = parent.rpartition("/")[0].rpartition("/")
    try:
        run = str(uuid.UUID(parent.rpartition("/")[2]))
    except ValueError:
        return None
    if not namespace or not rest:
        return None
    return facet("ParentRunFacet", run={"runId": run}, job={"namespace": namespace, "name": rest})


def job_name(result: Result | WriteResult) -> str:
    """The job that a run is one of."""
    return f"contract_write.{result.table}" if isinstance(result, WriteResult) else f"contract_check.{result.contract}"


def _event(kind: str, at: str, result: Result | WriteResult, about: About, facets: Mapping[str, Any]) -> dict[str, Any]:
    job_type = facet("JobTypeJobFacet", processingType="BATCH", integration="FLOE", jobType="CONTRACT_CHECK")
    if isinstance(result, WriteResult):
        job_type["jobType"] = "CONTRACT_WRITE"
    return {
        "eventType": kind,
        "eventTime": at,
        "producer": PRODUCER,
        "schemaURL": EVENT_SCHEMA,
        "run": {"runId": run_uuid(about.run_id), "facets": dict(facets)},
        "job": {"namespace": about.namespace, "name": job_name(result), "facets": {"jobType": job_type}},
    }


def _judged(table: dict[str, Any], result: Result | WriteResult) -> dict[str, Any]:
    """The table with its version, and the outcome of each expectation."""
    if isinstance(result, Result):
        return {**versioned(table, result.snapshot), "inputFacets": assertions(result)}
    rows = facet("OutputStatisticsOutputDatasetFacet", rowCount=result.written)
    facets = {**assertions(result.result), "outputStatistics": rows}
    return {**versioned(table, result.snapshot_after or result.snapshot_before), "outputFacets": facets}


def _said(result: Result, about: About) -> dict[str, Any]:
    """The facets on the contract: its status where nothing kept it from passing, and what was broken."""
    head = {"contractName": result.contract, "contractVersion": result.version}
    broken = [*result.failed, *sorted(result.not_evaluated, key=lambda outcome: -outcome.severity)]
    said: dict[str, Any] = {}
    if result.outcome == PASS:
        status = {"status": PASS, "kind": about.kind, "dataset": result.dataset, "score": result.score}
        counted = {
            word: sum(expectation.outcome == word for expectation in result.expectations)
            for word in (PASS, FAIL, NOT_EVALUATED)
        }
        said["contractStatus"] = facet("ContractStatusRunFacet", **head, **status, expectations=counted)
    if broken:
        entries = [{**head, **_violation(outcome)} for outcome in broken[:MOST]]
        more = {"kind": about.kind, "count": len(broken), "violations": entries}
        said["contractViolation"] = facet("ContractViolationRunFacet", **entries[0], **more)
    return said


def _violation(outcome: Outcome) -> dict[str, Any]:
    because = f": {outcome.cause}" if outcome.cause else ""
    return {
        "code": f"FLOE-{outcome.code}",
        "violationType": UNKNOWN if outcome.outcome == NOT_EVALUATED else violation_type(outcome.code),
        "severity": str(outcome.severity),
        "message": text((outcome.message or outcome.name) + because),
        "element": outcome.field,
        "expected": text(outcome.expected),
        "actual": text(outcome.actual),
    }
