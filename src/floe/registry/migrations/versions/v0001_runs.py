"""Tables, schemas, check runs and violations."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first four tables."""
    op.create_table(
        "table_registry",
        sa.Column("table_id", sa.String, primary_key=True),
        sa.Column("layer", sa.String),
        sa.Column("location", sa.Text),
        sa.Column("primary_keys", sa.JSON),
        sa.Column("partition_cols", sa.JSON),
        sa.Column("contract_path", sa.Text),
        sa.Column("format", sa.String),
        sa.Column("name", sa.Text),
    )
    op.create_table(
        "schema_history",
        sa.Column("table_id", sa.String, primary_key=True),
        sa.Column("schema_version", sa.Integer, primary_key=True),
        sa.Column("schema_hash", sa.String, nullable=False),
        sa.Column("changed_at", sa.String, nullable=False),
        sa.Column("changed_by", sa.String, nullable=False),
        sa.Column("notes", sa.Text),
    )
    op.create_table(
        "check_runs",
        sa.Column("run_id", sa.String, primary_key=True),
        sa.Column("at", sa.String, nullable=False, index=True),
        sa.Column("actor", sa.String, nullable=False),
        sa.Column("contract", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("table_id", sa.String, nullable=False, index=True),
        sa.Column("mode", sa.String, nullable=False),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("refused", sa.Boolean, nullable=False),
        sa.Column("row_count", sa.BigInteger),
        sa.Column("written", sa.BigInteger, nullable=False),
        sa.Column("snapshot_before", sa.String),
        sa.Column("snapshot_after", sa.String),
        sa.Column("seconds", sa.Float),
        sa.Column("result", sa.JSON, nullable=False),
    )
    op.create_table(
        "violations",
        sa.Column("run_id", sa.String, sa.ForeignKey("check_runs.run_id"), primary_key=True),
        sa.Column("expectation", sa.String, primary_key=True),
        sa.Column("code", sa.String, nullable=False, index=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("severity", sa.String, nullable=False),
        sa.Column("field", sa.Text, nullable=False),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("violations", sa.BigInteger),
        sa.Column("actual", sa.JSON),
        sa.Column("expected", sa.JSON),
        sa.Column("message", sa.Text),
        sa.Column("cause", sa.Text),
    )
