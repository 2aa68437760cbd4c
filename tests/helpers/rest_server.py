"""An Iceberg REST catalog of our own: Iceberg's server classes by Maven, a small launcher, one free port."""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent / "rest"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe" / "rest-jars"


def _jars() -> Path:
    """The folder of the server's jars; fetched once, under another name until it is whole."""
    pom = _HERE / "pom.xml"
    there = _CACHE / "pom.xml"
    if there.is_file() and there.read_bytes() == pom.read_bytes():
        return _CACHE
    _CACHE.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="rest-jars-", dir=_CACHE.parent))
    copy = ["mvn", "-B", "-q", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={fresh}"]
    done = subprocess.run(copy, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    shutil.copy(pom, fresh / "pom.xml")
    shutil.rmtree(_CACHE, ignore_errors=True)
    fresh.rename(_CACHE)
    return _CACHE


@dataclass
class Rest:
    """A running server."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def make_rest(folder: Path) -> Rest:
    """Compile the launcher and start the server over a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    jars = _jars()
    compile_ = ["javac", "-cp", f"{jars}/*", "-d", str(folder), str(_HERE / "RestCatalog.java")]
    subprocess.run(compile_, check=True, capture_output=True, timeout=120)
    words = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", f"{folder}:{jars}/*", "RestCatalog", str(folder)]
    log = (folder / "log").open("w")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("port "):
            return Rest(process, int(line.split()[1]))
    raise AssertionError((folder / "log").read_text())
