"""Figures: the eight key figures, from what is recorded."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from floe.actions.settings import load_settings
from floe.model.clock import stamp
from floe.model.figures import Described, Facts, Figure
from floe.model.settings import Settings

if TYPE_CHECKING:
    from floe.registry import Store


@dataclass(frozen=True, slots=True)
class Figures:
    """What the figures are, and of which days."""

    facts: Facts
    figures: tuple[Figure, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        counts = [one.to_dict()["status"] for one in self.figures]
        return {
            "days": self.facts.days,
            "first": self.facts.first,
            "last": self.facts.last,
            "figures": [one.to_dict() for one in self.figures],
            "summary": {word: counts.count(word) for word in ("met", "missed", "unknown")},
        }


def figures(settings: Settings | None = None, days: int = 30) -> Figures:
    """The key figures of the last days, today included; unknown where nothing is recorded.

    Args:
        settings: those of the folder we stand in, unless given.
        days: how many.
    """
    from floe.data.judge.figures import key_figures
    from floe.registry import find_store

    settings = settings or load_settings()
    today = settings.clock()
    first = stamp(today - timedelta(days=days - 1))[:10]
    empty = Facts(first=first, last=stamp(today)[:10], days=days)
    store = find_store(settings["registry.url"], settings.root)
    facts = _recorded(store, empty) if store else empty
    return Figures(facts, key_figures(facts))


def _recorded(store: "Store", span: Facts) -> Facts:
    from floe.data.judge.figures import BREAKING
    from floe.registry import figures as kept

    since = f"{span.first}T00:00:00.000Z"
    return Facts(
        first=span.first,
        last=span.last,
        days=span.days,
        batches=kept.batches(store, since),
        troubles=kept.troubles(store, since, BREAKING),
        watched=kept.watched(store, span.first),
        quality_watched=kept.quality_watched(store, since),
        commits=kept.commits(store, since),
        changes=kept.changes(store, since),
        documents=tuple(_described(row) for row in kept.newest_documents(store)),
    )


def _described(row: Any) -> Described:
    from floe.contract.formats import read

    contract, _ = read(row["effective"], row["source"] or f"registry:{row['contract_id']}")
    fields = [field for dataset in contract.datasets for field in dataset.walk()] if contract else []
    described = sum(bool(str(field.node.get("description") or "").strip()) for field in fields)
    return Described(row["contract_id"], len(fields), described)
