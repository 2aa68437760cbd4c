"""Contracts that are converted."""

from pathlib import Path

CASES = Path(__file__).parents[1] / "cases"
ORDERS = CASES / "convert" / "orders.odcs.yaml"
