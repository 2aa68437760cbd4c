"""Constraints that the rows of a table suggest for its contract."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal as Number
from typing import Any

from floe.contract.formats.foreign.table import Column
from floe.contract.lint.personal import named
from floe.lang.type_text import parse_type
from floe.model.plan import FileStatistics
from floe.model.profile import ColumnSeen, Observation, kind, names_a_row
from floe.model.types import Array, Family, MapOf, Member, Struct, Type


@dataclass(frozen=True, slots=True)
class Proposals:
    """A column of the table with proposals from its rows (`surely`: all rows were read) and remarks."""

    column: Column
    required: bool = False
    unique: bool = False
    key: int | None = None
    options: Mapping[str, Any] | None = None
    values: tuple[str, ...] | None = None
    doubtful: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()

    def accepted(self) -> "Proposals":
        """The column with the proposals that hold for all rows as constraints; the others stay proposals."""
        taken = {key: value for key, value in self.facts().items() if key not in self.doubtful}
        column = replace(
            self.column,
            nullable=self.column.nullable and "required" not in taken,
            facts={**self.column.facts, **{key: taken[key] for key in taken if key in _FACTS}},
            options={**self.column.options, **(taken.get("logicalTypeOptions") or {})},
            values=self.values if "quality" in taken else self.column.values,
        )
        return Proposals(column, **self._left(), doubtful=self.doubtful, remarks=self.remarks)

    def _left(self) -> dict[str, Any]:
        doubtful = self.doubtful
        return {
            "required": self.required and "required" in doubtful,
            "unique": self.unique and "unique" in doubtful,
            "key": self.key if "primaryKey" in doubtful else None,
            "options": self.options if "logicalTypeOptions" in doubtful else None,
            "values": self.values if "quality" in doubtful else None,
        }

    def facts(self) -> dict[str, Any]:
        """The proposals as the keys of a field."""
        found: dict[str, Any] = {}
        if self.options:
            found["logicalTypeOptions"] = dict(self.options)
        if self.required:
            found["required"] = True
        if self.unique:
            found["unique"] = True
        if self.key:
            found |= {"primaryKey": True, "primaryKeyPosition": self.key}
        if self.values:
            rule = {"metric": "invalidValues", "arguments": {"validValues": list(self.values)}, "mustBe": 0}
            found["quality"] = [rule]
        return found


_FACTS = ("unique", "primaryKey", "primaryKeyPosition")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a table besides its columns."""

    seen: Observation | None
    files: tuple[FileStatistics, ...] | None = None
    key: tuple[str, ...] = ()
    partition: tuple[str, ...] = ()
    descriptions: Mapping[str, str] | None = None

    @property
    def whole(self) -> bool:
        """Whether all rows were seen."""
        return bool(self.seen and self.seen.whole)

    def column(self, name: str) -> ColumnSeen | None:
        """What rows show of a column; None where none was seen."""
        return self.seen.columns.get(name) if self.seen and self.seen.rows else None


def propose(schema: Struct, ground: Evidence) -> list[Proposals]:
    """A column of the contract for each of the table's, with what its rows suggest."""
    return [_proposals(member, ground) for member in schema.members]


def _proposals(member: Member, ground: Evidence) -> Proposals:
    column, remarks = _column(member, ground)
    seen = ground.column(member.name)
    nulls = _nulls(member.name, ground)
    if (seen is None and nulls is None) or column.type != member.type:
        return Proposals(column, remarks=tuple(remarks))
    if _all_null(member.name, seen, ground):
        remarks.append("null in every row")
    key = _key_position(member.name, ground)
    options, of_all_rows = None, True
    values = None
    if not key and not named(member.name, "pii"):
        options, of_all_rows = _bounds(member, seen, ground)
        values = _listed(seen, ground) if seen else None
    return Proposals(
        column,
        required=member.nullable and is_filled(ground) and _never_null(nulls, seen),
        unique=bool(seen and seen.unique and names_a_row(member.name) and not key and not ground.key),
        key=key,
        options=options,
        values=values,
        doubtful=_doubtful(ground, nulls is not None, of_all_rows),
        remarks=tuple(remarks),
    )


def _doubtful(ground: Evidence, nulls_known: bool, bounds_known: bool) -> frozenset[str]:
    """The proposals that rows which were not seen may contradict."""
    doubtful = set() if ground.whole else {"unique", "primaryKey", "primaryKeyPosition", "quality"}
    if not nulls_known and not ground.whole:
        doubtful.add("required")
    if not bounds_known:
        doubtful.add("logicalTypeOptions")
    return frozenset(doubtful)


