"""The monitor as a service: what to look at when; the looking itself is actions."""
