"""Contracts as namespace properties in Iceberg catalogs, next to their tables."""

from floe.registry.catalogs.listed import Listed, contract_catalog, listed
from floe.registry.catalogs.message import catalog_message
from floe.registry.catalogs.send import catalog_sender

__all__ = ["Listed", "catalog_message", "catalog_sender", "contract_catalog", "listed"]
