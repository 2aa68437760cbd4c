"""Lineage: which column came from which, taken in from OpenLineage events."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from floe import registry
from floe.actions.lineage.event import NoEventError, event_rows
from floe.model import FloeError
from floe.settings import Settings
from floe.system.clock import stamp

# so many rows are kept in one transaction
_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: number of events, new rows, and the places of lines that are not events."""

    events: int
    rows: int
    new: int
    wrong: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {"events": self.events, "rows": self.rows, "new": self.new, "wrong": list(self.wrong)}


def import_lineage(files: Sequence[str], settings: Settings, now: datetime) -> Imported:
    """Store the events of files once; report lines that are not events and keep the others."""
    texts = [(name, _text(name)) for name in files]
    store = registry.open_store(settings.registry.url, settings.root)
    events, new, wrong = 0, 0, []
    rows: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for name, text in texts:
        for place, event in _events(name, text):
            try:
                made = list(event_rows(event, stamp(now)))
            except NoEventError as error:
                wrong.append(f"{place}: {error}")
                continue
            events += 1
            rows |= {tuple(value for key, value in row.items() if key != "at"): row for row in made}
    found = list(rows.values())
    for start in range(0, len(found), _AT_ONCE):
        new += registry.lineage.keep_lineage(
            store, found[start : start + _AT_ONCE], actor=settings.actor, at=stamp(now)
        )
    return Imported(events, len(found), new, tuple(wrong))


def _text(name: str) -> str:
    try:
        return Path(name).read_text("utf-8-sig", "replace")
    except OSError as error:
        raise FloeError(f"{name} cannot be read: {error.strerror}", "Pass a file of OpenLineage events") from None


def _events(name: str, text: str) -> Iterator[tuple[str, Any]]:
    """The events of a file, each with its place: one JSON document (an event or a list of them), or one per line."""
    try:
        whole = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        yield from _lines(name, text)
        return
    if isinstance(whole, list):
        yield from ((f"{name}: event {number}", event) for number, event in enumerate(whole, 1))
    else:
        yield f"{name}:1", whole


def _lines(name: str, text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"{name}:{number}", json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            yield f"{name}:{number}", NoEventError(f"no JSON: {error}")
