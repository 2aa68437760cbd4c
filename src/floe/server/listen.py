"""Where the service listens."""

import socket

from floe.model import SettingError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def address(host: str, bound: socket.socket) -> str:
    """The address to type."""
    return f"http://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}"


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; SettingError where the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)
    except (OSError, OverflowError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise SettingError(
            f"Cannot listen on {host}:{port}: {cause.lower()}", "Choose another --port or --host"
        ) from None
    return bound
