"""Ports, documents and parents into one effective contract that knows where every value came from."""
