"""Contracts, versions, consumers, sign-offs, lifecycle, lineage, outbox, audit."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the registry's tables."""
    op.create_table(
        "contracts",
        sa.Column("contract_id", sa.String, primary_key=True),
        sa.Column("odcs_id", sa.String, nullable=False, index=True),
        sa.Column("domain", sa.String, nullable=False, index=True),
        sa.Column("product", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("repository", sa.String),
        sa.Column("owner", sa.String),
        sa.Column("newest", sa.String),
        sa.Column("tags", sa.JSON),
        sa.Column("found_by", sa.Text, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("created_by", sa.String, nullable=False),
    )
    op.create_table(
        "versions",
        sa.Column("contract_id", sa.String, sa.ForeignKey("contracts.contract_id"), primary_key=True),
        sa.Column("version", sa.String, primary_key=True),
        sa.Column("major", sa.Integer, nullable=False),
        sa.Column("minor", sa.Integer, nullable=False),
        sa.Column("patch", sa.Integer, nullable=False),
        sa.Column("document_hash", sa.String, nullable=False),
        sa.Column("effective_hash", sa.String, nullable=False, index=True),
        sa.Column("schema_hash", sa.String),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("effective", sa.Text, nullable=False),
        sa.Column("row_hash", sa.String, nullable=False),
        sa.Column("parents", sa.JSON, nullable=False),
        sa.Column("bump", sa.String, nullable=False),
        sa.Column("changes", sa.JSON, nullable=False),
        sa.Column("tested", sa.JSON, nullable=False),
        sa.Column("effective_from", sa.String, nullable=False),
        sa.Column("published_at", sa.String, nullable=False, index=True),
        sa.Column("published_by", sa.String, nullable=False),
        sa.Column("source", sa.Text),
    )
    op.create_table(
        "contract_fields",
        sa.Column("contract_id", sa.String, sa.ForeignKey("contracts.contract_id"), primary_key=True),
        sa.Column("path", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("type", sa.String, nullable=False),
        sa.Column("classification", sa.String),
        sa.Column("tags", sa.JSON, nullable=False),
    )
    for name in ("name", "classification"):
        op.create_index(f"ix_contract_fields_{name}", "contract_fields", [name, "contract_id"])
    op.create_table(
        "contract_tables",
        sa.Column("contract_id", sa.String, sa.ForeignKey("contracts.contract_id"), primary_key=True),
        sa.Column("major", sa.Integer, primary_key=True),
        sa.Column("dataset", sa.String, primary_key=True),
        sa.Column("table_id", sa.String, index=True),
    )
    op.create_table(
        "consumers",
        sa.Column("consumer_id", sa.String, primary_key=True),
        sa.Column("contract_id", sa.String, nullable=False, index=True),
        sa.Column("major", sa.Integer, nullable=False),
        sa.Column("version_range", sa.String, nullable=False),
        sa.Column("team", sa.String, nullable=False, index=True),
        sa.Column("contact", sa.String, nullable=False),
        sa.Column("columns", sa.JSON),
        sa.Column("through", sa.String),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("added_at", sa.String, nullable=False),
        sa.Column("added_by", sa.String, nullable=False),
        sa.Column("removed_at", sa.String),
    )
    op.create_table(
        "sign_offs",
        sa.Column("contract_id", sa.String, primary_key=True),
        sa.Column("version", sa.String, primary_key=True),
        sa.Column("team", sa.String, primary_key=True),
        sa.Column("diff_hash", sa.String, primary_key=True),
        sa.Column("decision", sa.String, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("by", sa.String, nullable=False),
    )
    op.create_table(
        "lifecycle_transitions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("contract_id", sa.String, nullable=False, index=True),
        sa.Column("major", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("was", sa.String, nullable=False),
        sa.Column("on_day", sa.String, nullable=False),
        sa.Column("announced", sa.String),
        sa.Column("sunset_date", sa.String),
        sa.Column("retire_date", sa.String),
        sa.Column("replacement", sa.String),
        sa.Column("reason", sa.Text),
        sa.Column("migration_guide", sa.Text),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("by", sa.String, nullable=False),
    )
    op.create_table(
        "sla_status",
        sa.Column("contract_id", sa.String, primary_key=True),
        sa.Column("version", sa.String, primary_key=True),
        sa.Column("dataset", sa.String, primary_key=True),
        sa.Column("sla", sa.String, primary_key=True),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("value", sa.JSON),
        sa.Column("target", sa.JSON),
        sa.Column("at", sa.String, nullable=False),
    )
    op.create_table(
        "waivers",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("contract_id", sa.String, nullable=False, index=True),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("approver", sa.String, nullable=False),
        sa.Column("until", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("by", sa.String, nullable=False),
    )
    op.create_table(
        "lineage",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("source_table", sa.String, nullable=False, index=True),
        sa.Column("source_column", sa.String),
        sa.Column("target_table", sa.String, nullable=False, index=True),
        sa.Column("target_column", sa.String),
        sa.Column("job", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("sink", sa.String, nullable=False),
        sa.Column("key", sa.String, nullable=False, index=True),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("state", sa.String, nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", sa.String, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("sent_at", sa.String),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.String, nullable=False, index=True),
        sa.Column("actor", sa.String, nullable=False),
        sa.Column("verb", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False, index=True),
        sa.Column("detail", sa.JSON, nullable=False),
    )
