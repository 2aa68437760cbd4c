"""The monitor's slots that replicas share, daily facts of tables, duration of probes, and the used part of service levels."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make what replicas and anomalies need."""
    op.create_table(
        "monitor_slots",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("due", sa.JSON, nullable=False),
        sa.Column("next_at", sa.Float, nullable=False, index=True),
        sa.Column("seen", sa.Text),
        sa.Column("token", sa.BigInteger, nullable=False),
        sa.Column("holder", sa.String),
        sa.Column("until", sa.Float),
    )
    op.create_table(
        "day_facts",
        sa.Column("contract_id", sa.String, primary_key=True),
        sa.Column("dataset", sa.String, primary_key=True),
        sa.Column("source", sa.String, primary_key=True),
        sa.Column("day", sa.String, primary_key=True),
        sa.Column("rows", sa.BigInteger, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("nulls", sa.JSON, nullable=False),
    )
    op.add_column("probe_days", sa.Column("took", sa.JSON))
    op.add_column("sla_status", sa.Column("used", sa.Float))
    op.add_column("incidents", sa.Column("broken_at", sa.String))
    op.create_index("ix_check_runs_newest", "check_runs", ["table_id", "at"])
