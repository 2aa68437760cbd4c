"""Figures: the eight key figures, from what is recorded."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.load.settings import load_settings
from floe.model.figures import Described, Facts, Figure
from floe.settings import Settings
from floe.system.clock import stamp

if TYPE_CHECKING:
    from floe.registry import Store


@dataclass(frozen=True, slots=True)
class Figures:
    """What the figures are, and of which days."""

    facts: Facts
    figures: tuple[Figure, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        counts = [figure.to_dict()["status"] for figure in self.figures]
        return {
            "days": self.facts.days,
            "first": self.facts.first,
            "last": self.facts.last,
            "figures": [figure.to_dict() for figure in self.figures],
            "summary": {word: counts.count(word) for word in ("met", "missed", "unknown")},
        }


def figures(settings: Settings | None = None, days: int = 30) -> Figures:
    """The key figures of the last days, today included; unknown where nothing is recorded.

    Args:
        settings: those of the current folder, unless given.
        days: how many.
    """
    from floe.actions.figures.calculate import key_figures

    settings = settings or load_settings()
    today = settings.clock()
    first = stamp(today - timedelta(days=days - 1))[:10]
    empty = Facts(first=first, last=stamp(today)[:10], days=days)
    store = registry.find_store(settings.registry.url, settings.root)
    facts = _recorded(store, empty) if store else empty
    return Figures(facts, key_figures(facts))


def _recorded(store: "Store", span: Facts) -> Facts:
    from floe.actions.figures.calculate import BREAKING

    since = f"{span.first}T00:00:00.000Z"
    return Facts(
        first=span.first,
        last=span.last,
        days=span.days,
        batches=registry.figures.batches(store, since),
        troubles=registry.figures.troubles(store, since, BREAKING),
        watched=registry.figures.watched(store, span.first),
        quality_watched=registry.figures.quality_watched(store, since),
        commits=registry.figures.commits(store, since),
        changes=registry.figures.changes(store, since),
        documents=tuple(_described(row) for row in registry.figures.newest_documents(store)),
    )


def _described(row: Any) -> Described:
    from floe.contract.formats import read

    contract, _ = read(row["effective"], row["source"] or f"registry:{row['contract_id']}")
    fields = [field for dataset in contract.datasets for field in dataset.walk()] if contract else []
    described = sum(bool(str(field.node.get("description") or "").strip()) for field in fields)
    return Described(row["contract_id"], len(fields), described)
