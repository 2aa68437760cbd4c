"""Where the answer goes: a closed stream, a full disk and a reader that had enough are no faults of floe's."""

import subprocess
import sys
from pathlib import Path

import pytest

_FLOE = f"{sys.executable} -m floe"


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("command", ["explain all", "explain E500", "explain all --format json", "completion bash"])
def test_a_full_disk_is_said(tmp_path, command):
    done = _shell(f"{_FLOE} {command} > /dev/full", tmp_path)
    assert done.stderr == (
        "✗ Output cannot be written: no space left on device\n    Suggestion: Check the target of the output\n"
    )
    assert done.returncode == 2


def test_a_closed_stream_takes_all(tmp_path):
    done = _shell(f"{_FLOE} explain E500 >&-", tmp_path)
    assert (done.stderr, done.returncode) == ("", 0)
    done = _shell(f"{_FLOE} explain nothing 2>&-", tmp_path)
    assert (done.stdout, done.returncode) == ("", 2)


def test_a_reader_that_had_enough_is_no_verdict(tmp_path):
    done = _shell(f"{_FLOE} explain all --format json | true; echo ${{PIPESTATUS[0]}}", tmp_path)
    assert (done.stderr, done.stdout) == ("", "141\n")
