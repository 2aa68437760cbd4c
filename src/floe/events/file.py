"""Messages as lines of JSON at the end of a file."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model import SendError
from floe.model.outbox_message import Outgoing, Sender
from floe.system.full_disk import is_full
from floe.system.private_files import open_private


def _whole(message: Outgoing) -> dict[str, Any]:
    return {name: getattr(message, name) for name in ("id", "at", "sink", "key", "payload")}


def file_sender(path: Path, setting: str = "notifications.path", shape: Callable[[Outgoing], Any] = _whole) -> Sender:
    """Append each message to a file, with its id: one that was sent twice has the same."""

    def send(message: Outgoing) -> None:
        try:
            _append(path, dumps(with_variables_hidden(shape(message))) + "\n")
        except OSError as error:
            remedy = "Make room on its disk" if is_full(error) else "Make it writable"
            raise SendError(
                f"{path} cannot be written: {error.strerror}", f"{remedy}, or set {setting} to another file"
            ) from None

    return Sender(send)


def _append(path: Path, line: str) -> None:
    """Write one whole line, on disk when this returns, or none; a line that a killed writer cut off stays separate."""
    with open_private(path, "ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            line = f"\n{line}"
        rest = line.encode("utf-8", "backslashreplace")
        try:
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            os.ftruncate(file.fileno(), size)
            raise
