"""The schema check: the contract compared with a frame or a table."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from floe.model import Severity
from floe.model.plan import Plan
from floe.model.result import FAIL, PASS, Outcome
from floe.model.types import Array, MapOf, Member, Struct, Type, accepts, schema_hash
from floe.tables.facts import TableFacts


class Difference(NamedTuple):
    """One place where two schemas disagree."""

    code: str
    name: str
    path: str
    expected: str | None
    actual: str | None


def path_of(name: str, prefix: str = "") -> str:
    """A column's path: dotted, a name that itself holds a dot in backticks.

    >>> path_of("a.b", "s."), path_of("a b")
    ('s.`a.b`', 'a b')
    """
    return f"{prefix}`{name}`" if "." in name else f"{prefix}{name}"


def columns(promised: Struct, actual: Struct, exact: bool) -> dict[str, str]:
    """The actual name of each column of the contract; a name that differs only in case counts unless `exact`."""
    there = {member.name for member in actual.members}
    folded: dict[str, list[str]] = {}
    for name in there:
        folded.setdefault(name.casefold(), []).append(name)
    found = {}
    for member in promised.members:
        near = folded.get(member.name.casefold(), [])
        if member.name in there:
            found[member.name] = member.name
        elif len(near) == 1 and not exact:
            found[member.name] = near[0]
    return found


def differences(promised: Struct, actual: Struct, exact: bool = False, prefix: str = "") -> Iterator[Difference]:
    """Missing columns, other types, extra columns, at any depth; `exact` also compares order and letter case."""
    names = columns(promised, actual, exact)
    types = {member.name: member.type for member in actual.members}
    for member in promised.members:
        path = path_of(member.name, prefix)
        if member.name in names:
            yield from _types(member.type, types[names[member.name]], path, exact)
        else:
            yield Difference("E531", "missing-column", path, str(member.type), None)
    used = set(names.values())
    for member in actual.members:
        if member.name not in used:
            yield Difference("E532", "extra-column", path_of(member.name, prefix), None, str(member.type))
    if exact and list(names) != [member.name for member in actual.members if member.name in used]:
        yield Difference(
            "E530", "column-order", prefix.rstrip(".") or "*", _names(promised.members), _names(actual.members)
        )


def _names(members: tuple[Member, ...]) -> str:
    return ", ".join(member.name for member in members)


def _types(promised: Type, actual: Type, path: str, exact: bool) -> Iterator[Difference]:
    match promised, actual:
        case Struct(), Struct():
            yield from differences(promised, actual, exact, f"{path}.")
        case Array(element=mine), Array(element=yours):
            yield from _types(mine, yours, f"{path}[]", exact)
        case MapOf(key, value), MapOf(other_key, other_value):
            yield from _types(key, other_key, path + "{key}", exact)
            yield from _types(value, other_value, path + "{}", exact)
        case _ if promised != actual and not accepts(promised, actual):
            yield Difference("E530", "type-mismatch", path, str(promised), str(actual))


_TEXTS: Mapping[str, str] = {
    "type-mismatch": "Type mismatch for column '{path}': the contract has {expected}, the {what} has {actual}",
    "missing-column": "Column '{path}' ({expected}) is missing from the {what}",
    "extra-column": "Column '{path}' ({actual}) of the {what} is not in the contract",
    "column-order": "The columns of the {what} are in another order: {actual}",
}


def schema_outcomes(dataset: str, found: list[Difference], layer: str, what: str = "batch") -> list[Outcome]:
    """The schema gate's outcomes: one per difference, or one pass."""
    if not found:
        return [
            Outcome(
                id=f"{dataset}:schema",
                code="E530",
                name="schema",
                field=dataset,
                severity=Severity.CRITICAL,
                outcome=PASS,
                message=f"Columns and types of the {what} match the contract",
                violations=0,
                how="metadata",
                structural=True,
            )
        ]
    return [
        Outcome(
            id=f"{dataset}.{difference.path}:{difference.name}",
            code=difference.code,
            name=difference.name,
            field=f"{dataset}.{difference.path}",
            severity=_severity(difference, layer),
            outcome=FAIL,
            message=_TEXTS[difference.name].format(**difference._asdict(), what=what),
            violations=1,
            actual=difference.actual,
            expected=difference.expected,
            how="metadata",
            structural=True,
        )
        for difference in found
    ]


def _severity(difference: Difference, layer: str) -> Severity:
    return Severity.ERROR if difference.code == "E532" and layer != "gold" else Severity.CRITICAL


def drift(plan: Plan, facts: TableFacts, known: str | None) -> list[Outcome]:
    """Outcomes E533 to E535; `known` is the identity of the table at its last check."""
    return [*_nullability(plan, facts), *_partitions(plan, facts), *_keys(plan, facts), *_identity(plan, facts, known)]


def _nullability(plan: Plan, facts: TableFacts) -> Iterator[Outcome]:
    """Rows decide, not flags; but a flag that refuses nulls that the contract allows, or was removed, is reported."""
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
