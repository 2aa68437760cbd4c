"""Compile floe's own code for Spark's JVM against the installed pyspark; `make jar` runs it.

The jar is kept beside its source, so that users need no compiler; it names the sources that it was made of.
"""

import hashlib
import subprocess
import tempfile
import zipfile
from pathlib import Path

from floe.engine.spark.jars import OWN, spark_home

_DAY = (1980, 1, 1, 0, 0, 0)


def main() -> None:
    """Make the jar."""
    sources = sorted(OWN.parent.glob("*.java"))
    with tempfile.TemporaryDirectory() as place:
        command = ["javac", "--release", "17", "-Xlint:all,-processing,-path", "-Werror"]
        subprocess.run([*command, "-cp", f"{spark_home()}/jars/*", "-d", place, *map(str, sources)], check=True)
        classes = {str(path.relative_to(place)): path.read_bytes() for path in sorted(Path(place).rglob("*.class"))}
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    manifest = f"Manifest-Version: 1.0\r\nSource-SHA256: {digest[:32]}\r\n\r\n".encode()
    with zipfile.ZipFile(OWN, "w", zipfile.ZIP_DEFLATED) as jar:
        for name, content in {"META-INF/MANIFEST.MF": manifest, **classes}.items():
            jar.writestr(zipfile.ZipInfo(name, _DAY), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
