"""A contract in one version: its datasets, fields, rules and servers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from floe.model.change import Bump
from floe.model.show import as_html, as_text
from floe.model.tree import Map, Place, Step
from floe.model.types import Member, Struct, Type

LAYERS = ("bronze", "silver", "gold")
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun:
    """A part of a contract that knows where it was written."""

    node: Map = field(default_factory=lambda: Map(Place("", 1, 1)), compare=False, repr=False)
    at: tuple[Step, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRule(Noun):
    """A quality rule of the contract, as written."""

    type: str = "library"
    metric: str | None = None
    id: str | None = None
    name: str | None = None
    severity: str | None = None
    dimension: str | None = field(default=None, compare=False)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    operators: Mapping[str, Any] = field(default_factory=dict)
    unit: str | None = None
    engine: str | None = None
    implementation: Any = None
    query: str | None = None

    @property
    def valid_values(self) -> tuple[Any, ...] | None:
        """The listed values, if this rule is the older form of enum in ODCS."""
        if self.metric == "validValues" and not self.operators:  # v3.0: the values are part of the rule itself
            values = self.node.get("validValues")
        elif self.metric == "invalidValues" and dict(self.operators) == {"mustBe": 0}:
            values = self.arguments.get("validValues")
        else:
            return None
        return tuple(values) if isinstance(values, list) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship(Noun):
    """A reference to fields of this or another contract; `source` is empty if it belongs to its own field."""

    type: str = "foreignKey"
    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sla(Noun):
    """One service level, as written."""

    property: str
    value: Any = None
    unit: str | None = None
    element: str | None = None
    driver: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Noun):
    """A column or a nested part of one, known by its dotted path."""

    name: str
    path: str
    type: Type
    column: str
    required: bool = False
    unique: bool = False
    key_position: int | None = None
    partition_position: int | None = None
    classification: str | None = None
    logical_type: str | None = None
    physical_type: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[Any, ...] | None = None
    rules: tuple[QualityRule, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    fields: tuple["Field", ...] = ()
    type_error: str | None = None

    def walk(self) -> Iterator["Field"]:
        """This field and every one below it."""
        yield self
        for child in self.fields:
            yield from child.walk()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset(Noun):
    """A table, topic or set of files that the contract describes."""

    name: str
    physical_name: str | None = None
    fields: tuple[Field, ...] = ()
    rules: tuple[QualityRule, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    custom: Mapping[str, Any] = field(default_factory=dict)

    @property
    def primary_key(self) -> tuple[Field, ...]:
        """The key's fields in key order."""
        keys = [f for f in self.fields if f.key_position is not None]
        return tuple(sorted(keys, key=lambda f: f.key_position or 0))

    @property
    def partition(self) -> tuple[Field, ...]:
        """The fields the table is partitioned by, in order."""
        parts = [f for f in self.fields if f.partition_position is not None]
        return tuple(sorted(parts, key=lambda f: f.partition_position or 0))

    @property
    def schema(self) -> Struct:
        """The schema of the table in the contract."""
        return Struct(tuple(Member(f.column, f.type, not f.required) for f in self.fields))

    def walk(self) -> Iterator[Field]:
        """Every field, nested ones after their parent."""
        for child in self.fields:
            yield from child.walk()


@dataclass(frozen=True, slots=True, kw_only=True)
class Server(Noun):
    """The location of the data in one environment."""

    server: str
    type: str
    environment: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(Noun):
    """One version of a contract: datasets with their schema, rules and service levels."""

    api_version: str
    id: str
    version: str
    name: str | None = None
    status: str | None = None
    domain: str | None = None
    product: str | None = None
    datasets: tuple[Dataset, ...] = ()
    servers: tuple[Server, ...] = ()
    sla: tuple[Sla, ...] = ()
    custom: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    format: str = "odcs"

    @property
    def identity(self) -> str:
        """`domain.product/contract:version`."""
        domain, product = self.domain or "default", self.product or "default"
        name = self.name or self.id.rstrip("/").replace("/", ":").split(":")[-1]
        prefix = f"{domain}-{product}-"
        if name.replace("_", "-").startswith(prefix.replace("_", "-")):
            name = name[len(prefix) :]
        return f"{domain}.{product}/{name}:{self.version}"

    @property
    def owner(self) -> str:
        """The owner: the member with role owner, else the team's name; empty if there is none."""
        team = self.node.get("team")
        members = team.get("members") if isinstance(team, dict) else team
        for member in members if isinstance(members, list) else ():
            if (
                isinstance(member, dict)
                and "owner" in str(member.get("role", "")).lower()
                and not member.get("dateOut")
            ):
                return str(member.get("username") or member.get("name") or "")
        return str(team.get("name") or "") if isinstance(team, dict) else ""

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def walk(self) -> Iterator[Noun]:
        """The contract and every part of it."""
        yield self
        yield from self.servers
        for dataset in self.datasets:
            yield dataset
            yield from dataset.rules
            yield from dataset.relationships
            for part in dataset.walk():
                yield part
                yield from part.rules
                yield from part.relationships
        yield from self.sla

    def layer(self, dataset: Dataset) -> str | None:
        """The medallion layer of a dataset: from the contract, else from its folder, else unknown."""
        named = dataset.custom.get("layer") or self.custom.get("layer")
        if named:
            return str(named)
        first = (dataset.physical_name or "").split(".")[0]
        folders = self.source.replace("\\", "/").split("/")
        inside = folders[folders.index("contracts") + 1 :] if "contracts" in folders else []
        return next((word for word in (first, *inside[:1]) if word in LAYERS), None)

    def table_id(self, dataset: Dataset) -> str | None:
        """`layer.domain.table`, where the layer is known."""
        parts = (dataset.physical_name or "").split(".")
        if len(parts) == 3 and parts[0] in LAYERS:
            return dataset.physical_name
        layer = self.layer(dataset)
        return f"{layer}.{self.domain or 'default'}.{parts[-1] or dataset.name}" if layer else None


_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """Three numbers; ordered."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @classmethod
    def read(cls, text: str | None) -> "Version | None":
        """The version a text is; None where it is not exactly X.Y.Z.

        >>> str(Version.read("1.10.0")), Version.read("v1.0.0"), Version.read("01.0.0")
        ('1.10.0', None, None)
        """
        found = _VERSION.fullmatch(text or "")
        return cls(*map(int, found.groups())) if found else None

    def bump_from(self, old: "Version") -> Bump:
        """The bump that going from an older version declares; NONE where it does not rise.

        >>> str(Version(1, 3, 0).bump_from(Version(1, 2, 9)))
        'MINOR'
        """
        if self <= old:
            return Bump.NONE
        if self.major > old.major:
            return Bump.MAJOR
        return Bump.MINOR if self.minor > old.minor else Bump.PATCH

    def raised(self, bump: Bump) -> "Version":
        """The next version by a bump.

        >>> str(Version(1, 2, 3).raised(Bump.MINOR))
        '1.3.0'
        """
        match bump:
            case Bump.MAJOR:
                return Version(self.major + 1, 0, 0)
            case Bump.MINOR:
                return Version(self.major, self.minor + 1, 0)
            case Bump.PATCH:
                return Version(self.major, self.minor, self.patch + 1)
            case _:
                return self
