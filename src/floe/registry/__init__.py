"""What is kept: tables, schemas, runs; SQLite or PostgreSQL by one code path."""

from floe.registry.store import Store, find_store, open_store

__all__ = ["Store", "find_store", "open_store"]
