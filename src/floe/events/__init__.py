"""Senders: one file per transport."""
