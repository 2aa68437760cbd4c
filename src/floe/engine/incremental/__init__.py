"""Checking only what changed: what earlier runs measured by file, what is left to read, and reading just that."""
