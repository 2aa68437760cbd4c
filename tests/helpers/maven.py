"""Jars that tests start servers from, fetched once by Maven into the user's cache."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe"


def jars_of(pom: Path, name: str) -> Path:
    """The folder of the jars that a pom lists; written under another name until it is whole."""
    folder = _CACHE / name
    there = folder / "pom.xml"
    if there.is_file() and there.read_bytes() == pom.read_bytes():
        return folder
    _CACHE.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=_CACHE))
    copy = ["mvn", "-B", "-q", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={fresh}"]
    done = subprocess.run(copy, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    shutil.copy(pom, fresh / "pom.xml")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return folder
