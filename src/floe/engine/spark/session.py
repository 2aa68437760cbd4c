"""floe's own Spark session: local, with Delta and Iceberg; a user's session is never touched.

It needs a Java, and jars that are pinned, fetched once by Spark's resolver, and checked each time.
"""

import hashlib
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from pyspark import SparkContext
from pyspark.sql import SparkSession

from floe.lang.secret import masked
from floe.model import EngineError, SettingError
from floe.settings import Settings
from floe.system.full_disk import remedy
from floe.system.private_files import open_private, private_file
from floe.tables import storage
from floe.tables.spark.errors import ENGINE_ERRORS, first_line


class Jar(NamedTuple):
    """A pinned artifact with its checksum."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def coordinates(self) -> str:
        """In the form of a resolver."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def file(self) -> str:
        """As it is called in the cache."""
        return f"{self.artifact}-{self.version}.jar"


JARS = (
    Jar(
        "io.delta", "delta-spark_4.1_2.13", "4.4.0", "75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10"
    ),
    Jar("io.delta", "delta-storage", "4.4.0", "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc"),
    Jar(
        "org.apache.iceberg",
        "iceberg-spark-runtime-4.1_2.13",
        "1.12.0",
        "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
    ),
    Jar("org.xerial", "sqlite-jdbc", "3.49.1.0", "5c8609d2ca341deb8c6f71778974b5ba4995c7d32d7c7c89d9392a3e72c39291"),
)
# for tables on S3: hadoop-aws, the parts of the AWS SDK that it uses, and Spark's binding to its committers (19 MB), in place of the SDK's bundle of 642 MB
S3_JARS = tuple(Jar(*line.split()) for line in Path(__file__).with_name("s3-jars.txt").read_text("utf-8").splitlines())
# what these would pull in besides, and Spark has already
_EXCLUDED = (
    "org.scala-lang:*,org.antlr:*,io.unitycatalog:*,com.fasterxml*:*,org.openapitools:*,org.slf4j:*,io.delta:delta-kernel*,"
    "software.amazon.awssdk:bundle,io.netty:*,org.apache.httpcomponents:*,commons-codec:*,commons-logging:*,org.wildfly*:*,"
    "org.apache.hadoop:hadoop-cloud*,org.apache.hadoop:hadoop-client*,org.apache.hadoop:hadoop-common,"
    "org.apache.hadoop:hadoop-azure*,org.apache.hadoop:hadoop-gcp,org.apache.hadoop:hadoop-annotations,org.apache.spark:spark-c*,"
    "org.apache.hadoop:hadoop-huawei*,com.google*:*,com.google.cloud*:*,org.eclipse.jetty*:*,joda-time:*,org.apache.commons:*,com.squareup*:*,com.microsoft*:*"
)
_RESOLVER = """<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true"/></resolvers>
</ivysettings>
"""
_SECONDS = 600
OWN = Path(__file__).parent / "jar" / "floe.jar"  # floe's own code for Spark's JVM, made by `make jar`


def folder(settings: Settings) -> Path:
    """Where the jars are kept, for every project of this user."""
    return settings.cache / "jars"


def pinned(settings: Settings) -> tuple[Jar, ...]:
    """The jars that sessions of these settings need."""
    return (*JARS, *S3_JARS) if storage.needs_s3(settings) else JARS


def unfit(settings: Settings) -> list[tuple[Jar, str]]:
    """The jars that are not there as pinned, and why."""
    found = []
    for jar in pinned(settings):
        path = folder(settings) / jar.file
        if not path.is_file():
            found.append((jar, "missing"))
        elif _sha256(path) != jar.sha256:
            found.append((jar, "damaged"))
    return found


def jars(settings: Settings) -> list[Path]:
    """The pinned jars, fetched where they are missing or damaged."""
    lacking = unfit(settings)
    if lacking:
        _fetch(settings, lacking)
    return [folder(settings) / jar.file for jar in pinned(settings)]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(settings: Settings, lacking: list[tuple[Jar, str]]) -> None:
    target = folder(settings)
    damaged = [jar.file for jar, why in lacking if why == "damaged"]
    again = f" again ({', '.join(damaged)} damaged)" if damaged else ""
    settings.say(f"· fetching {len(lacking)} of {len(pinned(settings))} jars for Spark{again} into {target}, once …")
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target) as place:
            output = _resolve(settings, lacking, Path(place))
            for jar, _ in lacking:
                _keep(jar, Path(place, "jars", f"{jar.group}_{jar.file}"), target, output)
    except OSError as error:
        raise EngineError(
            f"The jars cannot be written to {target}: {error.strerror}",
            remedy(error, "Make the folder writable, or set XDG_CACHE_HOME"),
        ) from None


