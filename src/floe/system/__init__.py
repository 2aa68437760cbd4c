"""The machine floe runs on: the clock, private files, time limits, HTML pages, failpoints for tests."""
