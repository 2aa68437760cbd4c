"""floe's own jar is built of the source beside it, byte for byte, and travels with the package."""

import hashlib
import re
import zipfile

import pytest
from tools.jar import build, compiler, manifest

from floe.engine.spark.session import OWN


def test_the_jar_names_the_source_it_was_made_of():
    source = b"".join(path.read_bytes() for path in sorted(OWN.parent.glob("*.java")))
    assert manifest()["Source-SHA256"] == hashlib.sha256(source).hexdigest()[:32], "run `make jar`"
    with zipfile.ZipFile(OWN) as jar:
        assert {"floe/DuplicateKeyFinder.class", "floe/SafeSqlExtensions.class"} <= set(jar.namelist())


def test_the_jar_is_rebuilt_byte_for_byte():
    """Another major version of javac writes other bytes for the same source, so the jar names its own."""
    made_by, here = manifest()["Created-By"], compiler()
    if here is None:
        pytest.skip("no JDK at hand: the bytes of floe.jar are not compared")
    if major(here) != major(made_by):
        pytest.skip(f"floe.jar was made by {made_by}, here is {here}: the bytes are not compared")
    # the compiler's minor version stands in the manifest alone
    assert build(made_by=made_by) == OWN.read_bytes(), "run `make jar`"


def test_a_changed_source_makes_another_jar(tmp_path):
    if compiler() is None:
        pytest.skip("no JDK at hand: nothing is compiled")
    for path in OWN.parent.glob("*.java"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    before = build(tmp_path)
    changed = tmp_path / "TaskBuckets.java"
    changed.write_text(changed.read_text().replace("BUFFER = 4096", "BUFFER = 4095"))
    assert build(tmp_path) != before


def major(version: str) -> str:
    """Of `javac 17.0.15` the 17."""
    found = re.search(r"\d+", version)
    assert found
    return found[0]
