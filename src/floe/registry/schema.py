"""The store's tables as code reads and writes them; migrations make them."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()
passing = MetaData()  # what belongs to running processes, and goes into no export

table_registry = Table(
    "table_registry",
    metadata,
    Column("table_id", String, primary_key=True),
    Column("layer", String),
    Column("location", Text),
    Column("primary_keys", JSON),
    Column("partition_cols", JSON),
    Column("contract_path", Text),
    Column("format", String),
    Column("name", Text),
)
schema_history = Table(
    "schema_history",
    metadata,
    Column("table_id", String, primary_key=True),
    Column("schema_version", Integer, primary_key=True),
    Column("schema_hash", String, nullable=False),
    Column("changed_at", String, nullable=False),
    Column("changed_by", String, nullable=False),
    Column("notes", Text),
)
check_runs = Table(
    "check_runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("at", String, nullable=False, index=True),
    Column("actor", String, nullable=False),
    Column("contract", String, nullable=False),
    Column("version", String, nullable=False),
    Column("table_id", String, nullable=False, index=True),
    Column("batch_id", String),
    Column("mode", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("refused", Boolean, nullable=False),
    Column("row_count", BigInteger),
    Column("written", BigInteger, nullable=False),
    Column("snapshot_before", String),
    Column("snapshot_after", String),
    Column("seconds", Float),
    Column("result", JSON, nullable=False),
    Index("ix_check_runs_newest", "table_id", "at"),
)
violations = Table(
    "violations",
    metadata,
    Column("run_id", String, ForeignKey("check_runs.run_id"), primary_key=True),
    Column("expectation", String, primary_key=True),
    Column("code", String, nullable=False, index=True),
    Column("name", String, nullable=False),
    Column("severity", String, nullable=False),
    Column("field", Text, nullable=False),
    Column("outcome", String, nullable=False),
    Column("violations", BigInteger),
    Column("actual", JSON),
    Column("expected", JSON),
    Column("message", Text),
    Column("cause", Text),
)

# What the last run measured on a table, by rule and sets of files: the next one reads only what came since.
verified = Table(
    "verified",
    metadata,
    Column("contract_id", String, primary_key=True),
    Column("dataset", String, primary_key=True),
    Column("location", String, primary_key=True),
    Column("table_uid", String, nullable=False),
    Column("snapshot", String, nullable=False),
    Column("at", String, nullable=False),
    Column("state", Text, nullable=False),
)

# A contract is known by its identity without the version (`sales.customer_360/customers`).
contracts = Table(
    "contracts",
    metadata,
    Column("contract_id", String, primary_key=True),
    Column("odcs_id", String, nullable=False, index=True),
    Column("domain", String, nullable=False, index=True),
    Column("product", String, nullable=False),
    Column("name", String, nullable=False),
    Column("repository", String),  # the repository that may publish; changed by `floe contracts transfer`
    Column("owner", String),
    Column("newest", String),  # the highest version
    Column("tags", JSON),  # of the newest version: its own, its datasets' and its fields'
    Column("found_by", Text, nullable=False),  # all its words in lower case, for full-text search
    Column("created_at", String, nullable=False),
    Column("created_by", String, nullable=False),
)
# A row is never changed once it is there.
versions = Table(
    "versions",
    metadata,
    Column("contract_id", String, ForeignKey("contracts.contract_id"), primary_key=True),
    Column("version", String, primary_key=True),
    Column("major", Integer, nullable=False),
    Column("minor", Integer, nullable=False),
    Column("patch", Integer, nullable=False),
    Column("document_hash", String, nullable=False),
    Column("effective_hash", String, nullable=False, index=True),
    Column("schema_hash", String),
    Column("document", Text, nullable=False),  # as it was written
    Column("effective", Text, nullable=False),  # ODCS YAML with all inherited values, for checks of tables
    Column("row_hash", String, nullable=False),  # of document and effective contract: detects tampering
    Column("parents", JSON, nullable=False),  # [{"contract": …, "version": …, "effective_hash": …}], nearest first
    Column("bump", String, nullable=False),  # MAJOR, MINOR, PATCH, or FIRST
    Column("changes", JSON, nullable=False),  # the diff to the previous version, as `floe diff --format json` prints it
    Column("tested", JSON, nullable=False),  # {"outcome": …} or {"skipped": reason}
    Column("effective_from", String, nullable=False),
    Column("published_at", String, nullable=False, index=True),
    Column("published_by", String, nullable=False),
    Column("source", Text),  # the file it came from
)
# The fields of each contract's newest version, for search.
contract_fields = Table(
    "contract_fields",
    metadata,
    Column("contract_id", String, ForeignKey("contracts.contract_id"), primary_key=True),
    Column("path", String, primary_key=True),  # dataset.field
    Column("name", String, nullable=False),
    Column("type", String, nullable=False),
    Column("classification", String),
    Column("tags", JSON, nullable=False),
    # answer a search by themselves, also for what all contracts have
    Index("ix_contract_fields_name", "name", "contract_id"),
    Index("ix_contract_fields_classification", "classification", "contract_id"),
)
# The tables of versions: one per dataset and MAJOR.
contract_tables = Table(
    "contract_tables",
    metadata,
    Column("contract_id", String, ForeignKey("contracts.contract_id"), primary_key=True),
    Column("major", Integer, primary_key=True),
    Column("dataset", String, primary_key=True),
    Column("table_id", String, index=True),
)
consumers = Table(
    "consumers",
    metadata,
    Column("consumer_id", String, primary_key=True),
    Column("contract_id", String, nullable=False, index=True),
    Column("major", Integer, nullable=False),  # the MAJOR it is pinned to
    Column("version_range", String, nullable=False),
    Column("team", String, nullable=False, index=True),
    Column("contact", String, nullable=False),
    Column("columns", JSON),  # paths it uses; null where that is not known
    Column("through", String),  # the contract the consumer itself publishes with it
    Column("source", String, nullable=False),  # registered, input_port, dbt, lineage
    Column("added_at", String, nullable=False),
    Column("added_by", String, nullable=False),
    Column("removed_at", String),
)
sign_offs = Table(
    "sign_offs",
    metadata,
    Column("contract_id", String, primary_key=True),
    Column("version", String, primary_key=True),  # the new MAJOR
    Column("team", String, primary_key=True),
    Column("diff_hash", String, primary_key=True),
    Column("decision", String, nullable=False),  # signed, or override by an owner
    Column("reason", Text),
    Column("at", String, nullable=False),
    Column("by", String, nullable=False),
)
# The state of a contract's MAJOR line is that of its newest row.
lifecycle_transitions = Table(
    "lifecycle_transitions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("contract_id", String, nullable=False, index=True),
    Column("major", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("was", String, nullable=False),
    Column("on_day", String, nullable=False),
    Column("announced", String),
    Column("sunset_date", String),
    Column("retire_date", String),
    Column("replacement", String),
    Column("reason", Text),
    Column("migration_guide", Text),
    Column("at", String, nullable=False),
    Column("by", String, nullable=False),
)
sla_status = Table(
    "sla_status",
    metadata,
    Column("contract_id", String, primary_key=True),
    Column("version", String, primary_key=True),
    Column("dataset", String, primary_key=True),
    Column("sla", String, primary_key=True),
    Column("status", String, nullable=False),
    Column("value", JSON),
    Column("target", JSON),
    Column("at", String, nullable=False),
    Column("used", Float),  # the used part of a service level; 1 is all
)
# What the monitor found wrong and for how long: one open row per dataset, kind of check and code.
incidents = Table(
    "incidents",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("contract_id", String, nullable=False, index=True),
    Column("version", String, nullable=False),
    Column("dataset", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("code", String, nullable=False),
    Column("severity", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("times", Integer, nullable=False),  # checks that found it broken
    Column("run_id", String, nullable=False),  # the last of them
    Column("opened_at", String, nullable=False),
    Column("broken_at", String),  # the first check that found more than nearness to a limit
    Column("seen_at", String, nullable=False),
    Column("closed_at", String, index=True),
    Column("told_at", String),
    Column("told_severity", String),
)
# Probes of availability by UTC day; days without a probe are unknown, not down.
probe_days = Table(
    "probe_days",
    metadata,
    Column("contract_id", String, primary_key=True),
    Column("dataset", String, primary_key=True),
    Column("day", String, primary_key=True),
    Column("up", Integer, nullable=False),
    Column("down", Integer, nullable=False),
    Column("took", JSON),  # milliseconds of those that found the table, to three digits: how often
)
# Facts of tables and batches by UTC day: the data of anomaly checks.
day_facts = Table(
    "day_facts",
    metadata,
    Column("contract_id", String, primary_key=True),
    Column("dataset", String, primary_key=True),
    Column("source", String, primary_key=True),  # table: its last state; batch: all of the day
    Column("day", String, primary_key=True),
    Column("rows", BigInteger, nullable=False),
    Column("times", Integer, nullable=False),  # how many batches
    Column("nulls", JSON, nullable=False),  # by column
)
# The next check of each contract and its replica, if replicas share the work; times of the database's clock.
monitor_slots = Table(
    "monitor_slots",
    passing,
    Column("name", String, primary_key=True),
    Column("due", JSON, nullable=False),  # the next slot of each kind of check, in seconds since 1970
    Column("next_at", Float, nullable=False, index=True),  # the soonest of them
    Column("seen", Text),  # the snapshots that were noted last
    Column("token", BigInteger, nullable=False),  # grows with each lease: a holder of an older one is refused
    Column("holder", String),  # who took the last turn
    Column("until", Float),  # the end of the holder's lease; null without a holder
)
waivers = Table(
    "waivers",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("contract_id", String, nullable=False, index=True),
    Column("code", String, nullable=False),
    Column("path", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("approver", String, nullable=False),
    Column("until", String, nullable=False),
    Column("at", String, nullable=False),
    Column("by", String, nullable=False),
)
# Which column came from which, from OpenLineage events and the like; columns are null where only tables are known.
lineage = Table(
    "lineage",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("source_table", String, nullable=False, index=True),
    Column("source_column", String),
    Column("target_table", String, nullable=False, index=True),
    Column("target_column", String),
    Column("job", String, nullable=False),
    Column("at", String, nullable=False),
)
outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("sink", String, nullable=False),  # catalog, notification, lineage, …
    Column("key", String, nullable=False, index=True),  # messages of one key are sent in order
    Column("payload", JSON, nullable=False),
    Column("state", String, nullable=False, index=True),  # waiting, sent, dead
    Column("attempts", Integer, nullable=False),
    Column("next_at", String, nullable=False),
    Column("error", Text),
    Column("created_at", String, nullable=False),
    Column("sent_at", String),
)
audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", String, nullable=False, index=True),
    Column("actor", String, nullable=False),
    Column("verb", String, nullable=False),
    Column("subject", String, nullable=False, index=True),
    Column("detail", JSON, nullable=False),
)
