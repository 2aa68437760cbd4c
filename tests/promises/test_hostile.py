"""Nobody gets in and nothing gets out: contracts, projects and files made to do harm."""

import base64
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import floe
from floe.data.spark.session import configuration
from tests.conftest import Lake, run_floe, spark_settings
from tests.orders import frame, order

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 1.0.0
status: active
domain: sales
dataProduct: shop
{more}schema:
- name: orders
  properties:
  - {{name: id, physicalType: bigint, logicalType: integer, required: true, primaryKey: true}}
customProperties:
- {{property: layer, value: silver}}
"""
# ends the quoted path, then lets the statement run a shell command
BREAKS_OUT = "lake/t` USING delta AS SELECT TRANSFORM(1) USING 'sh -c id>PWNED' AS (x STRING) -- "


def project(root: Path, more: str = "") -> Path:
    """A folder with a contract and a batch."""
    (root / "manifest.yaml").write_text('spark: {master: "local[1]"}\n')
    (root / "c.yaml").write_text(CONTRACT.format(more=more))
    pq.write_table(pa.table({"id": pa.array([1, 2, 4], pa.int64())}), root / "b.parquet")
    return root


def server(path: str, key: str = "path", kind: str = "local") -> str:
    return f'servers:\n- {{server: lake, type: {kind}, format: delta, {key}: "{path}"}}\n'


def has_no_pwned(root: Path) -> bool:
    return not [path for path in root.rglob("*") if path.name.startswith("PWNED")]


# --- C1: a contract's text never ends a name in SQL


@pytest.mark.parametrize(
    "more",
    [
        server(BREAKS_OUT),
        server(BREAKS_OUT, key="location", kind="custom"),
        server("lake/a\\nb"),
        server("${env:HOME}/lake"),
    ],
)
def test_a_contract_whose_path_leaves_its_quotes_is_refused_with_its_place(tmp_path: Path, more: str):
    root = project(tmp_path, more)
    linted = run_floe("lint", "c.yaml", cwd=root)
    assert linted.returncode == 1
    assert "FLOE-E507" in linted.stdout
    assert "c.yaml:10:" in linted.stdout
    done = run_floe("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root)
    assert done.returncode in (1, 2)
    assert "FLOE-E507" in done.stderr + done.stdout
    assert "c.yaml:10:" in done.stderr + done.stdout
    assert has_no_pwned(root)


@pytest.mark.parametrize("words", [("--table", f"./{BREAKS_OUT}"), ("--table", "spark_catalog.default.t`x")])
def test_a_table_named_by_hand_is_held_to_the_same(tmp_path: Path, words: tuple[str, str]):
    root = project(tmp_path)
    done = run_floe("enforce", "b.parquet", "c.yaml", "--layer", "silver", *words, cwd=root)
    assert done.returncode == 2
    assert "FLOE-E507" in done.stderr
    assert "a backtick" in done.stderr
    assert has_no_pwned(root)


def test_a_warehouse_and_a_physical_name_are_held_to_the_same(tmp_path: Path):
    root = project(tmp_path)
    environment = {"FLOE_TABLES_WAREHOUSE": "w`x"}
    done = run_floe("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root, **environment)
    assert (done.returncode, "FLOE-E507" in done.stderr) == (2, True)
    contract = CONTRACT.format(more="").replace("- name: orders\n", "- name: orders\n  physicalName: ./lake/o`x\n")
    (root / "c.yaml").write_text(contract)
    done = run_floe("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root)
    assert (done.returncode, "FLOE-E507" in done.stderr) == (1, True)
    assert has_no_pwned(root)


def test_the_table_that_the_registry_knows_is_held_to_the_same(tmp_path: Path):
    """A registry is shared, so what it says about a location is not trusted more than a contract."""
    root = project(tmp_path)
    assert run_floe("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root).returncode == 0
    with sqlite3.connect(root / ".floe" / "registry.db") as connection:
        connection.execute("UPDATE table_registry SET location = ?", (f"{root}/{BREAKS_OUT}",))
    done = run_floe("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root)
    assert (done.returncode, "FLOE-E507" in done.stderr) == (2, True)
    assert has_no_pwned(root)


@pytest.mark.spark
def test_odd_but_harmless_paths_are_quoted_not_refused(spark, tmp_path: Path):
    from floe.data.spark.write import TABLES
    from floe.model.table import Target
    from floe.model.type_text import parse_type
    from floe.model.types import Struct

    path = f'{tmp_path}/it\'s a "lake" -- [1]/* x */; t'
    schema = parse_type("struct<`a``b`:int>")
    assert isinstance(schema, Struct)
    target = Target("delta", path=path)
    TABLES["delta"].create(spark, target, schema, (), {"it's": "a `value` with ${env:HOME} -- "})
    state = TABLES["delta"].state(spark, target)
    assert [member.name for member in state.schema.members] == ["a`b"]
    assert state.properties["it's"] == "a `value` with ${env:HOME} -- "
    assert state.location == path


# --- what stands behind the check of SQL on floe's own session


def own_process(root: Path, code: str) -> str:
    """What a program prints in a Python of its own, on floe's own session with nothing set."""
    program = f"""
import sys
from floe.actions.settings import load_settings
from floe.data.spark.session import own_session
spark = own_session(load_settings({{"spark.master": "local[1]"}}))
def said(statement):
    try:
        return str(spark.sql(statement).collect())
    except Exception as error:
        return str(error).splitlines()[0]
{textwrap.dedent(code)}
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout


def test_floes_own_session_runs_no_shell_command_no_reflection_and_no_file_by_path(tmp_path: Path):
    (tmp_path / "secret.csv").write_text("hunter2\n")
    out = own_process(
        tmp_path,
        f"""
        print(spark.conf.get("spark.sql.runSQLOnFiles"), spark.conf.get("spark.sql.ansi.enabled"))
        print(said("SELECT TRANSFORM(1) USING 'touch PWNED' AS (x STRING)"))
        print(said("CREATE TABLE t USING parquet AS SELECT TRANSFORM(1) USING 'touch PWNED2' AS (x STRING)"))
        for name in ("reflect", "java_method", "try_reflect"):
            print(said(f"SELECT {{name}}('java.lang.System', 'getProperty', 'user.name')"))
        print(said("SELECT * FROM csv.`{tmp_path}/secret.csv`"))
        print(said("SELECT 1 AS `${{env:HOME}}`"))
        other = spark.newSession()
        spark = other
        print(said("SELECT TRANSFORM(1) USING 'touch PWNED3' AS (x STRING)"))
        print(said("SELECT reflect('java.lang.System', 'getProperty', 'user.name')"))
        """,
    ).splitlines()
    assert out[0] == "false true"
    assert [line for line in (*out[1:3], out[8]) if "floe's session runs no TRANSFORM" not in line] == []
    assert [line for line in (*out[3:6], out[9]) if "floe's session runs no" not in line] == []
    assert "hunter2" not in out[6]
    assert "TABLE_OR_VIEW_NOT_FOUND" in out[6]
    assert out[7] == "[Row(${env:HOME}=1)]"
    assert has_no_pwned(tmp_path)


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["delta"], indirect=True)
def test_every_way_to_write_a_table_by_path_works_where_sql_names_no_path(spark, lake: Lake, monkeypatch):
    """The gate, merges, quarantine and protection, on a session with runSQLOnFiles=false as floe's own has it."""
    assert configuration(spark_settings(lake.root, lake.root), [])["spark.sql.runSQLOnFiles"] == "true"  # tests' own
    spark.conf.set("spark.sql.runSQLOnFiles", "false")
    try:
        floe.enforce(frame(spark, order(1), order(2)), lake.table_id, settings=lake.settings)
        floe.enforce(frame(spark, order(3)), lake.table_id, settings=lake.settings)
        merged = floe.enforce(frame(spark, order(2), order(4)), lake.table_id, "merge", settings=lake.settings)
        assert merged.written == 2
        from floe.data.spark.write import TABLES

        rows = TABLES["delta"].read(spark, lake.target)
        assert sorted(row.order_id for row in rows.collect()) == [1, 2, 3, 4]
        held = run_in_process("protect", lake.table_id, root=lake.root, monkeypatch=monkeypatch)
        assert held == 0
        assert [key for key in TABLES["delta"].state(spark, lake.target).properties if "constraints" in key]
        assert run_in_process("unprotect", lake.table_id, root=lake.root, monkeypatch=monkeypatch) == 0
    finally:
        spark.conf.set("spark.sql.runSQLOnFiles", "true")


