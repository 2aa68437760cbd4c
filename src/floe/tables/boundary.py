"""The boundary to libraries that read tables: whatever they raise means that the table cannot be read.

pyiceberg, deltalake, DataFusion and Arrow raise errors of a dozen kinds for damaged or missing files, so there is no list of
them to catch. One boundary turns them into TableError; it stands around the call of the library alone, logs the traceback for
whoever debugs, and can leave the library's text out where that may hold values of rows.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from floe.model import FloeError, TableError

_LOG = logging.getLogger("floe.tables")


@contextmanager
def library_errors(message: str, remedy: str, *, may_hold_values: bool = False) -> Iterator[None]:
    """Errors of a library as TableError: the message, then the cause; a FloeError passes as it is."""
    try:
        yield
    except FloeError:
        raise
    except Exception as error:  # noqa: BLE001  (see above)
        _LOG.debug("%s", message, exc_info=True)
        raise TableError(f"{message}: {_cause(error, may_hold_values)}", remedy) from None


def _cause(error: Exception, may_hold_values: bool) -> str:
    if may_hold_values:
        return error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300]
