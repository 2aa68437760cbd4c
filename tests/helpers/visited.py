"""A server of our own that nobody should come to: it notes every connection and every request."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Visited:
    """Notes who comes, and sends them on."""

    def __init__(self) -> None:
        self.visits: list[str] = []
        visits = self.visits

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                visits.append("a connection")
                super().setup()

            def do_GET(self) -> None:
                visits.append(self.path)
                self.send_response(404 if self.path == "/elsewhere" else 302)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def visited() -> Iterator[Visited]:
    """A server on a free port of this machine."""
    server = Visited()
    try:
        yield server
    finally:
        server.stop()
