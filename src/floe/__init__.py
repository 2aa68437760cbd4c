"""Data contracts that hold, on Apache Spark."""

from floe.version import __version__

__all__ = ["__version__"]
