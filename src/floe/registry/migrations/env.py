"""Alembic's entrance: it runs on the connection the store hands over."""

from typing import Any

from alembic import context

from floe.system.failpoint import failpoint


def _applied(ctx: Any, step: Any, heads: Any, run_args: Any) -> None:
    """Alembic names the arguments."""
    failpoint(f"registry-migrated-{step.up_revision_id}")


connection = context.config.attributes["connection"]
context.configure(connection=connection, transaction_per_migration=True, on_version_apply=_applied)
with context.begin_transaction():
    context.run_migrations()
