"""The schema gate of a write: batch and table against the contract, and what must change in the table first."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from floe.engine.metadata.schema import Difference, columns, differences, schema_outcomes
from floe.lang.sql.literals import quote
from floe.model import ContractError, Severity
from floe.model.contract import Target
from floe.model.plan import Plan
from floe.model.result import FAIL, Outcome
from floe.model.types import Struct, is_physical
from floe.tables.formats import writable
from floe.tables.spark.schema import settle, sql_type
from floe.tables.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaVersion:
    """The schema of a contract: its hash and its integer version, declared or counted.

    `identity` is the key, partition and meaning of rows (keys, partition columns, grain): a table written with one
    identity must not be written with another. `before` is the identity in the registry, for tables without one.
    `outgrown` is called with the contract in the table's properties: code and text if this contract must not write to it.
    """

    hash: str
    version: int
    declared: bool
    identity: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)

    def next_for(self, state: State | None) -> tuple[int, str | None]:
        """The version to record on a table, and the finding if it contradicts the table."""
        said = state.properties.get("floe.schema_version", "") if state else ""
        if not state or not said.isdigit():
            return self.version, None
        there, same = int(said), state.properties.get("floe.schema_hash") == self.hash
        if same:
            return (self.version if self.declared and self.version > there else there), None
        if self.declared and self.version != there + 1:
            return self.version, f"The schema changed, so schema_version must be raised from {there} to {there + 1}"
        return max(self.version, there + 1), None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaCheck:
    """The result of the schema check: violations, the schema to write, the statements that change the table, and notes."""

    faults: tuple[Outcome, ...]
    schema: Struct
    version: int
    changes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def identity_outcomes(plan: Plan, state: State, version_of: SchemaVersion, mode: str) -> list[Outcome]:
    """Where the contract's keys, partition columns or grain are not those that the table was written with."""
    try:
        recorded = json.loads(state.properties.get("floe.identity", "{}"))
    except ValueError:
        recorded = {}
    before = recorded or version_of.before
    names = dict.fromkeys([*before, *(version_of.identity if recorded else ())])
    found = []
    for name in names:
        then, now = before.get(name) or None, version_of.identity.get(name) or None
        if isinstance(then, dict) and isinstance(now, dict):  # by column: one that came or went is not a change of it
            then, now = ({path: side[path] for path in sorted(then.keys() & now.keys())} for side in (then, now))
        if then != now:
            found.append(_identity_outcome(plan, name, then, now))
    partition = list(plan.partition)
    if mode == "overwrite_partition" and list(state.partition) != partition and not found:
        # Spark overwrites by the table's partitions, whatever the contract has: rows of others would be removed
        found.append(_identity_outcome(plan, "partition columns", list(state.partition), partition))
    return found


def check_schema(
    batch: Struct, plan: Plan, target: Target, layer: str, state: State | None, version_of: SchemaVersion
) -> SchemaCheck:
    """Hold batch and table to the contract's schema; ContractError where a table cannot be made of open types."""
    promised, exact = plan.schema, layer == "gold"
    if state is None and not is_physical(promised):
        raise _open_types(plan)
    found = _outcomes(plan, layer, list(differences(promised, batch, exact)), "batch")
    version, wrong = version_of.next_for(state)
    changes: tuple[str, ...] = ()
    schema = settle(settle(promised, state.schema if state else None), batch)
    assert isinstance(schema, Struct)
    if state:
        lacking = _table_differences(promised, target, state, exact) or _table_differences(schema, target, state, False)
        added = _additions(promised, lacking)
        if lacking and not added:
            found += _outcomes(plan, layer, lacking, "table")
        else:
            changes = tuple(_statements(target, schema, state, added))
    if wrong and not found:
        found = [_version_outcome(plan, wrong, version)]
    names = columns(promised, batch, exact)
    notes = tuple(
        f"Column '{there}' of the batch was written as '{name}'" for name, there in names.items() if there != name
    )
    return SchemaCheck(faults=tuple(found), schema=schema, version=version, changes=changes, notes=notes)


