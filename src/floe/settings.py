"""The settings of a project: typed, frozen, each with its default.

The path of an attribute is the name of the setting: `settings.tables.format` is `tables.format` in manifest.yaml and
FLOE_TABLES_FORMAT in the environment. What may be set is read from these classes (`KEYS`), so that a setting is written
down once. Reading manifest.yaml and the environment is the work of `floe.actions.load.settings`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from floe.system.clock import utc_now  # noqa: TID251  (see clock below)

EnforcementLevel = Literal["off", "warn", "alert_only", "block"]
MonitoringMode = Literal["scheduled", "continuous", "on_demand"]
FormatName = Literal["delta", "iceberg", "parquet"]
LineageTransport = Literal["none", "file", "http", "console"]
TraceExporter = Literal["none", "otlp", "console", "file"]

LEVELS: tuple[EnforcementLevel, ...] = get_args(EnforcementLevel)
LABELS = ("public", "internal", "confidential", "restricted", "sensitive", "pii", "phi")
RESERVED = ("FLOE_ACTOR", "FLOE_FAILPOINT", "FLOE_UNTRUSTED")  # variables of floe that are no settings

# A setting that connects to something outside the checkout, or runs code. Where somebody else wrote the manifest
# (FLOE_UNTRUSTED), its values for these are not used.
_OUTWARD = {"outward": True}


def _embedded_catalog() -> Mapping[str, Mapping[str, Any]]:
    return {"ice": {"type": "sql", "uri": "sqlite:///.floe/catalog.db", "warehouse": ".floe/warehouse"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSettings:
    """The plugin that reads contracts; floe has one."""

    type: Literal["odcs"] = "odcs"


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoGenerationSettings:
    """The sources of contracts that are generated for products without any."""

    enabled: bool = True
    from_ports: bool = True
    from_dbt_manifest: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """How often one kind of check runs."""

    check_interval: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySettings:
    """How often quality is checked, and the score below which it is a violation."""

    check_interval: str = "6h"
    threshold: int = 95


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoringSettings:
    """What `floe monitor` checks, and when."""

    enabled: bool = True
    mode: MonitoringMode = "scheduled"
    freshness: CheckSettings = CheckSettings(check_interval="15m")
    schema_drift: CheckSettings = CheckSettings(check_interval="1h")
    quality: QualitySettings = QualitySettings()
    availability: CheckSettings = CheckSettings(check_interval="5m")

    def interval(self, kind: str) -> str:
        """The default interval of one kind of check."""
        check: CheckSettings | QualitySettings = getattr(self, kind)
        return check.check_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertingSettings:
    """Which systems receive violations."""

    openlineage_events: bool = True
    prometheus_metrics: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DataContractsSettings:
    """How contracts are enforced, generated and monitored."""

    enforcement: EnforcementLevel = "alert_only"
    standard: Literal["odcs_v3"] = "odcs_v3"
    plugin: PluginSettings = PluginSettings()
    auto_generation: AutoGenerationSettings = AutoGenerationSettings()
    monitoring: MonitoringSettings = MonitoringSettings()
    alerting: AlertingSettings = AlertingSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrySettings:
    """The database of contract versions and runs."""

    url: str = field(default="sqlite:///.floe/registry.db", metadata=_OUTWARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkSettings:
    """The Spark session that floe starts, or the Connect server it uses."""

    master: str = field(default="local[*]", metadata=_OUTWARD)
    conf: Mapping[str, Any] = field(default_factory=dict, metadata=_OUTWARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesSettings:
    """Where tables are, and the format of new ones."""

    format: FormatName = "delta"
    warehouse: str = field(default=".floe/warehouse", metadata=_OUTWARD)
    staging: str = field(default="", metadata=_OUTWARD)
    names: Mapping[str, str] = field(default_factory=dict, metadata=_OUTWARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectStore:
    """How the objects below a URL are reached; what is empty here each client finds as it usually does.

    The keys come from the environment or from a profile, never from a file of the project.
    """

    prefix: str
    endpoint: str = ""
    region: str = ""
    path_style: bool = True
    key_id: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibilitySettings:
    """How changes between versions are classified."""

    type_widening: Literal["major", "minor"] = "major"
    sla_directions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationsSettings:
    """Where messages to people are kept."""

    path: str = field(default=".floe/notifications.jsonl", metadata=_OUTWARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsSettings:
    """How long before a breaking change its consumers are notified."""

    lead_days: int = 14
    notice_days: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageSettings:
    """Where OpenLineage events are sent."""

    transport: LineageTransport = field(default="none", metadata=_OUTWARD)
    url: str = field(default="", metadata=_OUTWARD)
    path: str = field(default=".floe/lineage.jsonl", metadata=_OUTWARD)
    namespace: str = "floe"


@dataclass(frozen=True, slots=True, kw_only=True)
class TracesSettings:
    """Where OpenTelemetry traces are sent."""

    exporter: TraceExporter = field(default="none", metadata=_OUTWARD)
    path: str = field(default=".floe/traces.jsonl", metadata=_OUTWARD)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force, where each came from, and what floe runs in: the contract root, the user, the clock."""

    root: Path
    _: KW_ONLY
    data_contracts: DataContractsSettings = DataContractsSettings()
    registry: RegistrySettings = RegistrySettings()
    spark: SparkSettings = field(default_factory=SparkSettings)
    catalogs: Mapping[str, Mapping[str, Any]] = field(default_factory=_embedded_catalog, metadata=_OUTWARD)
    tables: TablesSettings = field(default_factory=TablesSettings)
    storage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, metadata=_OUTWARD)
    variables: Sequence[Any] = field(default_factory=list, metadata=_OUTWARD)
    classifications: Sequence[Any] = field(default_factory=lambda: list(LABELS))
    compatibility: CompatibilitySettings = field(default_factory=CompatibilitySettings)
    notifications: NotificationsSettings = NotificationsSettings()
    versions: VersionsSettings = VersionsSettings()
    policies: Sequence[Any] = field(default_factory=list)
    waivers: Sequence[Any] = field(default_factory=list)
    lineage: LineageSettings = LineageSettings()
    alerts: Sequence[Any] = field(default_factory=list, metadata=_OUTWARD)
    traces: TracesSettings = TracesSettings()

    # no settings, but what a command finds around it
    origins: Mapping[str, str] = field(default_factory=dict)
    actor: str = "unknown"
    cache: Path = Path(".floe/cache")
    java: str | None = None  # JAVA_HOME
    # `storage` with what the environment and profiles add; read once a command reaches an object store
    stores: Callable[[], tuple[ObjectStore, ...]] = field(default=tuple, compare=False, repr=False)
    untrusted: bool = False  # an untrusted checkout: connect to nothing, read no table, use no cache
    parent: str | None = None  # OPENLINEAGE_PARENT_ID: the orchestrator's run that this one is part of
    traceparent: str | None = None  # TRACEPARENT: the OpenTelemetry span that this run is part of
    say: Callable[[str], None] = field(default=lambda _: None, compare=False, repr=False)
    # the clock of all commands; tests of time set another
    clock: Callable[[], datetime] = field(default=utc_now, compare=False, repr=False)

    def origin(self, name: str) -> str:
        """Where the value of a setting came from."""
        return self.origins.get(name, "default")

    def path(self, name: str) -> Path:
        """A file or folder that a setting names, relative to the contract root."""
        return (self.root / name).resolve()

    def place(self, name: str) -> str:
        """A folder that a setting names: a URL as it is, else a path relative to the contract root."""
        return name.rstrip("/") if "://" in name else str(self.path(name))

    def values(self) -> dict[str, Any]:
        """Every setting by its dotted name."""
        return {key.name: _value(self, key.name) for key in KEYS}

    def with_values(self, values: Mapping[str, Any]) -> "Settings":
        """The same with other values, by dotted name; they are taken as checked."""
        changed: Settings = _with_values(self, values)
        return changed


