"""Dialects of contracts that are not ODCS, read into ODCS and written back."""
