"""Two versions of a contract, part beside part."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from floe.contract.formats.canonical import plain
from floe.contract.formats.odcs import step
from floe.model import Contract, Dataset, Field, Noun, QualityRule, Relationship, Server, Sla
from floe.model.json_text import dumps
from floe.model.settings import LABELS
from floe.model.types import Array, MapOf, Struct

T = TypeVar("T", bound=Noun)


@dataclass(frozen=True, slots=True)
class Terms:
    """What the settings say about changes: the order of classifications, a table's usual format, what widening asks for."""

    labels: tuple[str, ...] = LABELS
    table_format: str = "delta"
    widening_is_minor: bool = False


@dataclass(frozen=True, slots=True)
class ContractPair:
    """The old and the new contract."""

    old: Contract
    new: Contract
    path: str = ""
    terms: Terms = Terms()


@dataclass(frozen=True, slots=True)
class DatasetPair:
    """A dataset in both versions; one side is None where it is new or gone."""

    old: Dataset | None
    new: Dataset | None
    path: str
    contracts: ContractPair


@dataclass(frozen=True, slots=True)
class FieldPair:
    """A field in both versions; `place` says what it is: column, member, item, key or value."""

    old: Field | None
    new: Field | None
    path: str
    place: str
    contracts: ContractPair
    renamed: bool = False

    @property
    def both(self) -> tuple[Field, Field] | None:
        """Old and new, where the field is in both versions."""
        return (self.old, self.new) if self.old and self.new else None


@dataclass(frozen=True, slots=True)
class RulePair:
    """A quality rule in both versions."""

    old: QualityRule | None
    new: QualityRule | None
    path: str
    contracts: ContractPair
    field: FieldPair | None = None


@dataclass(frozen=True, slots=True)
class RelationshipPair:
    """A reference in both versions."""

    old: Relationship | None
    new: Relationship | None
    path: str
    contracts: ContractPair


@dataclass(frozen=True, slots=True)
class SlaPair:
    """A service level in both versions."""

    old: Sla | None
    new: Sla | None
    path: str
    contracts: ContractPair


@dataclass(frozen=True, slots=True)
class ServerPair:
    """A server in both versions."""

    old: Server | None
    new: Server | None
    path: str
    contracts: ContractPair


Pair = ContractPair | DatasetPair | FieldPair | RulePair | RelationshipPair | SlaPair | ServerPair


def pairs(old: Contract, new: Contract, terms: Terms) -> Iterator[Pair]:
    """Every part of two contracts beside its counterpart, from the whole to the parts."""
    both = ContractPair(old, new, terms=terms)
    yield both
    for server, later_server in _matched(old.servers, new.servers, lambda one: one.server):
        yield ServerPair(server, later_server, f"servers.{_there(later_server, server).server}", both)
    for dataset, later_dataset in _matched(old.datasets, new.datasets, _by_id, lambda one: one.name):
        yield from _dataset(dataset, later_dataset, both)
    for sla, later_sla in _matched(old.sla, new.sla, _by_id, _sla_key, lambda one: one.property):
        yield SlaPair(sla, later_sla, f"slaProperties.{_there(later_sla, sla).property}", both)


def _there(one: T | None, other: T | None) -> T:
    """The side that is there; a pair always has one."""
    found = one or other
    assert found is not None
    return found


def _sla_key(sla: Sla) -> str:
    return dumps([sla.property, sla.driver, sla.element])


def _dataset(old: Dataset | None, new: Dataset | None, both: ContractPair) -> Iterator[Pair]:
    name = _there(new, old).name
    yield DatasetPair(old, new, step(name), both)
    if old and new:
        yield from _fields(old.fields, new.fields, f"{step(name)}.", "column", both)
        yield from _promises(old, new, step(name), both, None)


def _promises(old: Any, new: Any, path: str, both: ContractPair, field: FieldPair | None) -> Iterator[Pair]:
    """Quality rules and references that stand on one part."""
    for one, other in _matched(_plain_rules(old), _plain_rules(new), _by_id, _rule_key, _rule_kind):
        yield RulePair(one, other, path, both, field)
    for one, other in _matched(
        old.relationships, new.relationships, _reference_key, lambda reference: dumps(reference.source)
    ):
        yield RelationshipPair(one, other, path, both)


def _plain_rules(part: Any) -> tuple[QualityRule, ...]:
    """The rules that are not another spelling of a field's listed values."""
    return tuple(rule for rule in part.rules if rule.valid_values is None)


def _rule_key(rule: QualityRule) -> str:
    return dumps(
        [rule.type, rule.metric, plain(rule.arguments), rule.name, rule.engine, plain(rule.implementation), rule.query]
    )


def _rule_kind(rule: QualityRule) -> str:
    custom = sorted(rule.implementation) if isinstance(rule.implementation, dict) else None
    return dumps([rule.type, rule.metric, rule.engine, custom])