def _never_null(nulls: int | None, seen: ColumnSeen | None) -> bool:
    """Whether no row is null: of all rows where that is known, else of those that were seen."""
    if nulls is None and seen:
        nulls = seen.nulls
    return nulls == 0


def is_filled(ground: Evidence) -> bool:
    """Whether the table is known to have rows."""
    counted = sum(file.rows or 0 for file in ground.files or ())
    return bool(counted or (ground.seen and ground.seen.rows))


def _column(member: Member, ground: Evidence) -> tuple[Column, list[str]]:
    """The constraints in the metadata of the table for a column."""
    facts: dict[str, Any] = {}
    remarks = []
    for word, names in (("primaryKey", ground.key), ("partitioned", ground.partition)):
        if member.name in names:
            position = "primaryKeyPosition" if word == "primaryKey" else "partitionKeyPosition"
            facts |= {word: True, position: names.index(member.name) + 1}
    type_ = member.type
    if not _promisable(type_):
        remarks.append(f"the files contain {type_}, which a contract cannot express")
        type_ = Family("any")
    described = (ground.descriptions or {}).get(member.name)
    column = Column(name=member.name, type=type_, nullable=member.nullable, description=described, facts=facts)
    return column, remarks


def _promisable(type_: Type) -> bool:
    """Whether a contract can name a type, and Spark reads it, at any depth."""
    match type_:
        case Struct(members):
            return all(_promisable(member.type) for member in members)
        case Array(element):
            return _promisable(element)
        case MapOf(key, value):
            return _promisable(key) and _promisable(value)
    try:
        return parse_type(str(type_)) == type_
    except ValueError:
        return False


def _key_position(name: str, ground: Evidence) -> int | None:
    if ground.key or not ground.seen or name not in ground.seen.key:
        return None
    return ground.seen.key.index(name) + 1


def _nulls(name: str, ground: Evidence) -> int | None:
    """How many rows are null in a column, where that is known of all rows."""
    if ground.seen and ground.seen.whole:
        return ground.seen.columns[name].nulls
    if ground.files is None or any(file.rows is None or name not in file.nulls for file in ground.files):
        return None
    return sum(file.nulls[name] for file in ground.files)


def _all_null(name: str, seen: ColumnSeen | None, ground: Evidence) -> bool:
    """Whether a column is known to hold nothing: by all rows, or by the statistics of every file."""
    if ground.seen and ground.whole and seen and seen.nulls == ground.seen.rows:
        return True
    files = ground.files or ()
    return bool(files) and all(file.rows and file.nulls.get(name) == file.rows for file in files)


def _bounds(member: Member, seen: ColumnSeen | None, ground: Evidence) -> tuple[dict[str, Any] | None, bool]:
    """The bounds of a column as options, and whether they are those of all rows."""
    shape = kind(member.type)
    edges = (seen.least, seen.most) if seen else (None, None)
    by_files = None if ground.whole else _file_bounds(member.name, ground.files)
    low, high = by_files or edges
    if low is None or high is None or shape in (None, "text"):
        return None, True
    if shape == "moment":  # the next rows will be later, so the latest timestamp is not a constraint
        return {"minimum": _text(low)}, ground.whole or by_files is not None
    return {"minimum": _text(low), "maximum": _text(high)}, ground.whole or by_files is not None


def _file_bounds(name: str, files: tuple[FileStatistics, ...] | None) -> tuple[Any, Any] | None:
    """Bounds of a column from the statistics of every file; None if a file has none."""
    filled = [file for file in files or () if not file.rows or file.nulls.get(name) != file.rows]
    if not filled or any(name not in file.least or name not in file.most for file in filled):
        return None
    return min(file.least[name] for file in filled), max(file.most[name] for file in filled)


def _text(value: Any) -> Any:
    """A bound as a contract writes it."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    return Number(repr(value)) if isinstance(value, float) else value


def _listed(seen: ColumnSeen, ground: Evidence) -> tuple[str, ...] | None:
    """The values of a column with few distinct values: each occurs twice or more on average."""
    filled = ground.seen.rows - seen.nulls if ground.seen else 0
    shown = all(name.isprintable() for name in seen.values or ())
    return seen.values if seen.values and shown and 2 * len(seen.values) <= filled else None
