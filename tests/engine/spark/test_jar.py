"""floe's own jar is built of the source beside it, and travels with the package."""

import hashlib
import zipfile

from floe.engine.spark.jars import OWN


def test_the_jar_is_made_of_its_source():
    source = b"".join(path.read_bytes() for path in sorted(OWN.parent.glob("*.java")))
    with zipfile.ZipFile(OWN) as jar:
        manifest = jar.read("META-INF/MANIFEST.MF").decode()
        assert {"floe/Repeats.class", "floe/Refusals.class"} <= set(jar.namelist())
    assert f"Source-SHA256: {hashlib.sha256(source).hexdigest()[:32]}" in manifest, "run `make jar`"
