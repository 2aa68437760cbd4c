"""The store's tables as code reads and writes them; migrations make them."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, ForeignKey, Integer, MetaData, String, Table, Text

metadata = MetaData()

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
