"""Batches by which a run can be found again."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """A run knows its batch."""
    op.add_column("check_runs", sa.Column("batch_id", sa.String))
    op.create_index("ix_check_runs_batch_id", "check_runs", ["table_id", "batch_id"])
