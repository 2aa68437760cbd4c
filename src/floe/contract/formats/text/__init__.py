"""YAML and JSON text as trees of values that know their places, and back."""
