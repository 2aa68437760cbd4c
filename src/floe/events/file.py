"""Messages as lines of JSON at the end of a file."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model import SendError
from floe.model.outbox_message import Outgoing, Sender
from floe.system.private_files import open_private


def _whole(message: Outgoing) -> dict[str, Any]:
    return {name: getattr(message, name) for name in ("id", "at", "sink", "key", "payload")}


def file_sender(path: Path, setting: str = "notifications.path", shape: Callable[[Outgoing], Any] = _whole) -> Sender:
    """Append each message to a file, with its id: one that was sent twice has the same."""

    def send(message: Outgoing) -> None:
        try:
            _append(path, dumps(with_variables_hidden(shape(message))) + "\n")
        except OSError as error:
            raise SendError(
                f"{path} cannot be written: {error.strerror}", f"Make it writable, or set {setting} to another file"
            ) from None

    return Sender(send)


def _append(path: Path, line: str) -> None:
    """One whole line, on the disk when this returns; what a killed writer left half stays on a line of its own."""
    with open_private(path, "ab+") as file:
        size = file.seek(0, os.SEEK_END)
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            line = f"\n{line}"
        file.write(line.encode("utf-8", "backslashreplace"))
        file.flush()
        os.fsync(file.fileno())
