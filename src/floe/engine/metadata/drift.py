"""What a table's own log says against its contract beyond columns and types: nullability, partitions, keys, identity."""

from collections.abc import Iterator

from floe.model import Severity
from floe.model.plan import Plan
from floe.model.result import FAIL, Outcome
from floe.model.types import schema_hash
from floe.tables.facts import TableFacts


def drift(plan: Plan, facts: TableFacts, known: str | None) -> list[Outcome]:
    """Outcomes E533 to E535; `known` is the identity that the table had when it was last judged."""
    return [*_nullability(plan, facts), *_partitions(plan, facts), *_keys(plan, facts), *_identity(plan, facts, known)]


def _nullability(plan: Plan, facts: TableFacts) -> Iterator[Outcome]:
    """Flags are not believed, rows are judged; but a flag that refuses what the contract allows, or was taken off, is said."""
    there = {member.name: member for member in facts.schema.members} if facts.schema else {}
    made = facts.properties.get("floe.schema_hash") == schema_hash(plan.schema)
    for member in plan.schema.members:
        actual = there.get(member.name)
        if actual is None or actual.nullable == member.nullable or (actual.nullable and not made):
            continue
        words = {True: "may be null", False: "may not be null"}
        said = (
            f"Column '{member.name}' of the table {words[actual.nullable]}; in the contract it {words[member.nullable]}"
        )
        yield _outcome(
            plan, ("E533", "nullability-drift", member.name), said, words[member.nullable], words[actual.nullable]
        )


def _partitions(plan: Plan, facts: TableFacts) -> Iterator[Outcome]:
    if plan.partition and facts.partition != plan.partition:
        mine, yours = ", ".join(plan.partition), ", ".join(facts.partition) or "nothing"
        said = f"The table is partitioned by {yours}, the contract has {mine}"
        yield _outcome(plan, ("E534", "partition-drift", ""), said, mine, yours)


def _keys(plan: Plan, facts: TableFacts) -> Iterator[Outcome]:
    if plan.key and facts.key and set(facts.key) != set(plan.key):
        mine, yours = ", ".join(plan.key), ", ".join(facts.key)
        yield _outcome(
            plan, ("E534", "key-drift", ""), f"The key of the table is {yours}, the contract has {mine}", mine, yours
        )


def _identity(plan: Plan, facts: TableFacts, known: str | None) -> Iterator[Outcome]:
    version = facts.properties.get("floe.contract", "").rpartition(":")[2]
    if version and version.split(".")[0] != plan.version.split(".")[0]:
        said = (
            f"The table was written with version {version} of its contract, which has another MAJOR than {plan.version}"
        )
        yield _outcome(plan, ("E534", "table-of-another-major", ""), said, plan.version, version)
    if known and facts.uid and known != facts.uid:
        said = "The table was replaced by another table since its last check"
        yield _outcome(plan, ("E535", "table-replaced", ""), said, known, facts.uid)


def _outcome(plan: Plan, what: tuple[str, str, str], message: str, expected: str, actual: str) -> Outcome:
    code, name, column = what
    place = f"{plan.dataset}.{column}" if column else plan.dataset
    return Outcome(
        id=f"{place}:{name}",
        code=code,
        name=name,
        field=place,
        severity=Severity.WARNING if code == "E533" else Severity.ERROR,
        outcome=FAIL,
        message=message,
        violations=1,
        actual=actual,
        expected=expected,
        how="metadata",
        structural=True,
    )
