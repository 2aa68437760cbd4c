"""Where contract text comes from."""
