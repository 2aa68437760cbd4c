"""Runs: recorded checks and writes with their results."""

from typing import Any

from floe import registry
from floe.settings import Settings


def runs(settings: Settings, limit: int = 20, table: str | None = None) -> list[dict[str, Any]]:
    """The newest runs the registry keeps, newest first."""
    store = registry.find_store(settings.registry.url, settings.root)
    return store.runs(limit, table) if store else []
