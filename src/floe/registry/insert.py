"""Rows that may be there already."""

from importlib import import_module
from typing import Any

import sqlalchemy as sa


def insert_into(table: sa.Table, postgresql: bool) -> Any:
    """An insert that can say what becomes of a row that is there; only the dialect that is used is loaded."""
    return import_module(f"sqlalchemy.dialects.{'postgresql' if postgresql else 'sqlite'}").insert(table)
