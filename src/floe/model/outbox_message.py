"""What leaves floe: a message of the outbox, and who sends it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message as its sender gets it; its id stays the same however often it is sent."""

    id: int
    sink: str
    key: str
    payload: Mapping[str, Any]
    at: str
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends the messages of a sink.

    `send` answers None, or a note where there was nothing it could do for good; it raises SendError, or anything
    that means: try again. `place` is the target of a message: an unreachable target is skipped for a while.
    `code` is that of a place that does not answer.
    """

    send: Callable[[Outgoing], str | None]
    place: Callable[[Outgoing], str] = lambda _: ""
    code: str = ""
