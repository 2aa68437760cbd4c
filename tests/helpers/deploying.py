"""What the tests of deploy/ share: floe's own parser for command lines, and programs that check files of others, made once into the cache."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from floe.cli.main import _parser
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
_TOOLS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe" / "deploy"


def accepted(words: list[Any]) -> Namespace:
    """A command line of floe as its parser reads it; SystemExit where it refuses it."""
    line = [str(word) for word in words]
    options = _parser(line[0]).parse_args(line)
    assert "run" in options, line
    return options


def filled(text: str) -> str:
    """A text of compose with the defaults of its variables."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def _done(words: list[object], **more: Any) -> str:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=1800, **more)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return str(done.stdout)


def go_program(module: str, version: str, package: str) -> Path:
    """A program of a Go module, built from a copy of its own folder: `go install` refuses modules that exclude versions."""
    if not shutil.which("go"):
        pytest.skip("Go is not installed")
    program = _TOOLS / f"{package.rsplit('/', 1)[-1]}-{Path(module).parent.name}-{version}"
    if not program.exists():
        _TOOLS.mkdir(parents=True, exist_ok=True)
        folder = json.loads(_done(["go", "mod", "download", "-json", f"{module}@{version}"]))["Dir"]
        new = program.with_suffix(".new")
        with tempfile.TemporaryDirectory(dir=_TOOLS) as copy:
            # Go's cache is read-only, and go.sum may need lines
            _done(["cp", "--recursive", "--no-preserve=mode", f"{folder}/.", copy])
            _done(["go", "build", "-mod=mod", "-o", new, f"./{package}"], cwd=copy)
        new.rename(program)
    return program


def pip_folder(requirement: str) -> Path:
    """The folder of a Python package with what it needs, apart from the environment of the tests."""
    folder = _TOOLS / requirement
    if not folder.exists():
        new = _TOOLS / f"{requirement}.new"
        shutil.rmtree(new, ignore_errors=True)
        _done([sys.executable, "-m", "pip", "install", "--quiet", "--target", new, requirement])
        new.rename(folder)
    return folder
