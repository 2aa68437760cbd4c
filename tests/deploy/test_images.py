"""deploy/Dockerfile by its text; hadolint reads it in test_tools.py, and no test builds it."""

import fnmatch
import importlib.util
import re
import shutil
from pathlib import Path

from tests.conftest import ROOT
from tests.helpers.deploying import DEPLOY, accepted

TEXT = (DEPLOY / "Dockerfile").read_text()
INSTRUCTIONS = [
    (line.split(maxsplit=1)[0], line.split(maxsplit=1)[1])
    for line in re.sub(r"\\\n\s*", "", TEXT).splitlines()
    if line and not line.startswith("#")
]


def stages() -> dict[str, list[tuple[str, str]]]:
    """The instructions of each stage, with its FROM first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for word, rest in INSTRUCTIONS:
        if word == "FROM":
            name = rest.split()[-1]
            found[name] = []
        if found:
            found[name].append((word, rest))
    return found


def test_base_images_are_pinned_to_a_whole_version():
    (default,) = [rest.removeprefix("PYTHON=") for word, rest in INSTRUCTIONS if word == "ARG"]
    assert re.fullmatch(r"3\.11\.\d+-slim-bookworm", default)
    known = set(stages())
    for name, ((_, base), *_) in stages().items():
        assert base.split()[0] in (known - {name}) | {"python:${PYTHON}"}


def test_images_run_as_a_fixed_user_who_is_not_root():
    for name in ("slim", "spark"):
        assert stages()[name][-1] == ("USER", "10001:10001")


def test_nothing_is_fetched_but_by_package_managers():
    assert "ADD" not in {word for word, _ in INSTRUCTIONS}
    assert not re.search(r"https?://(?!127\.0\.0\.1)", TEXT)
    installs = re.findall(r"pip [^&\n]*install[^&\n]*", TEXT)
    assert installs
    assert all("--require-hashes" in line or "--no-index" in line for line in installs)


def test_what_is_copied_exists_and_is_not_ignored():
    kept = [line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[0] == "!"]
    for word, rest in INSTRUCTIONS:
        if word != "COPY" or rest.startswith("--from"):
            continue
        for source in rest.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert any(fnmatch.fnmatch(source, pattern) for pattern in kept), source


def test_the_health_check_asks_the_port_of_the_server():
    assert f"HEALTH_URL=http://127.0.0.1:{accepted(['serve', 'features', 'x']).port}/health" in TEXT


def test_the_pins_of_images_are_those_that_the_tool_writes(tmp_path: Path, monkeypatch):
    spec = importlib.util.spec_from_file_location("hashes", ROOT / "tools" / "hashes.py")
    assert spec
    assert spec.loader
    hashes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hashes)
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    (tmp_path / "deploy").mkdir()
    monkeypatch.setattr(hashes, "PINS", tmp_path / "requirements.txt")
    hashes.write_parts((ROOT / "requirements.txt").read_text().rstrip("\n"))
    for name in ("requirements-action.txt", "deploy/requirements-slim.txt", "deploy/requirements-spark.txt"):
        assert (tmp_path / name).read_text() == (ROOT / name).read_text(), name
    slim = (DEPLOY / "requirements-slim.txt").read_text()
    assert "\ndeltalake==" in slim
    assert "\npyspark==" not in slim
