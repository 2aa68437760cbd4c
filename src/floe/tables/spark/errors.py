"""What an engine's error says, without its stack; the errors of a classic session and of Spark Connect alike.

Decisions are made by what Spark, Delta and Iceberg mean programs to read: an error's condition and SQLSTATE, and the class of
a Java error. Its text is for people.
"""

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from pyspark.errors import PySparkException

from floe.model import TableCause
from floe.system.full_disk import full_line


def _known(module: str, name: str) -> tuple[type[Exception], ...]:
    """An error of a library that only one kind of session brings."""
    try:
        return (getattr(importlib.import_module(module), name),)
    except ImportError:
        return ()


# what a session may raise, whoever runs it: its own errors, the gateway's, Connect's channel, and a lost connection
ENGINE_ERRORS: tuple[type[Exception], ...] = (
    PySparkException,
    ConnectionError,
    *_known("py4j.protocol", "Py4JError"),
    *_known("grpc", "RpcError"),
)


# Iceberg's errors of a commit that may have been made: its answer did not come
_LOST = ("CommitStateUnknownException", "RESTException")


# SQLSTATEs and Java classes by which Spark, Delta, Iceberg and Hadoop say that they may not read, or that nothing is there
_DENIED_STATE = "42501"
_MISSING_STATES = ("42P01", "42K03")  # no such table, no such path
_MISSING_FILE = "FAILED_READ_FILE.FILE_NOT_EXIST"
_DENIED = ("AccessControlException", "AccessDeniedException", "ForbiddenException", "NotAuthorizedException")
_MISSING = ("FileNotFoundException", "NoSuchFileException", "NoSuchTableException", "NotFoundException")


class ErrorCondition(NamedTuple):
    """What an error is called by the engine, and its SQLSTATE; "" where it has none."""

    name: str
    sqlstate: str


def conditions(error: Exception) -> list[ErrorCondition]:
    """The conditions of an error and of what caused it."""
    found = [_condition(error)] if isinstance(error, PySparkException) else []
    return [condition for condition in (*found, *map(_condition, _java(error))) if condition]


def _condition(error: Any) -> ErrorCondition | None:
    try:
        name = error.getCondition()
        return ErrorCondition(name, error.getSqlState() or "") if name else None
    except ENGINE_ERRORS:  # a Java error that is none of Spark's has no condition
        return None


def _java(error: Exception) -> Iterator[Any]:
    """The Java error behind an error, and its causes; none on Spark Connect."""
    java: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while java is not None:
        yield java
        java = java.getCause()


def cause_of(error: Exception) -> TableCause:
    """Why the engine could not read a table."""
    found, classes = conditions(error), {java.getClass().getSimpleName() for java in _java(error)}
    states = {condition.sqlstate for condition in found}
    if _DENIED_STATE in states or not classes.isdisjoint(_DENIED):
        return TableCause.PERMISSION
    missing = not states.isdisjoint(_MISSING_STATES) or any(condition.name == _MISSING_FILE for condition in found)
    return TableCause.MISSING if missing or not classes.isdisjoint(_MISSING) else TableCause.UNREADABLE


def answer_lost(error: Exception) -> bool:
    """Whether a catalog's answer to a commit was lost, so that its result is unknown."""
    return any(java.getClass().getSimpleName() in _LOST for java in _java(error))


def first_line(error: Exception) -> str:
    """What went wrong, in one line; of a full disk the line that names it, and what to do."""
    full = _full_disk(error)
    if full:
        return (
            f"a disk is full ({full[:300]}): make room on it, or set spark.local.dir to another where it is Spark's own"
        )
    java: Any = getattr(error, "java_exception", None)
    text = java.getMessage() if java is not None else _message(error)
    return next(
        (line.strip() for line in (text or type(error).__name__).splitlines() if line.strip()), type(error).__name__
    )[:400]


def _full_disk(error: Exception) -> str | None:
    """The part of an error, or of its causes, about a full disk."""
    texts = (str(error), *(str(java.getMessage()) for java in _java(error)))
    return next(filter(None, map(full_line, texts)), None)


def _message(error: Exception) -> str:
    told = getattr(error, "details", None)  # of a channel that broke: its text begins with its own type
    if callable(told) and not isinstance(error, PySparkException):
        return str(told() or error)
    try:
        return (error.getMessage() if isinstance(error, PySparkException) else None) or str(error)
    except ENGINE_ERRORS:  # Spark knows no text for an error of Delta's or Iceberg's; they bring their own
        return str(error)
