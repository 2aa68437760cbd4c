"""Bad input to the thread: a clear message with what to do, the right exit code, nothing half-written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from floe.engine.spark.session import JARS
from tests.conftest import ROOT, Run, make_lake, run_floe, run_floe_here, spark_settings

TABLE = "silver.commerce.orders_clean"
GOOD = "batches/good.parquet"


@pytest.fixture(scope="module")
def batches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made") / "batches"
    subprocess.run([sys.executable, str(ROOT / "tests/helpers/make_batches.py"), str(made)], check=True)
    return made


@pytest.fixture
def home(batches: Path, tmp_path: Path) -> Path:
    """A root with a contract and batches, where nothing ran yet."""
    make_lake(tmp_path, spark_settings(tmp_path, tmp_path), "commerce")
    shutil.copytree(batches, tmp_path / "batches")
    return tmp_path


def refuses(
    home: Path, *words: str, code: int = 2, says: tuple[str, ...], run: Run = run_floe, **environment: Any
) -> None:
    done = run(*words, cwd=home, **environment)
    assert "Traceback" not in done.stderr + done.stdout
    assert "internal error" not in done.stderr
    assert [text for text in says if text not in done.stderr] == [], done.stderr
    assert done.returncode == code, done.stderr
    assert not (home / ".floe" / "warehouse" / "silver_commerce").exists()


def test_no_java(home: Path):
    says = ("Java is not installed; Spark needs Java 17 or 21", "Install Java 17 or 21")
    refuses(home, "enforce", GOOD, TABLE, says=says, PATH="/nowhere", JAVA_HOME="")


def test_java_11(home: Path):
    java = home / "jdk11" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    says = ("Java 11 is installed", "Spark needs Java 17 or 21", "JAVA_HOME")
    refuses(home, "enforce", GOOD, TABLE, says=says, JAVA_HOME=str(home / "jdk11"))
    done = run_floe("doctor", cwd=home, JAVA_HOME=str(home / "jdk11"))
    assert done.returncode == 2
    assert "✗ java" in done.stdout


def resolver(home: Path, root: str) -> None:
    """A manifest that names Ivy settings of its own, as one with a mirror does."""
    (home / "ivy.xml").write_text(
        '<ivysettings><settings defaultResolver="mine"/><resolvers>'
        f'<ibiblio name="mine" m2compatible="true" root="{root}"/></resolvers></ivysettings>'
    )
    (home / "manifest.yaml").write_text(f"spark: {{conf: {{spark.jars.ivySettings: {home}/ivy.xml}}}}\n")


def test_no_network_for_the_jars(home: Path):
    resolver(home, "http://127.0.0.1:9/")
    says = ("could not be fetched from Maven Central", "Connect to the network once", "delta-spark_4.1_2.13-4.4.0.jar")
    refuses(home, "enforce", GOOD, TABLE, says=says, XDG_CACHE_HOME=str(home / "cache"))
    assert list((home / "cache" / "floe" / "jars").iterdir()) == []


def test_a_truncated_jar_is_told_and_fetched_again(home: Path):
    cache = home / "cache" / "floe" / "jars"
    mirror = home / "mirror"
    _fill(cache, mirror)
    victim = cache / JARS[1].file
    whole = victim.read_bytes()
    victim.write_bytes(whole[:1000])
    doctor = run_floe("doctor", cwd=home, XDG_CACHE_HOME=str(home / "cache"))
    assert "delta-storage-4.4.0.jar in" in doctor.stdout
    assert "is damaged" in doctor.stdout

    resolver(home, "http://127.0.0.1:9/")
    refuses(home, "enforce", GOOD, TABLE, says=("delta-storage-4.4.0.jar damaged",), XDG_CACHE_HOME=str(home / "cache"))
    resolver(home, f"file://{mirror}/")
    done = run_floe("enforce", GOOD, TABLE, cwd=home, XDG_CACHE_HOME=str(home / "cache"))
    assert (done.returncode, victim.read_bytes()) == (0, whole), done.stderr


def _fill(cache: Path, mirror: Path) -> None:
    """The jars as a cache and as a Maven repository, from those this machine has or fetches once."""
    from floe.actions.load.settings import load_settings
    from floe.engine.spark.session import jars

    cache.mkdir(parents=True)
    for jar, path in zip(JARS, jars(load_settings()), strict=True):
        os.link(path, cache / jar.file) if jar is not JARS[1] else shutil.copy(path, cache / jar.file)
        folder = mirror / jar.group.replace(".", "/") / jar.artifact / jar.version
        folder.mkdir(parents=True)
        os.link(path, folder / jar.file)
        pom = f"<project><modelVersion>4.0.0</modelVersion><groupId>{jar.group}</groupId>"
        pom += f"<artifactId>{jar.artifact}</artifactId><version>{jar.version}</version></project>"
        (folder / f"{jar.artifact}-{jar.version}.pom").write_text(pom)


def test_unknown_table_id(home: Path):
    says = ("FLOE-E500: Unknown contract 'silver.commerce.orders'", f"Did you mean '{TABLE}'?")
    refuses(home, "enforce", GOOD, "silver.commerce.orders", says=says)


def test_batch_file_missing(home: Path):
    refuses(home, "enforce", "no.parquet", TABLE, says=("The batch no.parquet does not exist", "Pass a Parquet file"))


def test_batch_not_parquet(home: Path):
    (home / "orders.csv").write_text("order_id\n1\n")
    refuses(home, "enforce", "orders.csv", TABLE, says=("orders.csv is not a Parquet file",))


def test_batch_cut_short(home: Path):
    data = (home / GOOD).read_bytes()
    (home / "cut.parquet").write_bytes(data[: len(data) // 2])
    refuses(home, "enforce", "cut.parquet", TABLE, says=("cut.parquet is not a Parquet file or is truncated",))


def test_batch_folder_without_parquet(home: Path):
    (home / "empty").mkdir()
    refuses(home, "enforce", "empty", TABLE, says=("The folder empty contains no Parquet file",))


def test_batch_folder_with_another_file(home: Path):
    (home / "day").mkdir()
    (home / GOOD).rename(home / "day/a.parquet")
    (home / "day/more.csv").touch()
    refuses(
        home, "enforce", "day", TABLE, says=("The folder day contains a file without the suffix .parquet: more.csv",)
    )


def test_batch_folder_of_two_partitionings(home: Path):
    (home / "day/land=DE").mkdir(parents=True)
    (home / "day/land=DE/a.parquet").write_bytes((home / GOOD).read_bytes())
    (home / GOOD).rename(home / "day/b.parquet")
    refuses(
        home, "enforce", "day", TABLE, says=("different partition columns: b.parquet and land=DE/a.parquet", "Move")
    )


@pytest.mark.spark
def test_batch_that_only_looks_like_parquet(spark, home: Path):
    (home / "odd.parquet").write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    says = ("The batch odd.parquet cannot be read as Parquet",)
    refuses(home, "enforce", "odd.parquet", TABLE, says=says, run=run_floe_here)


@pytest.mark.spark
def test_table_folder_that_is_no_table(spark, home: Path):
    (home / "folder").mkdir()
    (home / "folder" / "notes.txt").write_text("mine")
    says = ("folder exists, but it is not a Delta table", "--table")
    refuses(home, "enforce", GOOD, TABLE, "--table", "./folder", says=says, run=run_floe_here)
    assert [path.name for path in (home / "folder").iterdir()] == ["notes.txt"]
    done = run_floe("doctor", TABLE, "--table", "./folder", cwd=home)
    assert done.returncode == 2
    assert "it is not a Delta table" in done.stdout


def test_read_only_folder(home: Path):
    with read_only(home):
        refuses(
            home,
            "enforce",
            GOOD,
            TABLE,
            says=("FLOE-E542: The registry's folder", "cannot be created", "Make the folder writable"),
        )


def test_read_only_warehouse(home: Path):
    (home / "w").mkdir()
    with read_only(home / "w"):
        says = ("The warehouse", "cannot be written", "set tables.warehouse")
        refuses(home, "enforce", GOOD, TABLE, says=says, FLOE_TABLES_WAREHOUSE="w")


class read_only:  # noqa: N801  (reads as a word in a with statement)
    """A folder nobody can write, root included: bound onto itself read-only; by its mode for others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        if os.geteuid():
            self.folder.chmod(0o555)
            return
        subprocess.run(["mount", "--bind", self.folder, self.folder], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", self.folder], check=True)

    def __exit__(self, *_: object) -> None:
        if os.geteuid():
            self.folder.chmod(0o755)
        else:
            subprocess.run(["umount", self.folder], check=True)


def test_unknown_setting(home: Path):
    (home / "manifest.yaml").write_text("tables:\n  formatt: iceberg\n")
    says = (f"{home}/manifest.yaml:2:3: Unknown manifest key 'tables.formatt'", "Did you mean 'tables.format'?")
    refuses(home, "enforce", GOOD, TABLE, says=says)
    refuses(home, "runs", says=says)


def test_unknown_variable(home: Path):
    says = ("Unknown environment variable 'FLOE_TABLE_FORMAT'", "Did you mean 'FLOE_TABLES_FORMAT'?")
    refuses(home, "doctor", says=says, FLOE_TABLE_FORMAT="iceberg")


def test_a_setting_of_another_kind(home: Path):
    (home / "manifest.yaml").write_text("data_contracts:\n  enforcement: strict\n")
    says = ("'data_contracts.enforcement' is 'strict', which is not one of off, warn, alert_only, block",)
    refuses(home, "runs", says=says)


def test_manifest_that_is_no_yaml(home: Path):
    (home / "manifest.yaml").write_text("a: [1\n")
    refuses(home, "runs", says=(f"{home}/manifest.yaml:2:1: YAML cannot be parsed",))


def test_a_broken_contract_holds_nothing(home: Path):
    path = home / "contracts/silver/commerce/orders_clean.yaml"
    path.write_text(path.read_text().replace("minimum: 0", "minimum: 2000000"))
    refuses(home, "enforce", GOOD, TABLE, code=1, says=("FLOE-E508", f"{path}:56:20"))


def test_a_layer_is_never_guessed(home: Path):
    path = home / "contracts/silver/commerce/orders_clean.yaml"
    text = path.read_text().replace("    customProperties:\n      - property: layer\n        value: silver\n", "")
    (home / "mine.yaml").write_text(text.replace("    physicalName: silver.commerce.orders_clean\n", ""))
    refuses(home, "enforce", GOOD, "mine.yaml", says=("The layer of 'orders_clean' is unknown", "--layer"))


def test_a_registry_that_cannot_be_reached(home: Path):
    says = ("FLOE-E542: The registry", "cannot be used", "floe doctor")
    url = "postgresql://user:hunter2@127.0.0.1:9/floe"
    refuses(home, "enforce", GOOD, TABLE, says=says, FLOE_REGISTRY_URL=url)
    done = run_floe("doctor", cwd=home, FLOE_REGISTRY_URL=url)
    assert "hunter2" not in done.stdout + done.stderr


def test_a_registry_that_is_no_database(home: Path):
    (home / ".floe").mkdir()
    (home / ".floe" / "registry.db").write_text("this is no database, and long enough to be looked at\n" * 100)
    refuses(home, "runs", says=("FLOE-E542", "file is not a database"))


def test_looking_leaves_no_trace(home: Path):
    for words in (["runs"], ["doctor"], ["doctor", TABLE], ["lint", "contracts"]):
        run_floe(*words, cwd=home)
        assert not (home / ".floe").exists(), words


def test_wrong_words(home: Path):
    for words in (
        ["enforce"],
        ["enforce", GOOD],
        ["runs", "--limit", "x"],
        ["lint"],
        ["enforce", GOOD, TABLE, "--mode", "upsert"],
    ):
        done = run_floe(*words, cwd=home)
        assert (done.returncode, "usage: floe" in done.stderr, done.stdout) == (2, True, ""), words
    assert run_floe(cwd=home).returncode == 2
    unknown = run_floe("nothing", cwd=home)
    assert (unknown.returncode, "Unknown command 'nothing'" in unknown.stderr) == (2, True)


def test_a_mode_that_the_layer_or_the_contract_cannot_take_is_said(home: Path):
    refuses(home, "enforce", GOOD, TABLE, "--layer", "bronze", "--mode", "merge", says=("Bronze only appends",))
    refuses(
        home,
        "enforce",
        GOOD,
        TABLE,
        "--layer",
        "gold",
        "--mode",
        "merge",
        says=("Gold keeps snapshots and does not support merge",),
    )
    refuses(
        home,
        "enforce",
        GOOD,
        TABLE,
        "--mode",
        "overwrite_partition",
        says=("has no partition columns for overwrite_partition",),
    )
    refuses(home, "enforce", GOOD, GOOD, TABLE, "--batch-id", "b", says=("--batch-id is for one batch",))
