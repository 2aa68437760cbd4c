"""What table metadata says, without Spark and without reading data."""

from floe.data.tables.facts import TableFacts, probe

__all__ = ["TableFacts", "probe"]
