"""The monitor over HTTP: metrics, health, readiness; no data values."""

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI, Response
from starlette.middleware.trustedhost import TrustedHostMiddleware

from floe.lang.json_text import dumps
from floe.server.bounded import config, without_places
from floe.server.listen import LOOPBACK, address, bind
from floe.version import __version__

_TEXT = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answers:
    """What the addresses answer with; without metrics there are none."""

    health: Callable[[], dict[str, Any]]
    ready: Callable[[], bool]
    metrics: Callable[[], str] | None


def app(answers: Answers, host: str) -> FastAPI:
    """The service's addresses."""
    made = FastAPI(title="floe monitor", version=__version__, docs_url=None, redoc_url=None)
    if host in LOOPBACK:  # a page of another site that points its own name here is not answered
        made.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", "[::1]"])
    if answers.metrics:
        text = answers.metrics

        @made.get("/metrics", summary="Metrics for Prometheus", response_class=Response)
        def metrics() -> Response:
            return Response(text(), media_type=_TEXT)

    @made.get("/health", summary="Health of the monitor", response_class=Response)
    def health() -> Response:
        return _json(200, answers.health())

    @made.get("/ready", summary="Whether contracts are loaded and the registry is reachable", response_class=Response)
    def ready() -> Response:
        fine = answers.ready()
        return _json(200 if fine else 503, {"ready": fine, **answers.health()})

    return made


def _json(status: int, said: dict[str, Any]) -> Response:
    return Response(dumps(without_places(said)), status, media_type="application/json")


@dataclass(frozen=True, slots=True)
class Listening:
    """A server in a separate thread."""

    place: str
    server: uvicorn.Server
    bound: socket.socket
    thread: threading.Thread

    def stop(self) -> None:
        """End it, in a moment."""
        self.server.should_exit = True
        self.thread.join(5)
        self.bound.close()


def listen(answers: Answers, host: str, port: int) -> Listening:
    """Answer in a thread until stopped."""
    bound = bind(host, port)
    server = uvicorn.Server(config(app(answers, host)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="floe http", daemon=True)
    thread.start()
    return Listening(address(host, bound), server, bound, thread)
