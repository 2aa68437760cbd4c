"""The only place that knows Spark."""
