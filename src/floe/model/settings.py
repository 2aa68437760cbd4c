"""Everything a platform can choose, with its default; read once, at the door."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from floe.model.clock import utc_now

LEVELS = ("off", "warn", "alert_only", "block")
LABELS = ("public", "internal", "confidential", "restricted", "sensitive", "pii", "phi")


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: its dotted name, default and what it may be; `acts` is false until the part that reads it exists."""

    name: str
    default: Any
    kind: type
    choices: tuple[str, ...] = ()
    acts: bool = False


KEYS = (
    Key("data_contracts.enforcement", "alert_only", str, LEVELS, acts=True),
    Key("data_contracts.standard", "odcs_v3", str, ("odcs_v3",), acts=True),
    Key("data_contracts.plugin.type", "odcs", str, ("odcs",), acts=True),
    Key("data_contracts.auto_generation.enabled", True, bool, acts=True),
    Key("data_contracts.auto_generation.from_ports", True, bool, acts=True),
    Key("data_contracts.auto_generation.from_dbt_manifest", True, bool, acts=True),
    Key("data_contracts.monitoring.enabled", True, bool, acts=True),
    Key("data_contracts.monitoring.mode", "scheduled", str, ("scheduled", "continuous", "on_demand"), acts=True),
    Key("data_contracts.monitoring.freshness.check_interval", "15m", str, acts=True),
    Key("data_contracts.monitoring.schema_drift.check_interval", "1h", str, acts=True),
    Key("data_contracts.monitoring.quality.check_interval", "6h", str, acts=True),
    Key("data_contracts.monitoring.quality.threshold", 95, int, acts=True),
    Key("data_contracts.monitoring.availability.check_interval", "5m", str, acts=True),
    Key("data_contracts.alerting.openlineage_events", True, bool, acts=True),
    Key("data_contracts.alerting.prometheus_metrics", True, bool, acts=True),
    Key("registry.url", "sqlite:///.floe/registry.db", str, acts=True),
    Key("spark.master", "local[*]", str, acts=True),
    Key("spark.conf", {}, dict, acts=True),
    Key(
        "catalogs",
        {"ice": {"type": "sql", "uri": "sqlite:///.floe/catalog.db", "warehouse": ".floe/warehouse"}},
        dict,
        acts=True,
    ),
    Key("tables.format", "delta", str, ("delta", "iceberg", "parquet"), acts=True),
    Key("tables.warehouse", ".floe/warehouse", str, acts=True),
    Key("tables.staging", "", str, acts=True),
    Key("tables.names", {}, dict, acts=True),
    Key("variables", [], list, acts=True),
    Key("classifications", list(LABELS), list, acts=True),
    Key("compatibility.type_widening", "major", str, ("major", "minor"), acts=True),
    Key("compatibility.sla_directions", {}, dict, acts=True),
    Key("notifications.path", ".floe/notifications.jsonl", str, acts=True),
    Key("versions.lead_days", 14, int, acts=True),
    Key("versions.notice_days", 30, int, acts=True),
    Key("policies", [], list, acts=True),
    Key("waivers", [], list, acts=True),
    Key("lineage.transport", "none", str, ("none", "file", "http", "console"), acts=True),
    Key("lineage.url", "", str, acts=True),
    Key("lineage.path", ".floe/lineage.jsonl", str, acts=True),
    Key("lineage.namespace", "floe", str, acts=True),
    Key("alerts", [], list, acts=True),
    Key("traces.exporter", "none", str, ("none", "otlp", "console", "file"), acts=True),
    Key("traces.path", ".floe/traces.jsonl", str, acts=True),
)
RESERVED = ("FLOE_ACTOR", "FLOE_FAILPOINT", "FLOE_UNTRUSTED")
# what leads out of a checkout, or runs code: where others wrote the manifest (FLOE_UNTRUSTED), it does not say these
REACHING = (
    *("registry.url", "spark.master", "spark.conf", "catalogs", "variables", "alerts", "notifications.path"),
    *("tables.warehouse", "tables.staging", "tables.names", "lineage.transport", "lineage.url", "lineage.path"),
    *("traces.exporter", "traces.path"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force, where each came from, and the contract root they belong to."""

    root: Path
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({key.name: key.default for key in KEYS}))
    origins: Mapping[str, str] = field(default_factory=dict)
    actor: str = "unknown"
    cache: Path = Path(".floe/cache")
    java: str | None = None  # JAVA_HOME, where set
    untrusted: bool = (
        False  # the folder is a stranger's: nothing is connected to, no table is looked at, no cache is believed
    )
    parent: str | None = None  # the orchestrator's run that we are part of: OPENLINEAGE_PARENT_ID, where set
    traceparent: str | None = None  # the span of OpenTelemetry that we are part of: TRACEPARENT, where set
    say: Callable[[str], None] = field(default=lambda _: None, compare=False, repr=False)
    clock: Callable[[], datetime] = field(default=utc_now, compare=False, repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def origin(self, name: str) -> str:
        """Where the value in force came from."""
        return self.origins.get(name, "default")

    def path(self, name: str) -> Path:
        """A setting that names a file or folder, relative to the contract root."""
        return (self.root / str(self[name])).resolve()