@dataclass(frozen=True, slots=True)
class SettingKey:
    """One setting: its dotted name, default, type, and the values it may have, where they are few."""

    name: str
    default: Any
    kind: type
    choices: tuple[str, ...] = ()
    outward: bool = False


def _value(group: Any, name: str) -> Any:
    for part in name.split("."):
        group = getattr(group, part)
    return group


def _with_values(group: Any, values: Mapping[str, Any]) -> Any:
    own: dict[str, Any] = {}
    below: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        first, _, rest = name.partition(".")
        if rest:
            below.setdefault(first, {})[rest] = value
        else:
            own[first] = value
    own |= {first: _with_values(getattr(group, first), inner) for first, inner in below.items()}
    return replace(group, **own)


def _keys(group: Any, prefix: str = "") -> Iterator[SettingKey]:
    """The settings of a group and of the groups within it, from their annotations."""
    for each_field in fields(group):
        name, value = prefix + each_field.name, getattr(group, each_field.name)
        if is_dataclass(value):
            yield from _keys(value, name + ".")
        elif name not in _SURROUNDINGS:
            choices = get_args(each_field.type) if get_origin(each_field.type) is Literal else ()
            yield SettingKey(name, value, type(value), choices, bool(each_field.metadata.get("outward")))


_SURROUNDINGS = (
    "root",
    "origins",
    "actor",
    "cache",
    "java",
    "stores",
    "untrusted",
    "parent",
    "traceparent",
    "say",
    "clock",
)
KEYS = tuple(_keys(Settings(Path())))
