"""The store: opened, migrated and queried; one audit row for every change that people make."""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from floe import registry
from floe.lang.json_text import dumps
from floe.lang.secret import masked, with_variables_hidden
from floe.model import RegistryError
from floe.registry.advice import DAMAGED, advice
from floe.registry.schema import audit, check_runs, day_facts, outbox, schema_history, table_registry, violations
from floe.system.full_disk import remedy
from floe.system.private_files import open_private, private_file

HEAD = "0006"
_BUSY_SECONDS = 30
FROZEN_SECONDS = 10
_LOOK_BACK = 5
_NAME = re.compile(r"[\w.@-][\w.:@/-]*(?<!:)(?!.*://)", re.ASCII)  # ids of contracts, tables and runs


def open_store(url: str, root: Path) -> "Store":
    """The store at a URL, made and brought up to date where needed; RegistryError (E542) where it is out of reach."""
    address = _address(url, root)
    if address.get_backend_name() == "sqlite" and address.database:
        _folder(Path(address.database))
    try:
        store = Store(_engine(address))
        store.migrate()
    except (SQLAlchemyError, ImportError, *DAMAGED) as error:
        raise _unreachable(address, error) from None
    return store


def find_store(url: str, root: Path) -> "Store | None":
    """The store at a URL; None if its file does not exist yet, so that reading creates nothing."""
    address = _address(url, root)
    if address.get_backend_name() == "sqlite" and address.database and not Path(address.database).exists():
        return None
    return open_store(url, root)


def _address(url: str, root: Path) -> sa.URL:
    try:
        address = make_url(url)
    except ArgumentError:
        raise RegistryError(
            "registry.url is not a database address",
            "Write it as sqlite:///.floe/registry.db or postgresql://…",
            "E542",
        ) from None
    if address.get_backend_name() == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if address.get_backend_name() == "sqlite" and address.database:
        return address.set(database=str(root / address.database))
    return address


def _folder(path: Path) -> None:
    try:
        private_file(path)
    except PermissionError:
        if path.parent.is_dir():
            return  # it reports its own limits
        raise
    except OSError as error:
        raise RegistryError(
            f"The registry's folder {path.parent} cannot be created: {error.strerror}",
            remedy(error, "Make the folder writable, or set registry.url to another place"),
            "E542",
        ) from None


def _unreachable(address: sa.URL, error: Exception) -> RegistryError:
    said = str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__]
    cause = f"it is malformed, {said[0]}" if isinstance(error, DAMAGED) else said[0]
    return RegistryError(
        masked(f"The registry {address.render_as_string()} cannot be used: {cause}"), advice(address, error), "E542"
    )


