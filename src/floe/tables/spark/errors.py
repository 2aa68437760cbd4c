"""What an engine's error says, without its stack; the errors of a classic session and of Spark Connect alike."""

import importlib
from typing import Any

from pyspark.errors import PySparkException


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


def answer_lost(error: Exception) -> bool:
    """Whether a catalog's answer to a commit was lost, so that nobody knows yet what came of it."""
    java: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while java is not None:
        if java.getClass().getSimpleName() in _LOST:
            return True
        java = java.getCause()
    return False


def first_line(error: Exception) -> str:
    """What went wrong, in one line."""
    java: Any = getattr(error, "java_exception", None)
    text = java.getMessage() if java is not None else _message(error)
    return next(
        (line.strip() for line in (text or type(error).__name__).splitlines() if line.strip()), type(error).__name__
    )[:400]


def _message(error: Exception) -> str:
    told = getattr(error, "details", None)  # of a channel that broke: its text begins with its own type
    if callable(told) and not isinstance(error, PySparkException):
        return str(told() or error)
    try:
        return (error.getMessage() if isinstance(error, PySparkException) else None) or str(error)
    except ENGINE_ERRORS:  # Spark knows no text for an error of Delta's or Iceberg's; they bring their own
        return str(error)
