"""Compile floe's own code for Spark's JVM against the installed pyspark into floe.jar; `make jar` runs it.

The jar is kept beside its source, so that users need no compiler. It is reproducible: the same sources, compiler and
pyspark give the same bytes, whatever the machine, so a test can show that the jar is made of its source. Entries have one
fixed time and are stored uncompressed, because libraries of zlib compress differently.
"""

import hashlib
import io
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from floe.actions.load.settings import load_settings
from floe.engine.spark.session import OWN, jars, spark_home

_DAY = (1980, 1, 1, 0, 0, 0)
_UNIX, _READABLE = 3, 0o644 << 16
_RELEASE = "17"  # the oldest Java that Spark 4 runs on
_OPTIONS = ("--release", _RELEASE, "-encoding", "UTF-8", "-Xlint:all,-processing,-path", "-Werror")


def compiler() -> str | None:
    """The version of the Java compiler at hand, as `javac 17.0.15`; None where there is none."""
    try:
        done = subprocess.run(["javac", "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout or done.stderr).strip()


def build(folder: Path = OWN.parent, made_by: str | None = None) -> bytes:
    """The jar of the sources in a folder; its manifest names the compiler."""
    sources = sorted(folder.glob("*.java"))
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    with tempfile.TemporaryDirectory() as place:
        classpath = ":".join([f"{spark_home()}/jars/*", *map(str, jars(load_settings()))])
        command = ["javac", *_OPTIONS, "-cp", classpath, "-d", place, *map(str, sources)]
        subprocess.run(command, check=True)
        classes = {
            path.relative_to(place).as_posix(): path.read_bytes() for path in sorted(Path(place).rglob("*.class"))
        }
    lines = ["Manifest-Version: 1.0", f"Created-By: {made_by or compiler()}", f"Source-SHA256: {digest[:32]}", "", ""]
    return _zipped({"META-INF/MANIFEST.MF": "\r\n".join(lines).encode(), **classes})


def _zipped(entries: Mapping[str, bytes]) -> bytes:
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_STORED) as file:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name, _DAY)
            entry.create_system, entry.external_attr = _UNIX, _READABLE
            file.writestr(entry, content)
    return jar.getvalue()


def manifest(jar: Path = OWN) -> dict[str, str]:
    """What a jar says of itself."""
    with zipfile.ZipFile(jar) as file:
        text = file.read("META-INF/MANIFEST.MF").decode()
    return dict(line.split(": ", 1) for line in text.splitlines() if line)


if __name__ == "__main__":
    OWN.write_bytes(build())