def _engine(address: sa.URL) -> Engine:
    if address.get_backend_name() != "sqlite":
        return _server_engine(address)
    engine = sa.create_engine(address, connect_args={"timeout": _BUSY_SECONDS}, json_serializer=_json)
    sa.event.listen(engine, "before_cursor_execute", _covered, retval=True)

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _: Any) -> None:
        connection.isolation_level = (
            None  # floe starts BEGIN IMMEDIATE itself, so that writers queue instead of failing
        )
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("floe_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


@cache
def _server_engine(address: sa.URL) -> Engine:
    """One for all stores of an address, so that unclosed ones do not use up the server's connections."""
    postgresql = address.get_backend_name() == "postgresql"
    limits = registry.timed.connect_arguments(address) if postgresql else {}
    made = sa.create_engine(
        address, pool_pre_ping=True, pool_size=1, max_overflow=20, json_serializer=_json, connect_args=limits
    )
    sa.event.listen(made, "before_cursor_execute", _covered, retval=True)
    if postgresql:
        registry.timed.limit_answers(made)
    # a forked process has its own connections, and does not touch its parent's
    os.register_at_fork(after_in_child=lambda: made.dispose(close=False))
    return made


def _json(data: Any) -> str:
    return dumps(with_variables_hidden(data))


def _covered(_: Any, __: Any, statement: str, parameters: Any, ___: Any, ____: bool) -> tuple[str, Any]:
    """No value of a contract's variables is kept: texts have the variables; names, and JSON that has them already, stay."""
    return statement, _cover(parameters)


def _cover(value: Any) -> Any:
    match value:
        case str():
            return value if _NAME.fullmatch(value) or value[:1] in "{[" else with_variables_hidden(value)
        case Mapping():
            return {key: _cover(below) for key, below in value.items()}
        case list():
            return [_cover(below) for below in value]
        case tuple():
            return tuple(_cover(below) for below in value)
    return value


class Store:
    """Reads and writes of the store, each in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.postgresql = engine.dialect.name == "postgresql"

    def close(self) -> None:
        """Let go of the database's connections, of which a server has few; the store can be used again."""
        self.engine.dispose()

    @contextmanager
    def begin(self, writes: bool = False, patient: bool = False) -> Iterator[Connection]:
        """A transaction; writers of SQLite queue from its start. RegistryError (E542) where the database fails.

        The statements of one that is patient may take long without being taken for a database that does not answer.
        """
        try:
            with (
                self.engine.execution_options(floe_writes=writes).begin() as connection,
                registry.timed.patient(connection) if patient and self.postgresql else nullcontext(),
            ):
                yield connection
        except (SQLAlchemyError, *DAMAGED) as error:
            raise _unreachable(self.engine.url, error) from None

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """A connection with autocommit statements; RegistryError (E542) if the database fails."""
        try:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                yield connection
        except SQLAlchemyError as error:
            raise _unreachable(self.engine.url, error) from None

    @contextmanager
    def transaction(self) -> "Iterator[Store]":
        """A store whose reads and writes are one transaction: all of them are kept, or none."""
        with self.begin(writes=True) as connection:
            if self.postgresql:
                unlock_when_frozen(connection)
            yield _TransactionStore(self.engine, connection)

    def migrate(self) -> None:
        """Bring the tables up to date; a store of a newer floe is refused."""
        revision = self._revision()
        if revision == HEAD:
            return
        if revision is not None and revision > HEAD:
            raise RegistryError(
                f"The registry was written by a newer version of floe (schema {revision}, this version supports {HEAD})",
                "Upgrade floe-contracts",
                "E542",
            )
        from alembic import command  # noqa: PLC0415  (0.2 s that an up-to-date store does not need)
        from alembic.config import Config  # noqa: PLC0415

        config = Config()
        config.set_main_option("script_location", os.fspath(Path(__file__).parent / "migrations"))
        with self.begin(writes=True, patient=True) as connection:
            if self.postgresql:  # of two that find an old store at once, one waits for the other
                registry.timed.wait_for_lock(connection, lock_key("floe.migrate"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def _revision(self) -> str | None:
        with self.engine.connect() as connection:
            if not sa.inspect(connection).has_table("alembic_version"):
                return None
            return cast("str | None", connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar())

    def table(self, table_id: str) -> Mapping[str, Any] | None:
        """What is known of a table."""
        with self.begin() as connection:
            row = (
                connection.execute(sa.select(table_registry).where(table_registry.c.table_id == table_id))
                .mappings()
                .first()
            )
        return dict(row) if row else None

    def schema_version(self, table_id: str, schema_hash: str, declared: int | None) -> int:
        """The schema's integer version: as declared, else one more for each new hash."""
        if declared is not None:
            return declared
        with self.begin() as connection:
            newest = (
                connection.execute(
                    sa.select(schema_history)
                    .where(schema_history.c.table_id == table_id)
                    .order_by(schema_history.c.schema_version.desc())
                )
                .mappings()
                .first()
            )
        if newest is None:
            return 1
        changed = newest["schema_hash"] != schema_hash
        return int(newest["schema_version"]) + int(changed)

    def accepted(self, table_id: str, batch_id: str) -> list[Mapping[str, Any]]:
        """The results of the runs that accepted a batch, oldest first: several where the table lost it in between."""
        runs = check_runs.c
        chosen = sa.select(runs.result).where(
            (runs.table_id == table_id) & (runs.batch_id == batch_id) & ~runs.refused & (runs.mode != "test")
        )
        with self.begin() as connection:
            return list(connection.execute(chosen.order_by(runs.at)).scalars())

    def seen(self, table_id: str, modes: Sequence[str]) -> list[Mapping[str, Any]]:
        """The results of the newest runs that knew a table's snapshot, newest first."""
        runs = check_runs.c
        here = (runs.table_id == table_id) & runs.mode.in_(modes) & runs.snapshot_after.isnot(None)
        chosen = sa.select(runs.result).where(here).order_by(runs.at.desc()).limit(_LOOK_BACK)
        with self.begin() as connection:
            return list(connection.execute(chosen).scalars())

    def seconds_since(self, table_id: str, since: str) -> float:
        """How many seconds the runs on a table took, since a moment."""
        chosen = sa.select(sa.func.sum(check_runs.c.seconds)).where(
            (check_runs.c.table_id == table_id) & (check_runs.c.at >= since)
        )
        with self.begin() as connection:
            return float(connection.execute(chosen).scalar() or 0)

    @contextmanager
    def lock(self, table_id: str) -> Iterator[None]:
        """Let one writer of a table at a time publish; a killed one lets go by itself."""
        if self.postgresql:
            connection = self._locked(table_id)
            try:
                yield
            finally:
                with suppress(SQLAlchemyError):  # a server that died has let go of the lock already
                    connection.close()
            return
        folder = Path(str(self.engine.url.database)).parent / "locks"
        with open_private(folder / f"{hashlib.sha256(table_id.encode()).hexdigest()[:16]}.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _locked(self, table_id: str) -> Connection:
        """A connection whose transaction holds the lock of a table; RegistryError (E542) where the server fails."""
        try:
            connection = self.engine.connect()
            registry.timed.wait_for_lock(connection, lock_key(table_id))
        except SQLAlchemyError as error:
            raise _unreachable(self.engine.url, error) from None
        return connection

    def record(self, entry: Mapping[str, Any], *, at: str) -> None:
        """Store a run, its outcomes, the state of its table and its messages due from `at`, all or nothing; a run is stored once."""
        run = entry["run"]
        with self.begin(writes=True) as connection:
            if connection.execute(sa.select(check_runs.c.run_id).where(check_runs.c.run_id == run["run_id"])).first():
                return
            connection.execute(sa.insert(check_runs).values(**run))
            if entry["violations"]:
                connection.execute(
                    sa.insert(violations), [{**value, "run_id": run["run_id"]} for value in entry["violations"]]
                )
            if entry.get("table"):
                _keep_table(connection, entry["table"], entry["schema"])
            if entry.get("fact"):
                put_fact(connection, entry["fact"])
            if entry.get("messages"):
                put_all(connection, entry["messages"], at=at)

    def runs(self, limit: int, table_id: str | None = None) -> list[dict[str, Any]]:
        """The newest runs with what they found, newest first."""
        chosen = sa.select(check_runs).order_by(check_runs.c.at.desc(), check_runs.c.run_id).limit(limit)
        if table_id:
            chosen = chosen.where(check_runs.c.table_id == table_id)
        with self.begin() as connection:
            found = [dict(row) for row in connection.execute(chosen).mappings()]
            ids = [run["run_id"] for run in found]
            rows = connection.execute(
                sa.select(violations).where(violations.c.run_id.in_(ids)).order_by(violations.c.expectation)
            )
            broken = [dict(row) for row in rows.mappings()]
        return [{**run, "violations": [entry for entry in broken if entry["run_id"] == run["run_id"]]} for run in found]


class _TransactionStore(Store):
    """The store within one transaction."""

    def __init__(self, engine: Engine, connection: Connection) -> None:
        super().__init__(engine)
        self._connection = connection

    @contextmanager
    def begin(self, writes: bool = False, patient: bool = False) -> Iterator[Connection]:
        """The one transaction; its errors are errors of the whole."""
        yield self._connection


def unlock_when_frozen(connection: Connection) -> None:
    """Let the server end a transaction whose process is silent for long, so that its rows are free for others."""
    connection.execute(sa.text(f"SET LOCAL idle_in_transaction_session_timeout = '{FROZEN_SECONDS}s'"))


def lock_key(name: str) -> int:
    """A lock's number for PostgreSQL."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def _keep_table(connection: Connection, table: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """The location of a table, and its schema."""
    here = table_registry.c.table_id == table["table_id"]
    if connection.execute(sa.select(table_registry.c.table_id).where(here)).first():
        connection.execute(sa.update(table_registry).where(here).values(**table))
    else:
        connection.execute(sa.insert(table_registry).values(**table))
    same = (schema_history.c.table_id == schema["table_id"]) & (
        schema_history.c.schema_version == schema["schema_version"]
    )
    if not connection.execute(sa.select(schema_history.c.table_id).where(same)).first():
        connection.execute(sa.insert(schema_history).values(**schema))


def insert_into(table: sa.Table, postgresql: bool) -> Any:
    """An insert with a conflict clause; only the dialect in use is loaded."""
    return import_module(f"sqlalchemy.dialects.{'postgresql' if postgresql else 'sqlite'}").insert(table)


TABLE, BATCH = "table", "batch"


def put_fact(connection: Connection, fact: Mapping[str, Any]) -> None:
    """Keep a fact in a transaction: contract_id, dataset, source, day, rows and nulls by column."""
    keys = ("contract_id", "dataset", "source", "day")
    here = sa.and_(*(day_facts.c[key] == fact[key] for key in keys))
    insert = insert_into(day_facts, connection.dialect.name == "postgresql")
    first = {**{key: fact[key] for key in keys}, "rows": 0, "times": 0, "nulls": {}}
    connection.execute(insert.values(**first).on_conflict_do_nothing())
    there = connection.execute(sa.select(day_facts).where(here).with_for_update()).mappings().one()
    connection.execute(sa.update(day_facts).where(here).values(**_after(there, fact)))


def _after(there: Mapping[Any, Any], fact: Mapping[str, Any]) -> dict[str, Any]:
    if fact["source"] == TABLE:
        return {"rows": fact["rows"], "times": 1, "nulls": dict(fact["nulls"])}
    known = there["nulls"] if there["times"] else fact["nulls"]  # a column that one batch does not tell is not told
    nulls = {name: there["nulls"].get(name, 0) + count for name, count in fact["nulls"].items() if name in known}
    return {"rows": there["rows"] + fact["rows"], "times": there["times"] + 1, "nulls": nulls}


WAITING = "waiting"


def put_all(connection: Connection, told: Sequence[tuple[str, str, Mapping[str, Any]]], *, at: str) -> None:
    """Keep messages, each a sink, a key and a payload; those of one sink and key are sent in this order."""
    head = {"state": WAITING, "attempts": 0, "next_at": at, "created_at": at}
    rows = [{"sink": sink, "key": key, "payload": payload, **head} for sink, key, payload in told]
    connection.execute(sa.insert(outbox), rows)


def audited(connection: Connection, *, actor: str, verb: str, subject: str, at: str, **detail: Any) -> None:
    """Write an entry in the transaction of what it is about."""
    row = {"at": at, "actor": actor, "verb": verb, "subject": subject, "detail": detail}
    connection.execute(sa.insert(audit).values(**row))


def trail(store: Store, subject: str) -> list[Mapping[str, Any]]:
    """What happened to a contract, oldest first."""
    chosen = sa.select(audit).where(audit.c.subject == subject).order_by(audit.c.id)
    with store.begin() as connection:
        return [dict(row) for row in connection.execute(chosen).mappings()]