def _table_differences(promised: Struct, target: Target, state: State, exact: bool) -> list[Difference]:
    stored = writable(target).stored(promised)
    assert isinstance(stored, Struct)
    return list(differences(stored, state.schema, exact))


def _additions(promised: Struct, lacking: list[Difference]) -> tuple[str, ...]:
    """The columns that a table lacks, if they may be added: nullable ones, and nothing else differs."""
    free = {member.name for member in promised.members if member.nullable}
    names = [difference.path for difference in lacking if difference.code == "E531" and difference.path in free]
    return tuple(names) if len(names) == len(lacking) else ()


def _statements(target: Target, schema: Struct, state: State, added: tuple[str, ...]) -> Iterator[str]:
    """What brings the table to the contract's schema; nothing here can touch a row."""
    before = ""
    for member in schema.members:
        if member.name in added:
            place = f"AFTER {quote(before)}" if before else "FIRST"
            yield f"ALTER TABLE {target.sql} ADD COLUMNS ({quote(member.name)} {sql_type(member.type)} {place})"
        elif member.nullable and not state.schema[member.name].nullable:
            yield f"ALTER TABLE {target.sql} ALTER COLUMN {quote(member.name)} DROP NOT NULL"
        before = member.name


def _outcomes(plan: Plan, layer: str, found: list[Difference], what: str) -> list[Outcome]:
    outcomes = schema_outcomes(plan.dataset, found, layer, what) if found else []
    # batch and table may both differ from the contract in one column: two outcomes with different ids
    return [replace(outcome, id=f"{outcome.id}:table") for outcome in outcomes] if what == "table" else outcomes


def _version_outcome(plan: Plan, wrong: str, version: int) -> Outcome:
    return Outcome(
        id=f"{plan.dataset}:schema-version",
        code="E523",
        name="schema-version",
        field=plan.dataset,
        severity=Severity.CRITICAL,
        outcome=FAIL,
        message=f"{wrong}; the contract has {version}",
        violations=1,
        actual=version,
        how="metadata",
        structural=True,
    )


_KEYED = ("primary key", "join keys", "snapshot keys")


def _identity_outcome(plan: Plan, name: str, then: Any, now: Any) -> Outcome:
    code = "E534" if name == "partition columns" else "E520"
    risk = "rows would be matched by other columns than those they were written with"
    if name not in _KEYED:
        risk = "rows of the table and of the batch would have different meanings"
    return Outcome(
        id=f"{plan.dataset}:{name.replace(' ', '-')}-changed",
        code=code,
        name=f"{name.replace(' ', '-')}-changed",
        field=plan.dataset,
        severity=Severity.CRITICAL,
        outcome=FAIL,
        message=f"The table was written with the {name} {_shown(then)}, the contract has {_shown(now)}: {risk}. "
        "Restore it, or raise the MAJOR version and run `floe migrate`",
        violations=1,
        actual=_shown(now),
        expected=_shown(then),
        how="metadata",
        structural=True,
    )


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{path} {zone}" for path, zone in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)


def major_outcome(dataset: str, code: str, message: str) -> Outcome:
    """A table that this contract must not write to, because of the contract or MAJOR that it holds."""
    return Outcome(
        id=f"{dataset}:table-of-another-major",
        code=code,
        name="table-of-another-major",
        field=dataset,
        severity=Severity.CRITICAL,
        outcome=FAIL,
        message=message,
        violations=1,
        how="metadata",
        structural=True,
    )


def _open_types(plan: Plan) -> ContractError:
    names = ", ".join(f"'{m.name}' ({m.type})" for m in plan.schema.members if not is_physical(m.type))
    return ContractError(
        f"A table cannot be created from logical types alone: {names}",
        "Add physicalType to these fields, e.g. bigint or decimal(12,2)",
        "E503",
    )
