"""What the last run measured on each table."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the table of verified snapshots."""
    op.create_table(
        "verified",
        sa.Column("contract_id", sa.String, primary_key=True),
        sa.Column("dataset", sa.String, primary_key=True),
        sa.Column("location", sa.String, primary_key=True),
        sa.Column("table_uid", sa.String, nullable=False),
        sa.Column("snapshot", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