def _reference_key(reference: Relationship) -> str:
    return dumps([reference.source, reference.target])


def _by_id(part: Any) -> Any:
    """The stable id of a part, where it has one."""
    return part.node.get("id")


def _fields(old: Sequence[Field], new: Sequence[Field], prefix: str, place: str, both: ContractPair) -> Iterator[Pair]:
    renamed = _renames(old, new)
    for one, other in _matched_fields(old, new, renamed):
        column = _there(other, one).column
        pair = FieldPair(
            one, other, f"{prefix}{step(column)}", place, both, renamed=bool(other and other.column in renamed)
        )
        yield pair
        if one and other:
            yield from _promises(one, other, pair.path, both, pair)
            yield from _parts(one, other, pair.path, both)


def _matched_fields(
    old: Sequence[Field], new: Sequence[Field], renamed: dict[str, str]
) -> Iterator[tuple[Field | None, Field | None]]:
    olds = {field.column: field for field in old}
    taken = set()
    for field in new:
        before = renamed.get(field.column, field.column)
        taken.add(before)
        yield olds.get(before), field
    for field in old:
        if field.column not in taken:
            yield field, None


def _renames(old: Sequence[Field], new: Sequence[Field]) -> dict[str, str]:
    """New name to old name, where a stable id, `renamedFrom`, or nothing but letter case says it is the same field."""
    olds, news = {field.column for field in old}, {field.column for field in new}
    gone = [field for field in old if field.column not in news]
    by_id = {field.node.get("id"): field.column for field in gone if field.node.get("id")}
    by_case = {field.column.casefold(): field.column for field in gone}
    found: dict[str, str] = {}
    for field in new:
        if field.column in olds:
            continue
        said = _custom(field, "renamedFrom")
        before = (
            by_id.get(field.node.get("id"))
            or (said if said in {f.column for f in gone} else None)
            or by_case.get(field.column.casefold())
        )
        if before and before not in found.values():
            found[field.column] = str(before)
    return found


def _custom(field: Field, name: str) -> Any:
    entries = field.node.get("customProperties")
    return (
        next((e.get("value") for e in entries if isinstance(e, dict) and e.get("property") == name), None)
        if isinstance(entries, list)
        else None
    )


def _parts(old: Field, new: Field, path: str, both: ContractPair) -> Iterator[Pair]:
    """The parts of a field of the same shape in both versions: members of a struct, items, keys and values."""
    match old.type, new.type:
        case Struct(), Struct():
            yield from _fields(members(old), members(new), f"{path}.", "member", both)
        case (Array(), Array()) | (MapOf(), MapOf()):
            for one, other in zip(members(old), members(new), strict=True):
                place = "item" if other.path.endswith("[]") else "key" if other.path.endswith("{key}") else "value"
                below = path + {"item": "[]", "key": "{key}", "value": "{}"}[place]
                yield FieldPair(one, other, below, place, both)
                yield from _promises(one, other, below, both, None)
                yield from _parts(one, other, below, both)


def members(field: Field) -> tuple[Field, ...]:
    """The parts of a field: as described, else as its physical type spells them."""
    if field.fields:
        return field.fields
    match field.type:
        case Struct(parts):
            return tuple(
                Field(
                    name=m.name,
                    column=m.name,
                    path=f"{field.path}.{step(m.name)}",
                    type=m.type,
                    required=not m.nullable,
                    node=field.node,
                    at=field.at,
                )
                for m in parts
            )
        case Array(element, nullable):
            return (
                Field(
                    name="",
                    column="",
                    path=f"{field.path}[]",
                    type=element,
                    required=not nullable,
                    node=field.node,
                    at=field.at,
                ),
            )
        case MapOf(key, value, nullable):
            return (
                Field(
                    name="", column="", path=field.path + "{key}", type=key, required=True, node=field.node, at=field.at
                ),
                Field(
                    name="",
                    column="",
                    path=field.path + "{}",
                    type=value,
                    required=not nullable,
                    node=field.node,
                    at=field.at,
                ),
            )
    return ()


def _matched(old: Sequence[T], new: Sequence[T], *keys: Callable[[T], Any]) -> Iterator[tuple[T | None, T | None]]:
    """Counterparts by the first key that finds one, in the order of the new version, then what is gone."""
    left = list(old)
    found: dict[int, T] = {}
    for key in keys:
        for index, part in enumerate(new):
            wanted = key(part)
            match = (
                next((one for one in left if key(one) == wanted), None)
                if index not in found and wanted is not None
                else None
            )
            if match is not None:
                found[index] = match
                left.remove(match)
    for index, part in enumerate(new):
        yield found.get(index), part
    for gone in left:
        yield gone, None
