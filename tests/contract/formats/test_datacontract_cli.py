"""Every ODCS file floe writes passes `datacontract lint` of a pinned release, in an environment of its own."""

import os
import subprocess
import venv
from pathlib import Path

import pytest

from floe.actions.convert import convert_each
from tests.conftest import CONTRACT
from tests.helpers.odcs_files import CASES, FILES

RELEASE = "1.2.8"
NEGATIVES = sorted((CASES / "odcs" / "negative-v3.2.0-dev").glob("*.yaml"))
# the dialects and the Data Contract Specification are among FILES; these are schemas of other tools
FOREIGN = [CASES / "convert" / name for name in ("manifest.json", "orders.avro.json", "orders.json-schema.json")]
SOURCES = [*FILES, CONTRACT, CASES / "convert/orders.odcs.yaml", CASES / "convert/hostile.odcs.yaml", *FOREIGN]
# the command itself, asked about one file after the other: it takes seconds to start, and 200 files wait
MANY = """
import sys
from datacontract.cli import app
for path in sys.stdin.read().splitlines():
    try:
        code = app(["lint", "--no-inline-references", "--all-errors", path], standalone_mode=False) or 0
    except SystemExit as end:
        code = end.code
    except Exception as error:
        print(type(error).__name__, error)
        code = 2
    print(f"{path}\\t{code}", file=sys.stderr)
"""


@pytest.fixture(scope="module")
def peer() -> Path:
    """The pinned release under the user's cache folder, installed where it is not yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "floe" / f"datacontract-cli-{RELEASE}"
    python = home / "bin" / "python"
    if not (home / "installed").exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"datacontract-cli=={RELEASE}"], check=True)
        (home / "installed").touch()
    return python


def write_all(folder: Path) -> list[Path]:
    """Every source as ODCS of both versions that floe writes."""
    written = []
    for number, source in enumerate(SOURCES):
        for target in ("odcs", "odcs-3.2"):
            for part, result in enumerate(convert_each(source, target)):
                path = folder / f"{number:03d}-{part}-{source.name}-{target}.yaml"
                path.write_text(result.text, "utf-8")
                written.append(path)
    return written


def verdicts(peer: Path, paths: list[Path]) -> tuple[dict[str, str], str]:
    """The exit code of `datacontract lint` for each file, and all that it said."""
    # an address that leads nowhere: whatever would reach the network fails here
    offline = {**os.environ, **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")}
    asked = "\n".join(map(str, paths))
    done = subprocess.run(
        [peer, "-c", MANY], input=asked, env=offline, capture_output=True, text=True, check=False, timeout=1800
    )
    codes = dict(line.split("\t") for line in done.stderr.splitlines() if "\t" in line)
    assert len(codes) == len(paths), done.stderr[-2000:]
    return codes, done.stdout


@pytest.mark.soak
def test_datacontract_lint_passes_every_odcs_file_that_floe_writes(peer: Path, tmp_path: Path):
    codes, said = verdicts(peer, write_all(tmp_path))
    assert [Path(path).name for path, code in codes.items() if code != "0"] == [], said
    assert said.count("is valid against ODCS v3.1.0") == said.count("is valid against ODCS v3.2.0") > len(FILES) - 10


@pytest.mark.soak
def test_datacontract_lint_is_asked_in_earnest(peer: Path):
    codes, _ = verdicts(peer, NEGATIVES)
    # it lets a few of them pass, e.g. an apiVersion that does not exist
    assert list(codes.values()).count("1") > 20
