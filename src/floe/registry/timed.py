"""Time limits of a registry on PostgreSQL: a server that falls silent is given up.

A server that works ends a statement that takes too long by itself (statement_timeout). A server that took the connection and
then sends nothing ends nothing: its process is frozen, or a pooler or firewall in between has lost its state. libpq waits for
such an answer without end, so each answer has a limit here too: what the server gives a statement, and as long again
as a connection may take. The limits of TCP find a machine that is gone earlier, also while a gate holds a lock and is quiet.

Statements that move much at once (`patient`) have a longer limit. Nothing waits without one: who waits for a lock for hours
asks for it again and again (`wait_for_lock`), so that the server answers in between.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg.errors import LockNotAvailable
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

_CONNECT_SECONDS = 10
_STATEMENT_SECONDS = 60  # beyond that a database counts as out of reach
_PATIENT_SECONDS = 600
_LIMITS = {
    "connect_timeout": _CONNECT_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
# the server too finds out that this machine is gone, and lets go of what it had locked
_SERVER_LIMITS = ("tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3")
_STATEMENT_LIMIT = "SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'"


class NoAnswerError(psycopg.OperationalError):
    """The server is silent."""

    sqlstate = "08006"  # connection failure


class TimedConnection(psycopg.Connection[Any]):
    """A connection whose server has a limited time for each answer."""

    connect_seconds: float = _CONNECT_SECONDS
    statement_seconds: float = _STATEMENT_SECONDS

    def wait(self, gen: Any, *args: Any, **options: Any) -> Any:
        """Wait for an answer; after NoAnswerError the connection is closed, as nobody knows what it would answer yet."""
        limit = self.statement_seconds + self.connect_seconds
        try:
            return super().wait(_within(gen, limit), *args, **options)
        except NoAnswerError:
            self.pgconn.finish()
            raise


def _within(work: Any, seconds: float) -> Generator[Any, Any, Any]:
    """The same work, until nothing has come when the time is over; psycopg wakes it up ten times a second."""
    ends = monotonic() + seconds
    try:
        wanted = next(work)
        while True:
            ready = yield wanted
            if not ready and monotonic() > ends:
                raise NoAnswerError(f"no answer within {seconds:.3g} seconds")
            wanted = work.send(ready)
    except StopIteration as done:
        return done.value


def connect_arguments(address: sa.URL) -> dict[str, Any]:
    """The limits of a connection that the address does not set itself."""
    return {name: value for name, value in _LIMITS.items() if name not in address.query}


def limit_answers(engine: Engine) -> None:
    """Make an engine's connections timed; the limit of a statement may be set by the address (`options`)."""
    own_limit = "options" not in engine.url.query

    @sa.event.listens_for(engine, "do_connect")
    def _connect(_: Any, __: Any, args: Any, options: Any) -> TimedConnection:
        connection: TimedConnection = TimedConnection.connect(*args, **options)
        connection.connect_seconds = float(options["connect_timeout"])
        return connection

    @sa.event.listens_for(engine, "connect")
    def _begin_session(connection: Any, _: Any) -> None:
        own = [f"statement_timeout = '{_STATEMENT_SECONDS}s'"] if own_limit else []
        with connection.cursor() as cursor:
            for setting in (*_SERVER_LIMITS, *own):
                cursor.execute(f"SET {setting}")
            ((milliseconds,),) = cursor.execute(_STATEMENT_LIMIT).fetchall()
        connection.commit()
        connection.statement_seconds = milliseconds / 1000 or _PATIENT_SECONDS


@contextmanager
def patient(connection: Connection) -> Iterator[None]:
    """Let the statements of a transaction take longer, as those do that move much at once."""
    connection.execute(sa.text(f"SET LOCAL statement_timeout = '{_PATIENT_SECONDS}s'"))
    driver = connection.connection.driver_connection
    assert isinstance(driver, TimedConnection)
    before, driver.statement_seconds = driver.statement_seconds, _PATIENT_SECONDS
    try:
        yield
    finally:
        driver.statement_seconds = before


def wait_for_lock(connection: Connection, key: int, *, shared: bool = False) -> None:
    """Take a lock for the rest of a transaction, however long others hold it; the server answers every half limit."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, TimedConnection)
    milliseconds = max(1, int(driver.statement_seconds * 500))
    lock = sa.text(f"SELECT pg_advisory_xact_lock{'_shared' if shared else ''}(:key)")
    while not _locked(connection, lock.bindparams(key=key), milliseconds):
        continue


def _locked(connection: Connection, lock: sa.TextClause, milliseconds: int) -> bool:
    """Whether a lock could be had in time; where not, the transaction is as it was."""
    try:
        with connection.begin_nested():
            connection.execute(sa.text(f"SET LOCAL lock_timeout = {milliseconds}"))
            connection.execute(lock)
            connection.execute(sa.text("SET LOCAL lock_timeout = DEFAULT"))
    except DBAPIError as error:
        if isinstance(error.orig, LockNotAvailable):
            return False
        raise
    return True