def run_in_process(*words: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    from floe.cli.main import main

    monkeypatch.chdir(root)
    return main(list(words))


# --- H1: a contract reads no variable but those that the manifest names, for servers alone; no value is shown or kept

SECRET = "hunter2-TOPSECRET"
TAKES = """support:
- {{channel: "x ${{DB_PASSWORD}}"}}
servers:
- {{server: lake, type: local, format: delta, path: "{path}"}}
"""


def files_with(root: Path, word: str) -> list[str]:
    return [str(path) for path in root.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


@pytest.mark.parametrize("command", [("plan", "c.yaml"), ("test", "c.yaml"), ("doctor", "c.yaml")])
def test_a_contract_reads_no_variable_that_the_manifest_does_not_name(tmp_path: Path, command: tuple[str, ...]):
    root = project(tmp_path, TAKES.format(path="lake/${DB_PASSWORD}"))
    done = run_floe(*command, cwd=root, DB_PASSWORD=SECRET)
    assert done.returncode == 2
    assert "TOPSECRET" not in done.stdout + done.stderr
    assert "c.yaml:12:" in done.stdout + done.stderr
    assert "variables: [DB_PASSWORD]" in done.stdout + done.stderr
    assert files_with(root, "TOPSECRET") == []


@pytest.mark.parametrize(
    "field",
    [
        'logicalTypeOptions: {pattern: "^${DB_PASSWORD}"}',
        'logicalTypeOptions: {maxLength: "${DB_PASSWORD}"}',
        'quality: [{metric: invalidValues, arguments: {validValues: ["${DB_PASSWORD}"]}, mustBe: 0}]',
    ],
)
def test_a_promise_with_a_variable_is_refused_not_forgotten(tmp_path: Path, field: str):
    root = project(tmp_path)
    more = f"  - {{name: note, physicalType: string, logicalType: string, {field}}}\n"
    contract = (root / "c.yaml").read_text().replace("customProperties:\n", f"{more}customProperties:\n", 1)
    (root / "c.yaml").write_text(contract)
    done = run_floe("plan", "c.yaml", cwd=root, DB_PASSWORD=SECRET)
    assert done.returncode == 2
    assert "FLOE-E506: c.yaml:13:" in done.stderr
    assert "the variable DB_PASSWORD has no value here" in done.stderr
    assert "TOPSECRET" not in done.stdout + done.stderr


def test_sql_that_compares_with_a_variable_is_not_evaluated(tmp_path: Path):
    root = project(tmp_path)
    rule = "  quality: [{type: sql, query: \"select count(*) from orders where id = '${DB_PASSWORD}'\", mustBe: 0}]\n"
    contract = (root / "c.yaml").read_text().replace("  properties:\n", f"{rule}  properties:\n")
    (root / "c.yaml").write_text(contract)
    done = run_floe("plan", "c.yaml", cwd=root, DB_PASSWORD=SECRET)
    assert "not evaluated: its SQL holds the variable ${DB_PASSWORD}" in done.stdout
    assert "TOPSECRET" not in done.stdout + done.stderr


def test_the_value_of_a_named_variable_is_used_but_neither_shown_nor_kept(tmp_path: Path):
    """Every answer of a gate and a test, the registry, lineage, caches and notifications, on a path of a variable."""
    lake = tmp_path / "elsewhere" / SECRET
    root = tmp_path / "project"
    root.mkdir()
    project(root, TAKES.format(path="${LAKE}/{table}"))
    (root / "manifest.yaml").write_text(
        'spark: {master: "local[1]"}\nvariables: [LAKE]\nlineage: {transport: file}\ntables: {staging: ""}\n'
    )
    environment = {"LAKE": str(lake), "DB_PASSWORD": "neverread"}
    said = ""
    for words in (
        ("enforce", "b.parquet", "c.yaml", "--format", "json"),
        ("enforce", "b.parquet", "c.yaml", "--mode", "merge", "--batch-id", "b2"),
        ("test", "c.yaml"),
        ("test", "c.yaml", "--format", "html"),
        ("test", "c.yaml", "--format", "json"),
        ("doctor", "c.yaml"),
        ("plan", "c.yaml"),
        ("test", "c.yaml"),
        ("monitor", "check", "c.yaml"),
        ("runs", "--format", "json"),
    ):
        done = run_floe(*words, cwd=root, **environment)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        said += done.stdout + done.stderr
    assert (lake / "orders" / "_delta_log").is_dir()
    assert "TOPSECRET" not in said
    assert "${LAKE}/orders" in said
    assert "neverread" not in said
    kept = [name for name in files_with(root, "TOPSECRET") if not name.endswith("spark.log")]
    assert kept == []
    registry = sqlite3.connect(root / ".floe" / "registry.db")
    assert registry.execute("SELECT location FROM table_registry").fetchall() == [("${LAKE}/orders",)]
    # what earlier runs measured is found again, and its compressed text holds no value either
    assert re.search(r"[12] remembered of snapshot", said)
    ((state,),) = registry.execute("SELECT state FROM verified").fetchall()
    assert b"TOPSECRET" not in zlib.decompress(base64.b64decode(state))
    shutil.rmtree(lake)
    gone = run_floe("test", "c.yaml", cwd=root, **environment)
    assert gone.returncode == 2
    assert "TOPSECRET" not in gone.stdout + gone.stderr
    assert "${LAKE}/orders" in gone.stdout
