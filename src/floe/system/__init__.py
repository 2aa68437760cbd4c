"""The machine floe runs on: the clock, private files, time limits, failpoints for tests."""
