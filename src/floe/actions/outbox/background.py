"""Send waiting messages in the background of the caller's work."""

import threading
import time

from floe.actions.outbox import send_due
from floe.settings import Settings

_SECONDS = 2.0  # the end of a process waits this long for messages
_PAUSE = 30.0  # seconds after something could not be sent


class BackgroundSender:
    """Sends due messages in a thread: a dead endpoint does not delay a pipeline, only the end of its process.

    Where something could not be sent, it is left alone for a while; it waits in the outbox.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: list[Settings] = []
        self._running = False
        self._pauses: dict[str, float] = {}  # registries, and until when they are left alone

    def send(self, settings: Settings) -> None:
        """Send soon; the thread that is at it goes round once more."""
        with self._lock:
            if time.monotonic() < self._pauses.get(_place(settings), 0):
                return
            self._asked = [settings]
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="floe-outbox").start()

    def _next(self) -> Settings | None:
        with self._lock:
            if not self._asked:
                self._running = False
                return None
            return self._asked.pop()

    def _run(self) -> None:
        while settings := self._next():
            done = send_due(settings, _SECONDS)
            if done.said:
                settings.say(f"· {done.said[0]}")
                self._pause(settings)

    def _pause(self, settings: Settings) -> None:
        with self._lock:
            self._pauses[_place(settings)] = time.monotonic() + _PAUSE
            self._asked = [value for value in self._asked if _place(value) != _place(settings)]


def _place(settings: Settings) -> str:
    return f"{settings.root} {settings.registry.url}"


SOON = BackgroundSender()
