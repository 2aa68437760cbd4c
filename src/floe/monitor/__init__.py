"""The monitor as a service: what to check when; the checks themselves are actions."""
