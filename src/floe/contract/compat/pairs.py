"""Two versions of a contract, part beside part."""

import dataclasses
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from floe.contract.compat.rename_hints import rename_hints
from floe.contract.formats.canonical import spelled
from floe.contract.formats.odcs import step
from floe.lang.json_text import dumps, plain
from floe.model import Contract, Dataset, Field, Map, Noun, QualityRule, Relationship, Server, Sla
from floe.model.service_level import level_name
from floe.model.types import Array, MapOf, Struct, Type
from floe.settings import LABELS

T = TypeVar("T", bound=Noun)


@dataclass(frozen=True, slots=True)
class Terms:
    """What the settings say about changes: the order of classifications, a table's usual format, what widening asks for,
    and which way service levels outside the standard get stricter.
    """

    labels: tuple[str, ...] = LABELS
    table_format: str = "delta"
    widening_is_minor: bool = False
    sla_directions: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContractPair:
    """The old and the new contract."""

    old: Contract
    new: Contract
    path: str = ""
    terms: Terms = dataclasses.field(default_factory=Terms)


@dataclass(frozen=True, slots=True)
class DatasetPair:
    """A dataset in both versions; one side is None where it is new or gone."""

    old: Dataset | None
    new: Dataset | None
    path: str
    contracts: ContractPair


@dataclass(frozen=True, slots=True)
class FieldPair:
    """A field in both versions; `place` says what it is: column, member, item, key or value.

    `renamed` where it has another column's name now; `hint` where it may have been renamed and nothing says so.
    """

    old: Field | None
    new: Field | None
    path: str
    place: str
    contracts: ContractPair
    renamed: bool = False
    hint: str = ""

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
    for server, later_server in _matched(old.servers, new.servers, _by_server):
        yield ServerPair(server, later_server, f"servers.{_there(later_server, server).server}", both)
    for dataset, later_dataset in _matched(old.datasets, new.datasets, _by_id, _by_name, _by_table):
        yield from _dataset(dataset, later_dataset, both)
    for sla, later_sla in _matched(old.sla, new.sla, _sla_id, _sla_key, sla_name, _age_of):
        yield SlaPair(sla, later_sla, f"slaProperties.{sla_name(_there(later_sla, sla))}", both)


def _there(t: T | None, other: T | None) -> T:
    """The side that is there; a pair always has one."""
    found = t or other
    assert found is not None
    return found


def _by_server(server: Server) -> str:
    return server.server


def _by_name(dataset: Dataset) -> str:
    return dataset.name


def _by_table(dataset: Dataset) -> str | None:
    return dataset.physical_name


def sla_name(sla: Sla) -> str:
    """The standard's name of a service level, whatever spelling it is written in."""
    return level_name(sla.property)


def _sla_id(sla: Sla) -> str | None:
    given = sla.node.get("id")
    return None if given is None else dumps([plain(given), sla_name(sla)])


def _sla_key(sla: Sla) -> str:
    return dumps([sla_name(sla), sla.driver, sla.element])


def _age_of(sla: Sla) -> str | None:
    """Latency and freshness of one element are one quantity."""
    return sla.element if sla_name(sla) in ("latency", "freshness") else None


def _dataset(old: Dataset | None, new: Dataset | None, both: ContractPair) -> Iterator[Pair]:
    name = _there(new, old).name
    yield DatasetPair(old, new, step(name), both)
    if old and new:
        yield from _fields(old.fields, new.fields, f"{step(name)}.", "column", both)
        yield from _promises(old, new, step(name), both, None)


def _promises(old: Any, new: Any, path: str, both: ContractPair, field: FieldPair | None) -> Iterator[Pair]:
    """Quality rules and references that stand on one part."""
    for one, other in _matched(
        old.rules, new.rules, _rule_id, _rule_whole, _rule_key, _rule_said, _rule_name, _rule_kind
    ):
        yield RulePair(one, other, path, both, field)
    for one, other in _matched(
        old.relationships, new.relationships, _reference_key, lambda reference: dumps(reference.source)
    ):
        yield RelationshipPair(one, other, path, both)


def _rule_id(rule: QualityRule) -> str | None:
    """The stable id of a rule, as long as it measures the same way."""
    return None if rule.id is None else dumps([rule.id, _rule_kind(rule)])


def _rule_whole(rule: QualityRule) -> str:
    return dumps([_rule_key(rule), sorted(rule.operators), rule.severity])


def _rule_key(rule: QualityRule) -> str:
    return dumps([_rule_said(rule), rule.name])


def _rule_said(rule: QualityRule) -> str:
    return dumps([_rule_kind(rule), plain(rule.arguments), plain(rule.implementation), rule.query])


def _rule_name(rule: QualityRule) -> str | None:
    return None if rule.name is None else dumps([_rule_kind(rule), rule.name])


def _rule_kind(rule: QualityRule) -> str:
    custom = sorted(rule.implementation) if isinstance(rule.implementation, dict) else None
    return dumps([rule.type, rule.metric, rule.engine, custom, rule.valid_values is not None])


def _reference_key(reference: Relationship) -> str:
    return dumps(joined(reference))


def joined(reference: Relationship) -> list[Any]:
    """The columns that a reference joins, pair by pair in whatever order they stand."""
    source, target = reference.source, reference.target
    return sorted(zip(source, target, strict=True)) if len(source) == len(target) else [source, target]


def _by_id(part: Any) -> str | None:
    """The stable id of a part, where it has one."""
    given = part.node.get("id")
    return None if given is None else str(given)


