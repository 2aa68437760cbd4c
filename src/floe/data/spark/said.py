"""What an engine's error says, without its stack."""

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException


def first_line(error: Exception) -> str:
    """What went wrong, in one line."""
    text = error.java_exception.getMessage() if isinstance(error, Py4JJavaError) else _message(error)
    return next(
        (line.strip() for line in (text or type(error).__name__).splitlines() if line.strip()), type(error).__name__
    )[:400]


def _message(error: Exception) -> str:
    try:
        return (error.getMessage() if isinstance(error, PySparkException) else None) or str(error)
    except Py4JError:  # Spark knows no text for an error of Delta's or Iceberg's; they bring their own
        return str(error)
