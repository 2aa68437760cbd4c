"""floe's own Spark session: local, with Delta and Iceberg; a user's session is never touched."""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from pyspark import SparkContext
from pyspark.sql import SparkSession

from floe.engine.spark.jars import OWN, find_java, jars
from floe.lang.secret import masked
from floe.model import EngineError, SettingError
from floe.settings import Settings
from floe.system.private_files import open_private, private_file
from floe.tables.spark.errors import ENGINE_ERRORS, first_line

_EXTENSIONS = (
    "io.delta.sql.DeltaSparkSessionExtension,org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions,"
    "floe.SafeSqlExtensions"  # no TRANSFORM and no reflect: floe's own code for Spark's JVM
)
_BASE = {
    "spark.sql.extensions": _EXTENSIONS,
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    # rules of contracts are checked before they run; where a check failed, these keep SQL from files and variables
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.variable.substitute": "false",
    # count, min and max of a rule's SQL are those of rows, not of what some writer put into a log or manifest
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    "spark.sql.iceberg.aggregate-push-down.enabled": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # the old kind leaves no bounds in footers
    "spark.sql.maxConcurrentOutputFileWriters": "16",  # few partitions at once need no sort before they are written
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_STOPS = 15  # seconds that a session may take to stop
_SERVER = "Start it, or set spark.master to another one (sc://HOST:PORT); Connect needs `pip install pyspark[connect]`"
_REFUSED: tuple[type[Exception], ...] = (*ENGINE_ERRORS, ImportError)
_LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "8",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
}


def own_session(settings: Settings) -> SparkSession:
    """The running session, else a new one by the settings."""
    if settings.untrusted:
        raise EngineError("An untrusted checkout cannot start Spark", "Read the checkout, then unset FLOE_UNTRUSTED")
    active = _running()
    if active is not None:
        return active
    if settings.spark.master.startswith("sc://"):
        return _connected(settings.spark.master)
    java = find_java(settings.java)
    files = jars(settings)
    _quiet_gateway()
    settings.say(f"· starting Spark ({masked(settings.spark.master)}, Java {java.version}) …")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # noqa: TID251  (pyspark reads it, workers inherit it)
    builder = SparkSession.builder.appName("floe").master(settings.spark.master)
    for key, value in configuration(settings, files).items():
        builder = builder.config(key, value)
    log = settings.root / ".floe" / "spark.log"
    with _quiet(log), _interruptible():
        try:
            return builder.getOrCreate()
        except Exception as error:  # noqa: BLE001  (whatever the JVM says, the user is told where it said it)
            raise EngineError(f"Spark did not start: {first_line(error)}", f"See {log}") from None


def _quiet_gateway() -> None:
    """Report a lost JVM as an outcome, not as stacks of py4j, which logs by its own logger and by the root one."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    root = logging.getLogger()
    root.removeFilter(_not_of_gateway)
    root.addFilter(_not_of_gateway)


def _not_of_gateway(record: logging.LogRecord) -> bool:
    return "py4j" not in record.pathname


def _running() -> SparkSession | None:
    """The session of this thread; a stopped one, or one without JVM, does not count."""
    try:
        context = SparkContext._active_spark_context
        if context is not None and _stopped(context):
            _let_go(context)
            return None
        return SparkSession.getActiveSession()
    except ConnectionError:
        # pyspark keeps the address of a killed JVM, and would request a new session from it
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
        return None


def _stopped(context: SparkContext) -> bool:
    engine = context._jsc
    return engine is None or bool(engine.sc().isStopped())


def _let_go(context: SparkContext) -> None:
    """Wait until a stopping context has ended: pyspark would return it until then."""
    until = time.monotonic() + _STOPS
    while SparkContext._active_spark_context is context and time.monotonic() < until:
        time.sleep(0.1)
    if SparkContext._active_spark_context is context:
        context.stop()  # the JVM's part was stopped alone


def _connected(address: str) -> SparkSession:
    """A session of a Spark Connect server, which has its own Java and jars."""
    try:
        return SparkSession.builder.remote(address).getOrCreate()
    except _REFUSED as error:
        raise EngineError(
            masked(f"No Spark Connect server responds at {address}: {first_line(error)}"), _SERVER
        ) from None


def configuration(settings: Settings, files: list[Path]) -> dict[str, str]:
    """What a session is started with, so that it reads and writes Delta and Iceberg."""
    conf = {**_BASE, "spark.jars": ",".join(map(str, [*files, OWN]))}
    if settings.spark.master.startswith("local"):
        conf |= _LOCAL
    conf["spark.sql.warehouse.dir"] = str(settings.path(settings.tables.warehouse))
    for name, options in settings.catalogs.items():
        conf |= {f"spark.sql.catalog.{name}{key}": value for key, value in _catalog(settings, name, options).items()}
    return conf | {key: str(value) for key, value in settings.spark.conf.items()}


def _catalog(settings: Settings, name: str, options: Any) -> dict[str, str]:
    """An Iceberg catalog of the settings as Spark's options."""
    if not isinstance(options, dict) or "type" not in options:
        raise SettingError(
            f"{settings.origin('catalogs')}: catalog '{name}' has no type",
            "Set its type: sql, rest, hadoop, hive or glue",
        )
    found = {"": "org.apache.iceberg.spark.SparkCatalog", **{f".{key}": str(value) for key, value in options.items()}}
    if options["type"] == "sql" and not str(options.get("uri", "")).startswith("sqlite"):
        found |= _jdbc(urlsplit(str(options.get("uri", ""))))
    elif options["type"] == "sql":
        path = settings.root / str(options.get("uri", "")).removeprefix("sqlite:///")
        found |= {".type": "jdbc", ".uri": f"jdbc:sqlite:{path}", ".jdbc.schema-version": "V1"}
        private_file(path)
    if "warehouse" in options and "://" not in str(options["warehouse"]):
        found[".warehouse"] = str((settings.root / str(options["warehouse"])).resolve())
    return found


def _jdbc(uri: SplitResult) -> dict[str, str]:
    """A database server for Iceberg's JDBC catalog; users add its driver's jar (spark.conf)."""
    place = f"{uri.hostname}:{uri.port}" if uri.port else uri.hostname
    found = {
        ".type": "jdbc",
        ".uri": f"jdbc:{uri.scheme.split('+')[0]}://{place}{uri.path}",
        ".jdbc.schema-version": "V1",
    }
    found |= {".jdbc.user": unquote(uri.username)} if uri.username else {}
    return found | ({".jdbc.password": unquote(uri.password)} if uri.password else {})


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C stops what runs: pyspark's own way to do so waits for the query first."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, _stop if before is signal.default_int_handler else before)


def _stop(number: int, frame: object) -> None:
    context = SparkContext._active_spark_context
    if context is not None:  # from another thread: this thread's connection to the JVM is busy
        threading.Thread(target=context.cancelAllJobs, daemon=True).start()
    raise KeyboardInterrupt


@contextmanager
def _quiet(log: Path) -> Iterator[None]:
    """The JVM's own chatter goes to a file; the terminal belongs to the answer."""
    terminal = os.dup(2)
    with open_private(log, "ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