def _fields(old: Sequence[Field], new: Sequence[Field], prefix: str, place: str, both: ContractPair) -> Iterator[Pair]:
    matched = list(_matched_fields(old, new))
    hints = rename_hints([one for one, other in matched if one and not other], [b for a, b in matched if b and not a])
    for one, other in matched:
        column = _there(other, one).column
        pair = FieldPair(
            one,
            other,
            f"{prefix}{step(column)}",
            place,
            both,
            renamed=bool(one and other and one.column != other.column),
            hint=hints.get(column, "") if not (one and other) else "",
        )
        yield pair
        if one and other:
            yield from _promises(one, other, pair.path, both, pair)
            yield from _parts(one, other, pair.path, both)


def _matched_fields(old: Sequence[Field], new: Sequence[Field]) -> Iterator[tuple[Field | None, Field | None]]:
    olds = {field.column: field for field in old}
    before = earlier(old, new)
    yield from zip([olds.get(column) if column is not None else None for column in before], new, strict=True)
    taken = set(before)
    for field in old:
        if field.column not in taken:
            yield field, None


def earlier(old: Sequence[Field], new: Sequence[Field]) -> list[str | None]:
    """The name that each field had; its own where it is new, None where its name was another field's."""
    renamed = _renames(old, new)
    elsewhere = set(renamed.values())
    return [renamed.get(f.column) or (f.column if f.column not in elsewhere else None) for f in new]


def _renames(old: Sequence[Field], new: Sequence[Field]) -> dict[str, str]:
    """New column to old column, where something says that it is the same field under another name.

    In this order: the stable id, `renamedFrom`, the same `name` over another physicalName, nothing but letter case.
    """
    found = _by_stable_id(old, new)
    olds, news = {field.column for field in old}, {field.column for field in new}
    taken = news | set(found.values())
    free = {field.column: field for field in old if field.column not in taken}
    if not free:
        return found
    by_name = {field.name: column for column, field in free.items()}
    by_case = {column.casefold(): column for column in free}
    for field in new:
        if field.column in olds or field.column in found:
            continue
        said = custom_value(field, "renamedFrom")
        known = (said, by_name.get(said) if isinstance(said, str) else None, by_name.get(field.name))
        before = next((value for value in (*known, by_case.get(field.column.casefold())) if _in(value, free)), None)
        if before is not None:
            found[field.column] = before
            del free[before]
    return found


def _in(name: Any, names: Mapping[str, Field]) -> bool:
    return isinstance(name, str) and name in names


def _by_stable_id(old: Sequence[Field], new: Sequence[Field]) -> dict[str, str]:
    """New column to old column, where one field of each version has the same id and the columns differ."""
    before, after = _ids(old), _ids(new)
    same = [(after[id_], before[id_]) for id_ in after if id_ in before]
    return {later: earlier for later, earlier in same if later != earlier}


def _ids(fields: Sequence[Field]) -> dict[str, str]:
    """Columns by the ids that one field alone has."""
    found: dict[str, str] = {}
    twice = set()
    for field in fields:
        id_ = field.node.get("id")
        if id_ and isinstance(id_, str):
            twice |= {id_} & found.keys()
            found[id_] = field.column
    return {id_: column for id_, column in found.items() if id_ not in twice}


def custom_value(field: Field, name: str) -> Any:
    """The value of a field's custom property."""
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
            for old_part, new_part in zip(members(old), members(new), strict=True):
                place = _place(new_part)
                below = path + _SUFFIXES[place]
                pair = FieldPair(old_part, new_part, below, place, both)
                yield pair
                yield from _promises(old_part, new_part, below, both, pair)
                yield from _parts(old_part, new_part, below, both)


_SUFFIXES = {"item": "[]", "key": "{key}", "value": "{}"}


def _place(part: Field) -> str:
    """What a part is of its list or map."""
    if part.path.endswith("[]"):
        return "item"
    return "key" if part.path.endswith("{key}") else "value"


def members(field: Field) -> tuple[Field, ...]:
    """The parts of a field: as described, else as its physical type spells them."""
    if field.fields:
        return field.fields
    match field.type:
        case Struct(parts):
            return tuple(_spelled(field, f".{step(m.name)}", m.name, m.type, m.nullable) for m in parts)
        case Array(element, nullable):
            return (_spelled(field, "[]", "", element, nullable),)
        case MapOf(key, value, nullable):
            return _spelled(field, "{key}", "", key, False), _spelled(field, "{}", "", value, nullable)
    return ()


def _spelled(field: Field, below: str, name: str, type_: Type, nullable: bool) -> Field:
    """A part that stands in the text of a type: it has a place, and nothing but its type is said of it."""
    node = Map(field.node.place)
    node.update({"name": name} if name else {}, physicalType=spelled(type_))
    return Field(
        name=name,
        column=name,
        path=f"{field.path}{below}",
        type=type_,
        required=not nullable,
        node=node,
        at=field.at,
    )


def _matched(old: Sequence[T], new: Sequence[T], *keys: Callable[[T], Any]) -> Iterator[tuple[T | None, T | None]]:
    """Counterparts by the first key that finds one, in the order of the new version, then what is gone."""
    left = dict(enumerate(old))
    found: dict[int, T] = {}
    for key in keys:
        waiting: defaultdict[Any, deque[int]] = defaultdict(deque)
        for number, one in left.items():
            waiting[key(one)].append(number)
        for index, part in enumerate(new):
            wanted = key(part) if index not in found else None
            if wanted is not None and waiting[wanted]:
                found[index] = left.pop(waiting[wanted].popleft())
    for index, part in enumerate(new):
        yield found.get(index), part
    for gone in left.values():
        yield gone, None
