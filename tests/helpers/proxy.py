"""A TCP proxy of our own that stands between a client and a server and fails as told."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SILENT_SECONDS = 30  # then even a silent connection ends, so that a client without a limit fails rather than hangs


class Proxy:
    """Passes bytes on; `mode` says how it fails.

    pass: not at all; reset: at once; stall: it takes all and answers nothing; cut: the request goes through, its answer is
    lost; drop: it does not go through, and the connection ends; silent: from a request that holds `only` on, the connection stays open and nothing passes.
    """

    def __init__(self, port: int, mode: str = "pass") -> None:
        self.target = port
        self.mode = mode
        self.only = b""  # cut, drop, or fall silent at, requests that hold these bytes
        self.silenced = threading.Event()  # a connection fell silent
        self.connections = 0
        self.parts: list[bytes] = []  # what came from clients
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        self._listener.close()

    def requests(self, words: bytes) -> int:
        """How many requests held these words."""
        return sum(part.count(words) for part in list(self.parts))

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        if self.mode == "reset":
            _reset(client)
            return
        if self.mode == "stall":
            with suppress(OSError):
                while client.recv(65536):
                    pass
            return
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.target)) as server:
            lost = threading.Event()
            threading.Thread(target=self._back, args=(server, client, lost), daemon=True).start()
            with suppress(OSError):
                self._forth(client, server, lost)
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)  # wakes who reads from it: a socket in use is not closed
        client.close()

    def _forth(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        while part := client.recv(65536):
            self.parts.append(part)
            if self.mode == "cut" and self.only in part:
                lost.set()
            if self.mode == "drop" and self.only in part:
                _reset(client)
                return
            if self.mode == "silent" and self.only in part:
                self.silenced.set()
                self._swallow(client)
                return
            server.sendall(part)

    def _swallow(self, client: socket.socket) -> None:
        """Take what comes, until the client gives up."""
        client.settimeout(_SILENT_SECONDS)
        while client.recv(65536):
            pass

    def _back(self, server: socket.socket, client: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while part := server.recv(65536):
                if lost.is_set():  # the server has answered, so it has done the work
                    _reset(client)
                    return
                client.sendall(part)
            client.shutdown(socket.SHUT_WR)


def _reset(client: socket.socket) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
    client.close()


@contextmanager
def proxied(port: int, mode: str = "pass") -> Iterator[Proxy]:
    """A proxy before a port of this machine."""
    proxy = Proxy(port, mode)
    try:
        yield proxy
    finally:
        proxy.stop()