def _keep(jar: Jar, path: Path, target: Path, output: str) -> None:
    if not path.is_file():
        raise EngineError(
            f"{jar.coordinates} could not be fetched from Maven Central: {_reason(output)}",
            f"Connect to the network once, set spark.conf spark.jars.ivySettings to the Ivy settings of your mirror, or copy {jar.file} to {target}",
        )
    if _sha256(path) != jar.sha256:
        raise EngineError(
            f"The checksum of {jar.coordinates} differs from the pinned one",
            "Check the mirror; floe does not load this file",
        )
    os.replace(path, target / jar.file)


def _reason(output: str) -> str:
    """Why nothing was fetched, from the output of Spark's resolver: it is another program, and reports it nowhere else."""
    words = (
        "UnknownHost",
        "Connection refused",
        "timed out",
        "Network is unreachable",
        "unresolved dependency",
        "not found",
    )
    return next((word for word in words if word.lower() in output.lower()), "the resolver gave no reason").lower()


def _resolve(settings: Settings, lacking: list[tuple[Jar, str]], place: Path) -> str:
    """Let Spark's own resolver fetch; what it printed."""
    find_java(settings.java)
    ivy = place / "ivysettings.xml"
    ivy.write_text(_RESOLVER)
    nothing = place / "nothing.py"
    nothing.write_text("")
    conf = {
        "spark.jars.ivy": str(place),
        "spark.jars.ivySettings": settings.spark.conf.get("spark.jars.ivySettings", str(ivy)),
        "spark.jars.excludes": _EXCLUDED,
        "spark.jars.packages": ",".join(jar.coordinates for jar, _ in lacking),
    }
    command = [
        str(spark_home() / "bin" / "spark-submit"),
        *(f"--conf={key}={value}" for key, value in conf.items()),
        str(nothing),
    ]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(spark_home())}  # noqa: TID251  (a child inherits it)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return "timed out"
    shutil.rmtree(place / "cache", ignore_errors=True)
    return done.stdout + done.stderr


def spark_home() -> Path:
    """The folder of the installed pyspark; EngineError where it is not installed."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise EngineError("pyspark is not installed", "pip install 'floe-contracts[spark]'")
    return Path(spec.origin).parent


SUPPORTED = (17, 21)
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_HOW = "Install Java 17 or 21 (Debian, Ubuntu: apt-get install openjdk-17-jre-headless) and set JAVA_HOME to it"


class Java(NamedTuple):
    """A Java that Spark can run on."""

    command: str
    version: int


def find_java(home: str | None) -> Java:
    """The Java that Spark would take; EngineError where there is none or an unfit one."""
    command = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if not command:
        raise EngineError("Java is not installed; Spark needs Java 17 or 21", _HOW)
    try:
        said = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        raise EngineError(f"Java cannot be started: {command}", _HOW) from None
    version = _VERSION.search(said)
    if not version:
        raise EngineError(f"{command} does not print its Java version", _HOW)
    if int(version[1]) not in SUPPORTED:
        raise EngineError(f"Java {version[1]} is installed ({command}); Spark needs Java 17 or 21", _HOW)
    return Java(command, int(version[1]))


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
    warehouse = settings.place(settings.tables.warehouse)
    # Hadoop takes the root of a bucket for a relative path if it has no slash
    conf["spark.sql.warehouse.dir"] = f"{warehouse}/" if storage.is_bucket(warehouse) else warehouse
    if storage.needs_s3(settings):
        conf |= storage.spark_options(settings.stores())
    for name, options in settings.catalogs.items():
        conf |= {f"spark.sql.catalog.{name}{key}": value for key, value in _catalog(settings, name, options).items()}
    given = {key: str(value) for key, value in settings.spark.conf.items()}
    if "spark.jars" in given:  # besides floe's own, without which there are no tables
        given["spark.jars"] = f"{conf['spark.jars']},{given['spark.jars']}"
    return conf | given


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
    if "warehouse" in options:
        found[".warehouse"] = settings.place(str(options["warehouse"]))
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
