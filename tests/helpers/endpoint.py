"""An HTTP endpoint of our own that answers as told and remembers what it got."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Got(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Endpoint:
    """Answers each request with the next of `answers`, then with the last one again; `stall` never answers."""

    def __init__(self) -> None:
        self.answers: list[int | str] = [200]
        self.headers: dict[str, str] = {}
        self.got: list[Got] = []
        self._over = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.got.append(Got(self.path, {key.lower(): value for key, value in self.headers.items()}, body))
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                if answer == "stall":
                    outer._over.wait(30)
                    return
                self.send_response(int(answer))
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """An endpoint on a free port of this machine."""
    server = Endpoint()
    try:
        yield server
    finally:
        server.stop()
