"""Which Java there is, asked before Spark needs it."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from floe.model import EngineError

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
