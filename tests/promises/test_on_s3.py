"""The tests of gates and of killed writers once more, with the tables in a local S3 service."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.soak
@pytest.mark.spark
@pytest.mark.parametrize(
    "files",
    [
        ("test_gates.py", "test_gates_faults.py", "test_gates_around.py", "test_gates_lifecycle.py"),
        ("test_write_path.py", "test_commit_unknown.py"),
        ("test_kills.py",),
    ],
    ids=["gates", "write path", "kills"],
)
def test_gates_hold_on_s3(files: tuple[str, ...]):
    marks = "soak" if "test_kills.py" in files else "spark and not soak"
    words = [sys.executable, "-m", "pytest", "-q", "-m", marks, "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*words, *(str(HERE / file) for file in files)],
        cwd=HERE.parents[1],
        env={**os.environ, "STORE_UNDER_TEST": "s3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
