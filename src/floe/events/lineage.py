"""OpenLineage events to where a platform gathers them: a file, an HTTP endpoint, the console."""

import sys
from pathlib import Path
from urllib.parse import urlsplit

from floe.events.file import file_sender
from floe.events.http import SECONDS, host, post
from floe.lang.json_text import dumps
from floe.lang.secret import with_variables_hidden
from floe.model import SendError
from floe.model.outbox_message import Outgoing, Sender

_HEADERS = {"Content-Type": "application/json"}
_ENDPOINT = "/api/v1/lineage"


def lineage_sender(transport: str, url: str, path: Path, seconds: float = SECONDS) -> Sender:
    """The sender of a transport; events that wait while there is none go on waiting."""
    match transport:
        case "file":
            return file_sender(path, "lineage.path", lambda message: message.payload)
        case "http":
            return http_sender(url, seconds)
        case "console":
            return Sender(_print)
    return Sender(_unset)


def http_sender(url: str, seconds: float = SECONDS) -> Sender:
    """POST each event; an address without a path is that of an OpenLineage server, whose path is known."""
    whole = url if urlsplit(url).path.strip("/") else url.rstrip("/") + _ENDPOINT

    def send(message: Outgoing) -> None:
        if not url:
            raise SendError("lineage.transport is http, and lineage.url is empty", "Set lineage.url", reachable=False)
        name = f"The OpenLineage endpoint {host(url)}"
        post(whole, dumps(with_variables_hidden(message.payload)).encode(), _HEADERS, name=name, seconds=seconds)

    return Sender(send, place=lambda _: host(url))


def _print(message: Outgoing) -> None:
    """To standard error: the output of a command is on the other stream."""
    sys.stderr.write(dumps(with_variables_hidden(message.payload)) + "\n")
    sys.stderr.flush()


def _unset(_: Outgoing) -> None:
    raise SendError("lineage.transport is none", "Set it to file, http or console", reachable=False)
