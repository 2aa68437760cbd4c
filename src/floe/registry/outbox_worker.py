"""The outbox's worker: each message at least once, in order per key, later where a sink is out of reach."""

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from floe.lang.secret import masked
from floe.model import SendError
from floe.model.outbox_message import Outgoing, Sender
from floe.registry import outbox
from floe.registry.store import Store
from floe.registry.worker_lock import only_worker
from floe.system.clock import stamp
from floe.system.failpoint import failpoint
from floe.system.timeout import call_with_timeout

_LOG = logging.getLogger("floe.outbox")
_ENOUGH = 0.5  # seconds; who gets less would be called out of reach for the round's end
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient the outbox is, and how much it holds."""

    first_wait: float = 2.0  # seconds; doubled by each failure
    longest_wait: float = 3600.0
    attempts: int = 100  # four days of an endpoint that is down; then the message is dead
    answer: float = 20.0  # seconds a sender may take
    most: int = 10_000  # unsent messages
    oldest: timedelta = timedelta(days=7)  # also how long sent messages are kept


@dataclass(slots=True)
class Round:
    """The result of one round of sending."""

    busy: bool = False  # another worker is at it
    sent: int = 0
    failed: int = 0
    dead: int = 0
    dropped: int = 0
    said: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The round for programs."""
        return {name: getattr(self, name) for name in ("busy", "sent", "failed", "dead", "dropped", "said")}


@dataclass(frozen=True, slots=True)
class OutboxWorker:
    """Sends what waits in a store; `find` gives the sender of a sink."""

    store: Store
    find: Callable[[str], Sender | None]
    clock: Callable[[], datetime]
    limits: Limits = Limits()
    chance: Callable[[], float] = random.random

    def run(self, seconds: float, everything: bool = False) -> Round:
        """Send what is due, or all that waits, within a time; one worker at a time does."""
        done = Round()
        with only_worker(self.store, "outbox", seconds) as mine:
            if not mine:
                return Round(busy=True)
            self._drain(done, time.monotonic() + seconds, everything)
            self._trim(done)
        return done

    def _drain(self, done: Round, ends: float, everything: bool) -> None:
        tried: set[int] = set()
        closed: set[tuple[str, str]] = set()  # sinks and places that are out of reach for now
        while True:
            due = outbox.next_messages(self.store, None if everything else stamp(self.clock()))
            todo = [message for message in due if message.id not in tried]
            before = len(tried)
            for message in todo:
                sender = self.find(message.sink)
                place = (message.sink, sender.place(message) if sender else "")
                left = ends - time.monotonic()
                if left <= 0 or (tried and left < _ENOUGH):
                    return
                if place not in closed:
                    tried.add(message.id)
                    if not self._sent(done, message, sender, left):
                        closed.add(place)
            if len(tried) == before:
                return

    def _sent(self, done: Round, message: Outgoing, sender: Sender | None, left: float) -> bool:
        """Send one; false where its place is out of reach."""
        try:
            note = _delivered(message, sender, min(left, self.limits.answer))
        except Exception as error:  # noqa: BLE001  (a sender of anybody's making: its message waits, the others go on)
            return self._failed(done, message, error)
        failpoint("outbox-sent")
        if note and not outbox.was_reported(self.store, note):
            done.said.append(note)
        outbox.mark(self.store, message, state=outbox.SENT, error=note, sent_at=stamp(self.clock()))
        done.sent += 1
        return True

    def _failed(self, done: Round, message: Outgoing, error: Exception) -> bool:
        attempts = message.attempts + 1
        said = str(masked(_said(error)))
        permanent = isinstance(error, SendError) and error.permanent
        if permanent or attempts >= self.limits.attempts:
            outbox.mark(self.store, message, state=outbox.DEAD, error=said)
            done.dead += 1
            why = "" if permanent else f" after {attempts} attempts"
            done.said.append(f"{said}; message {message.id} is dead{why} (`floe outbox retry {message.id}`)")
        else:
            wait = timedelta(seconds=self._wait(attempts))
            outbox.mark(self.store, message, next_at=stamp(self.clock() + wait), error=said)
            done.failed += 1
            done.said.append(f"{said}; message {message.id} is sent later (`floe outbox`)")
        return not isinstance(error, SendError) or error.reachable

    def _wait(self, attempts: int) -> float:
        """Seconds until the next try: doubled each time, half of them by chance, so that many do not come at once."""
        whole = min(self.limits.longest_wait, self.limits.first_wait * 2.0 ** min(attempts - 1, 60))
        return whole * (0.5 + self.chance() / 2)

    def _trim(self, done: Round) -> None:
        """Keep the outbox bounded: what is given up is logged and counted first."""
        before = stamp(self.clock() - self.limits.oldest)
        old = outbox.too_old(self.store, before), f"older than {self.limits.oldest.days} days"
        self._drop(done, *old)
        self._drop(done, outbox.too_many(self.store, self.limits.most), f"beyond {self.limits.most:,} unsent messages")
        outbox.forget_sent(self.store, before)

    def _drop(self, done: Round, ids: list[int], why: str) -> None:
        if not ids:
            return
        line = f"The outbox drops {len(ids)} unsent message(s), {ids[0]} to {ids[-1]}: {why}"
        _LOG.warning(line)
        done.said.append(line)
        outbox.drop(self.store, ids, why=why, at=stamp(self.clock()))
        done.dropped += len(ids)


def _delivered(message: Outgoing, sender: Sender | None, seconds: float) -> str | None:
    if sender is None:
        raise SendError(
            f"Unknown sink '{message.sink}'",
            "Install the package that provides it (entry point floe.sinks)",
            permanent=True,
        )
    try:
        return call_with_timeout(lambda: sender.send(message), seconds)
    except TimeoutError as error:
        place = sender.place(message)
        name = f"{message.sink} '{place}'" if place else f"sink '{message.sink}'"
        raise SendError(f"The {name} is out of reach: {error}", "", sender.code, reachable=False) from None


def _said(error: Exception) -> str:
    """What went wrong, in one line, with what to do."""
    if isinstance(error, SendError):
        head = f"FLOE-{error.code}: {error.message}" if error.code else error.message
        return f"{head}. {error.suggestion}" if error.suggestion else head
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:300]}"
