"""A contract in one version: its datasets, fields, rules and servers; the table of a dataset, and the names of its features."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from floe.lang.sql.names import quote
from floe.model.change import Bump
from floe.model.errors import TableError
from floe.model.finding import Place, Step
from floe.model.show import as_html, as_text
from floe.model.types import Member, Struct, Type
from floe.model.yaml_text import List, Map

# what no path or name of a table holds: control characters, what ends a name in SQL, what Spark replaces
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029`]|\\$\\{")
_WEB = re.compile(r"(https?|s?ftp|gopher|data|jar):", re.IGNORECASE)

# the keys of a contract's server that a table's path or name is made of
AIMS = ("path", "location", "catalog", "schema", "database", "namespace")


def unsafe_in(text: str) -> str | None:
    """What in a path or name of a table is not allowed there; None where all is.

    >>> unsafe_in("s3://lake/a b's [1]"), unsafe_in("a`b"), unsafe_in("${env:HOME}")
    (None, 'a backtick', "'${'")
    """
    found = _UNSAFE.search(text)
    if not found:
        return None
    return {"`": "a backtick", "${": "'${'"}.get(found[0], "a control character")


def unsafe_in_path(path: str) -> str | None:
    """What in a path of a table is not allowed there; None where all is.

    A web address is no table, and a query sets options of the store: `endpoint_override` would send requests that are signed
    with the user's keys to any server.

    >>> unsafe_in_path("s3://lake/orders"), unsafe_in_path("lake/what?"), unsafe_in_path("http://acme.example/orders")
    (None, None, "a web address ('http:')")
    >>> unsafe_in_path("s3://lake/orders?endpoint_override=acme.example")
    "a query ('?')"
    """
    if web := _WEB.match(path):
        return f"a web address ('{web[1].lower()}:')"
    if "://" in path and "?" in path:
        return "a query ('?')"
    return unsafe_in(path)


@dataclass(frozen=True, slots=True)
class Target:
    """A table by its catalog name, or by its path; `format` is delta, iceberg or parquet."""

    format: str
    name: str | None = None
    path: str | None = None

    def __post_init__(self) -> None:
        """Refuse what could end its name in SQL, wherever it came from."""
        for called, text, check in (("name", self.name, unsafe_in), ("path", self.path, unsafe_in_path)):
            if text and (unsafe := check(text)):
                raise TableError(f"The {called} {text!a} of a table contains {unsafe}", "Remove it", "E507")

    def __str__(self) -> str:
        return self.name or self.path or ""

    @property
    def sql(self) -> str:
        """The table as Spark SQL names it."""
        if self.name:
            return ".".join(map(quote, self.name.split(".")))
        return f"{self.format}.{quote(str(self.path))}"


# what a contract's source begins with where it was not read from a file
REGISTRY, CACHE, COMPILED = "registry:", "cache:", "compiled:"

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

    def walk(self) -> list["Field"]:
        """This field and every one below it."""
        return [self, *(field for child in self.fields for field in child.walk())]


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

    def walk(self) -> list[Field]:
        """Every field, nested ones after their parent."""
        return [field for child in self.fields for field in child.walk()]


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

    def extended(self) -> Iterator[tuple[str, Place]]:
        """The parents it names, each with its place."""
        entries = self.node.get("customProperties")
        for entry in entries if isinstance(entries, List) else ():
            if not isinstance(entry, Map) or entry.get("property") != "extends":
                continue
            value, at = entry.get("value"), entry.value_places.get("value", entry.place)
            places = value.item_places if isinstance(value, List) else (at,)
            for name, place in zip(value if isinstance(value, List) else (value,), places, strict=True):
                yield str(name.get("contract") or name.get("id") if isinstance(name, Map) else name), place

    @property
    def is_resolved(self) -> bool:
        """Whether it holds all it inherits: the registry, its copies and compiled artifacts keep resolved contracts."""
        return self.source.startswith((REGISTRY, CACHE, COMPILED))

    def with_layers(self, layers: Mapping[str, str | None]) -> "Contract":
        """The contract without its folder: its datasets keep the layer of the folder."""
        datasets = tuple(
            replace(dataset, custom={**dataset.custom, "layer": layers[dataset.name]})
            if layers.get(dataset.name)
            else dataset
            for dataset in self.datasets
        )
        return replace(self, datasets=datasets)

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

    def walk(self) -> list[Noun]:
        """The contract and every part of it."""
        parts: list[Noun] = [self, *self.servers]
        for dataset in self.datasets:
            parts += (dataset, *dataset.rules, *dataset.relationships)
            for part in dataset.walk():
                parts += (part, *part.rules, *part.relationships)
        return [*parts, *self.sla]

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


_TEXT = re.compile(r"(?P<table>[^@\s]+)@(?P<day>\d{4}-\d\d-\d\d)/v(?P<version>\d{1,9})-(?P<hash>[0-9a-f]{8})")
_DATED = ("date", "timestamp", "timestamp_ntz")


@dataclass(frozen=True, slots=True)
class FeatureVersion:
    """A snapshot's name: table_id @ as_of / v schema_version - first of the hash.

    >>> str(FeatureVersion("gold.a.b", date(2026, 1, 31), 3, "sha256:9f2c1a7bffff"))
    'gold.a.b@2026-01-31/v3-9f2c1a7b'
    """

    table_id: str
    as_of: date
    schema_version: int
    schema_hash: str

    def __str__(self) -> str:
        return f"{self.table_id}@{self.as_of}/v{self.schema_version}-{self.schema_hash.removeprefix('sha256:')[:8]}"

    @classmethod
    def read(cls, text: str) -> "FeatureVersion | None":
        """The name in a text; None where it is none."""
        found = _TEXT.fullmatch(text)
        try:
            return (
                cls(found["table"], date.fromisoformat(found["day"]), int(found["version"]), found["hash"])
                if found
                else None
            )
        except ValueError:
            return None


def snapshot_keys(dataset: Dataset) -> tuple[Field, ...]:
    """The columns that name a row of a snapshot, where the contract lists them."""
    return tuple(_named(dataset, dataset.custom.get("snapshotKeys")))


def as_of_field(dataset: Dataset) -> Field | None:
    """The column that dates a snapshot: of the snapshot keys that are no join keys a day, else a moment."""
    joined = tuple(_named(dataset, dataset.custom.get("joinKeys")))
    dated = [field for field in _row_keys(dataset) if field not in joined and str(field.type) in _DATED]
    return min(dated, key=lambda field: _DATED.index(str(field.type)), default=None)


def entity_keys(dataset: Dataset) -> tuple[Field, ...]:
    """The columns that name what features are of: the join keys, else the snapshot keys without the day."""
    joined = tuple(_named(dataset, dataset.custom.get("joinKeys")))
    return joined or tuple(field for field in _row_keys(dataset) if field != as_of_field(dataset))


def _row_keys(dataset: Dataset) -> tuple[Field, ...]:
    return snapshot_keys(dataset) or dataset.primary_key


def _named(dataset: Dataset, listed: Any) -> Iterable[Field]:
    if isinstance(listed, str):
        listed = [listed]
    for name in listed if isinstance(listed, list) else ():
        yield from (field for field in dataset.fields if name in (field.name, field.column))
