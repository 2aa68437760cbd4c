"""The boundary to libraries that read tables: whatever they raise means that the table cannot be read.

pyiceberg, deltalake, DataFusion and Arrow raise errors of a dozen kinds for damaged or missing files, so there is no list of
them to catch. One boundary turns them into TableError; it stands around the call of the library alone, logs the traceback for
whoever debugs, and can leave the library's text out where that may hold values of rows.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from floe.model import FloeError, TableCause, TableError
from floe.system.full_disk import ROOM, full_line

_LOG = logging.getLogger("floe.tables")
# Arrow raises OSError and deltalake DeltaError for all that goes wrong in an object store or in Rust; what happened stands
# in their text alone: an HTTP status, an error code of AWS, or the operating system's number
_DENIED = re.compile(r"\(os error 13\)|[Ss]tatus(?: code)?:? 40[13]\b|\bACCESS_?DENIED\b|\bAccessDenied\b")
_MISSING = re.compile(
    r"\(os error 2\)|[Ss]tatus(?: code)?:? 404\b|\bNO_?SUCH_?(?:KEY|BUCKET)\b|\bNoSuch(?:Key|Bucket)\b"
)


@contextmanager
def library_errors(
    message: str, remedy: str, *, may_hold_values: bool = False, cause: TableCause | None = None
) -> Iterator[None]:
    """Errors of a library as TableError: the message, then the library's text; a FloeError passes unchanged.

    `cause` is why the table cannot be used, if the place of the call shows it; else the error shows it.
    """
    try:
        yield
    except FloeError:
        raise
    except Exception as error:  # noqa: BLE001  (see above)
        _LOG.debug("%s", message, exc_info=True)
        raise TableError(
            f"{message}: {_said(error, may_hold_values)}", remedy, cause=cause or cause_of(error)
        ) from None


def cause_of(error: Exception) -> TableCause:
    """Why a library could not read a table: by the class of its error, else by the text of the store's error."""
    if isinstance(error, PermissionError):
        return TableCause.PERMISSION
    if isinstance(error, FileNotFoundError):
        return TableCause.MISSING
    text = str(error)
    if _DENIED.search(text):
        return TableCause.PERMISSION
    return TableCause.MISSING if _MISSING.search(text) else TableCause.UNREADABLE


def _said(error: Exception, may_hold_values: bool) -> str:
    full = full_line(str(error))
    if full and not may_hold_values:
        return f"a disk is full ({full[:300]}): {ROOM[0].lower()}{ROOM[1:]}"
    if may_hold_values:
        return error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300]
