"""Contracts as namespace properties in Iceberg catalogs, beside the tables they speak of."""

from floe.registry.catalogs.message import catalog_message

__all__ = ["catalog_message"]
