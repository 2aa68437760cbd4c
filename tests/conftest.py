"""What tests share: one Spark session per process, and a small lakehouse per test on either format."""

import gc
import hashlib
import io
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from floe.actions.load.settings import load_settings
from floe.settings import Settings
from floe.tables import storage
from tests.helpers.postgres import Postgres, make_postgres
from tests.helpers.s3_server import s3_server

# the same examples each time, so that a red run can be repeated; `make soak` draws new ones
hypothesis.settings.register_profile("test", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "test"))

ROOT = Path(__file__).parent.parent
CONTRACT = ROOT / "examples" / "lakehouse" / "contracts" / "silver" / "commerce" / "orders_clean.yaml"
FLOE = Path(sys.executable).parent / "floe"
# the quick compiler alone, which is given little room for code of its own accord: a full one is as slow as none
_JVM = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run_floe(*words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, in a process of its own."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("FLOE_")}
    return subprocess.run(
        [str(FLOE), *map(str, words)],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def run_floe_here(*words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in this process, where none of its own is what is tested: it takes the session that is there.

    As in a process of its own, no value of a variable is known yet.
    """
    from floe.cli import main
    from floe.lang import secret

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name in [name for name in os.environ if name.startswith("FLOE_")]:
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.chdir(cwd)
        patch.setattr(secret, "_revealed", {})
        secret._pattern.cache_clear()
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:  # argparse
            code = int(ended.code or 0)
        finally:
            secret._pattern.cache_clear()
            gc.enable()  # `floe lint` turns it off for the rest of its process
            gc.collect()  # as the end of a process does, it closes the registry
    said, told = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess([str(word) for word in words], code, said, told)


def run_shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A line as a reader types it, in a shell that knows the command."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("FLOE_")}
    path = f"{FLOE.parent}{os.pathsep}{clean.get('PATH', '')}"
    shell = ["bash", "-c", line]
    environment = {**clean, "PATH": path}
    return subprocess.run(shell, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(autouse=True)
def no_store_named() -> Iterator[None]:
    """What a command of one test named does not make the sessions of the next ones fetch the jars of S3."""
    yield
    storage._named_s3.clear()


# tests that remove or look at files by their local paths
on_disks = pytest.mark.skipif("STORE_UNDER_TEST" in os.environ, reason="tables are in an object store")


@pytest.fixture(scope="session")
def spark_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the session; with STORE_UNDER_TEST=s3 tables are in a local S3 service all the while."""
    root = tmp_path_factory.mktemp("spark")
    if os.environ.get("STORE_UNDER_TEST") != "s3":
        yield root
        return
    with s3_server(tmp_path_factory.mktemp("s3")) as s3, pytest.MonkeyPatch.context() as environment:
        for name, value in {**s3.variables, "AWS_ALLOW_HTTP": "true"}.items():  # which deltalake by itself asks for
            environment.setenv(name, value)
        yield root


def spark_settings(spark_root: Path, root: Path, **given: object) -> Settings:
    """Settings of a root of its own whose Iceberg catalog is the session's."""
    on_s3 = os.environ.get("STORE_UNDER_TEST") == "s3"
    warehouse = "s3://lake/ice" if on_s3 else str(spark_root)
    if on_s3:
        given.setdefault(
            "tables.warehouse", f"s3://lake/{root.name}-{hashlib.sha256(str(root).encode()).hexdigest()[:8]}"
        )
    shared = {
        "catalogs": {"ice": {"type": "sql", "uri": f"sqlite:///{spark_root}/catalog.db", "warehouse": warehouse}},
        "spark.master": "local[2]",
        "spark.conf": {
            "spark.driver.extraJavaOptions": _JVM,
            "spark.sql.shuffle.partitions": "4",
            # tests write to tables by path as others do, who have Spark's default; tests/promises/test_hostile.py has floe's
            "spark.sql.runSQLOnFiles": "true",
        },
    }
    return load_settings({**shared, **given}, start=root)


@pytest.fixture(scope="session")
def spark(spark_root: Path) -> Iterator:
    from floe.engine.spark.session import own_session

    session = own_session(spark_settings(spark_root, spark_root))
    yield session
    session.stop()


@dataclass
class Lake:
    """A contract root with the demo's contract under a domain of its own."""

    root: Path
    settings: Settings
    table_id: str
    format: str

    @property
    def target(self):
        from floe.actions.load.find import find_contract
        from floe.registry import open_store
        from floe.tables.locate import TableSelector, find_target

        known = open_store(self.settings.registry.url, self.root).table(self.table_id)
        return find_target(self.settings, *find_contract(self.table_id, self.settings), TableSelector(), known)

    def state(self) -> tuple:
        """The table as its own log describes it, read without Spark, and every file below it."""
        from floe.tables import probe

        facts = probe(self.target, self.settings)
        if facts is None:
            return (None, None, ())
        return facts.snapshot, facts.metadata, tuple(file.place for file in storage.files_below(facts.location))

    @property
    def staged(self) -> list[str]:
        """The files of runs that stage a batch beside the table, or are on record there; of those below it, bad rows."""
        from floe.tables import probe

        facts = probe(self.target, self.settings)
        location = facts.location if facts else str(self.target.path)
        beside = storage.files_below(storage.join(storage.parent(location), ".floe-staging"))
        below = [file for file in storage.files_below(location) if "/floe_ok=false/" in file.place]
        return [file.place for file in (*beside, *below)]

    def contract(self, old: str = "", new: str = "") -> Path:
        """The contract's file, with a text replaced."""
        path = self.root / "contracts" / Path(*self.table_id.split(".")).with_suffix(".yaml")
        if old:
            text = path.read_text()
            assert old in text
            path.write_text(text.replace(old, new))
        return path


def make_lake(root: Path, settings: Settings, domain: str) -> Lake:
    """Lay out a root with the demo's contract in it."""
    path = root / "contracts" / "silver" / domain / "orders_clean.yaml"
    path.parent.mkdir(parents=True)
    shutil.copy(CONTRACT, path)
    text = path.read_text()
    path.write_text(
        text.replace("silver.commerce.", f"silver.{domain}.").replace("domain: commerce", f"domain: {domain}")
    )
    return Lake(root, settings, f"silver.{domain}.orders_clean", settings.tables.format)


@pytest.fixture(params=["delta", "iceberg"])
def lake(request: pytest.FixtureRequest, spark, spark_root: Path, tmp_path: Path) -> Lake:
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": request.param})
    domain = f"d{uuid.uuid4().hex[:12]}"
    return make_lake(tmp_path, settings, domain)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    server = make_postgres()
    yield server
    server.stop("immediate")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the registry run on both databases; what only uses a registry runs on PostgreSQL in `make soak`."""
    for item in items:
        own = item.path.is_relative_to(ROOT / "tests" / "registry")
        parameters = getattr(item, "callspec", None)
        if not own and parameters and parameters.params.get("registry_url") == "postgresql":
            item.add_marker("soak")


@pytest.fixture(params=["sqlite", "postgresql"])
def registry_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty registry of either database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/registry.db"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()
