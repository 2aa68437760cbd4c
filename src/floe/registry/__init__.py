"""What is kept: tables, schemas, runs; SQLite or PostgreSQL by one code path."""

from floe.registry.store import Store, open_store

__all__ = ["Store", "open_store"]
