"""The tests of measuring and of gates on a Spark Connect server and on a cluster of two workers, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# measuring is the same on a cluster and on one machine but for how rows are spread
CHOSEN = ("-k", "test_gate or counted_once or many_keys or samples")


@pytest.mark.spark
@pytest.mark.parametrize(
    ("kind", "chosen"),
    [
        ("connect", CHOSEN),
        pytest.param("connect", (), marks=pytest.mark.soak),
        pytest.param("cluster", CHOSEN, marks=pytest.mark.soak),
    ],
)
def test_rows_are_measured_and_written_alike(kind: str, chosen: tuple[str, ...]):
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(HERE / "test_measure.py")]
    words += [str(HERE / "test_gate.py"), *chosen]
    settings = {**os.environ, "SPARK_UNDER_TEST": kind}
    done = subprocess.run(
        words, env=settings, cwd=HERE.parent.parent.parent, capture_output=True, text=True, timeout=7200, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
