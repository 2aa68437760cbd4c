"""Rows of a table by their key, read without Spark."""

from floe.data.rows.opened import Opened, Wanted, open_table

__all__ = ["Opened", "Wanted", "open_table"]
