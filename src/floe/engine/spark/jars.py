"""What floe's own local session needs: a Java, and jars that are pinned, fetched once by Spark's resolver, checked each time."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from floe.model import EngineError
from floe.settings import Settings
from floe.system.full_disk import remedy


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
# what the four would pull in besides, and Spark has already
_EXCLUDED = "org.scala-lang:*,org.antlr:*,io.unitycatalog:*,com.fasterxml*:*,org.openapitools:*,org.slf4j:*,io.delta:delta-kernel*"
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


def unfit(settings: Settings) -> list[tuple[Jar, str]]:
    """The jars that are not there as pinned, and why."""
    found = []
    for jar in JARS:
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
    return [folder(settings) / jar.file for jar in JARS]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(settings: Settings, lacking: list[tuple[Jar, str]]) -> None:
    target = folder(settings)
    damaged = [jar.file for jar, why in lacking if why == "damaged"]
    again = f" again ({', '.join(damaged)} damaged)" if damaged else ""
    settings.say(f"· fetching {len(lacking)} of {len(JARS)} jars for Spark{again} into {target}, once …")
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
