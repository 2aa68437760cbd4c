"""The state of a MAJOR line as text."""

from floe.model.lifecycle import Standing
from floe.reports.style import clean, plural


def lifecycle_text(standing: Standing, was: str, changed: bool, told: int) -> str:
    """The state, the announced dates, the replacement, and the number of notified consumers."""
    name = standing.name
    if not changed:
        return clean(f"· {name} is {standing.state} since {standing.since or 'it was registered'}; nothing changed")
    head = f"✓ {name} is {standing.state} now"
    head += f" (was {was})" if was != standing.state else " (changed)"
    said: list[tuple[str, object]] = [
        ("announced", standing.announced),
        ("sunset", standing.sunset_date),
        ("retires", standing.retire_date),
        ("replacement", standing.replacement),
        ("reason", standing.reason),
        ("guide", standing.migration_guide),
    ]
    lines = [f"    {word}: {value}" for word, value in said if value]
    return clean("\n".join([head, *lines, f"    {plural(told, 'consumer')} will be notified"]))
