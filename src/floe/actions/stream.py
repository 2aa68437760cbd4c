"""Stream: the write gate of a Structured Streaming query."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.actions.enforce import enforce
from floe.actions.load.settings import load_settings
from floe.model import EngineError
from floe.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class StreamGate:
    """Holds each micro-batch to a contract, once; made of plain values, since a Connect server runs a copy of it."""

    contract: str
    name: str | None
    root: str
    values: Mapping[str, Any]
    options: Mapping[str, Any]

    def __call__(self, df: "DataFrame", number: int) -> None:
        """Write one micro-batch, or stop the query by ViolationError."""
        settings = load_settings(dict(self.values), start=Path(self.root))
        batch = f"{self.name or _query(df)}/{number}"
        enforce(df, self.contract, batch_id=batch, settings=settings, **self.options)


def stream(
    contract: str | Path,
    mode: str = "append",
    *,
    name: str | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> StreamGate:
    """What `df.writeStream.foreachBatch` takes: a gate that writes every micro-batch exactly once, over restarts too.

    Args:
        contract: as in `enforce`.
        mode: as in `enforce`.
        name: what batches are named by besides their number, one per checkpoint; by default the query's id, which
            Spark Connect does not show.
        settings: read from the folder's manifest.yaml and the environment where not given.
        options: table, server, layer, references, shadow as in `enforce`.
    """
    found = settings or load_settings()
    known = str(contract.resolve()) if isinstance(contract, Path) else contract
    return StreamGate(known, name, str(found.root), found.values(), {"mode": mode, **options})


def _query(df: "DataFrame") -> str:
    """The id of the query a micro-batch belongs to: it lives as long as the checkpoint."""
    context = getattr(df.sparkSession, "_sc", None)
    known = context.getLocalProperty("sql.streaming.queryId") if context else None
    if not known:
        raise EngineError(
            "The id of the streaming query is not known here",
            "Give the gate a name that belongs to its checkpoint: floe.stream(CONTRACT, name=…)",
        )
    return str(known)
