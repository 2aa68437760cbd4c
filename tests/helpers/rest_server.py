"""An Iceberg REST catalog of our own: Iceberg's server classes by Maven, a small launcher, one free port."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.maven import jars_of

_HERE = Path(__file__).parent / "rest"


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
    jars = jars_of(_HERE / "pom.xml", "rest-jars")
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
