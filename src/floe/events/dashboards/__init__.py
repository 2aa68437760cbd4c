"""Ready-made files for Prometheus and Grafana."""

from importlib.resources import files


def alert_rules() -> str:
    """Alert rules of Prometheus over floe's metrics."""
    return _text("rules.yaml")


def dashboard() -> str:
    """A Grafana dashboard over floe's metrics."""
    return _text("dashboard.json")


def _text(name: str) -> str:
    return files("floe.events.dashboards").joinpath(name).read_text("utf-8")
