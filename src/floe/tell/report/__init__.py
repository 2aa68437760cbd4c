"""Findings and results as text for people and programs."""
