"""Log lines for programs: one JSON object each, with the names of what they are about and no values of rows."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from floe.lang.json_text import dumps
from floe.lang.secret import masked
from floe.system.clock import stamp

# additional keys of a line about an incident
_KEPT = ("event", "incident", "contract", "version", "dataset", "check", "code", "type", "severity", "run_id")


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; of an exception the type alone, as its text may quote rows."""
        about: Mapping[str, Any] = record.args if isinstance(record.args, Mapping) else {}
        said: dict[str, Any] = {
            "at": stamp(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": masked(record.getMessage()),
            **{name: about[name] for name in _KEPT if about.get(name) is not None},
        }
        if record.exc_info and record.exc_info[0]:
            said["error"] = record.exc_info[0].__name__
        return dumps(said)
