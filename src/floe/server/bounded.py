"""How the service is run: so many connections, so long for a request's head, nothing kept by those between."""

import asyncio
import re
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS = 512
HEAD_SECONDS = 10.0
_PLACE = re.compile(r"(?<![\w/.])(?:[A-Za-z][\w+.-]*://|/)[^\s'\"`,;)]+")
_HEADERS = [("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY")]
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 10\r\ncontent-length: 0\r\n\r\n"
_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def without_places(value: Any) -> Any:
    """An answer whose texts name no file, folder or address of this machine.

    >>> without_places({"message": "The table /lake/orders does not exist", "n": 1})
    {'message': 'The table … does not exist', 'n': 1}
    """
    match value:
        case str():
            return _PLACE.sub("…", value)
        case dict():
            return {key: without_places(below) for key, below in value.items()}
        case list() | tuple():
            return [without_places(below) for below in value]
    return value


class Bounded(H11Protocol):
    """HTTP/1.1 of which a client that sends nothing, or a little at a time, does not keep a connection."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection; 503 where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.write(_FULL)
            transport.close()
            return
        self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def data_received(self, data: bytes) -> None:
        """Take what came; the clock runs until a request's head is whole."""
        super().data_received(data)
        waits = self.conn.their_state is h11.IDLE
        if waits and self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)
        elif not waits:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has disconnected."""
        self._stop()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self.transport.write(_SLOW)
            self.transport.close()

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def config(app: Any) -> uvicorn.Config:
    """How an app is run; addresses hold keys, so the log of requests stays off."""
    return uvicorn.Config(
        app,
        http=Bounded,
        ws="none",
        log_level="error",  # what anybody can send fills no log
        access_log=False,
        server_header=False,
        proxy_headers=False,
        headers=_HEADERS,
        h11_max_incomplete_event_size=16 * 1024,
        timeout_keep_alive=5,
    )
