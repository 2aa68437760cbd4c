"""Incidents that the monitor opens and closes, and its probes by day."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the monitor's tables."""
    op.create_table(
        "incidents",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("contract_id", sa.String, nullable=False, index=True),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("dataset", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("severity", sa.String, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("opened_at", sa.String, nullable=False),
        sa.Column("seen_at", sa.String, nullable=False),
        sa.Column("closed_at", sa.String, index=True),
        sa.Column("told_at", sa.String),
        sa.Column("told_severity", sa.String),
    )
    op.create_table(
        "probe_days",
        sa.Column("contract_id", sa.String, primary_key=True),
        sa.Column("dataset", sa.String, primary_key=True),
        sa.Column("day", sa.String, primary_key=True),
        sa.Column("up", sa.Integer, nullable=False),
        sa.Column("down", sa.Integer, nullable=False),
    )
