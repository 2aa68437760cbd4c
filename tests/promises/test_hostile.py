"""Nobody gets in and nothing gets out: contracts, projects and files made to do harm."""

import base64
import io
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import textwrap
import threading
import zlib
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import floe
from floe.engine.spark.session import configuration
from tests.conftest import Lake, run_floe, run_floe_here, spark_settings
from tests.helpers.orders import frame, order

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
    linted = run_floe_here("lint", "c.yaml", cwd=root)
    assert linted.returncode == 1
    assert "FLOE-E507" in linted.stdout
    assert "c.yaml:10:" in linted.stdout
    done = run_floe_here("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root)
    assert done.returncode in (1, 2)
    assert "FLOE-E507" in done.stderr + done.stdout
    assert "c.yaml:10:" in done.stderr + done.stdout
    assert has_no_pwned(root)


@pytest.mark.parametrize("words", [("--table", f"./{BREAKS_OUT}"), ("--table", "spark_catalog.default.t`x")])
def test_a_table_named_by_hand_is_held_to_the_same(tmp_path: Path, words: tuple[str, str]):
    root = project(tmp_path)
    done = run_floe_here("enforce", "b.parquet", "c.yaml", "--layer", "silver", *words, cwd=root)
    assert done.returncode == 2
    assert "FLOE-E507" in done.stderr
    assert "a backtick" in done.stderr
    assert has_no_pwned(root)


def test_a_warehouse_and_a_physical_name_are_held_to_the_same(tmp_path: Path):
    root = project(tmp_path)
    environment = {"FLOE_TABLES_WAREHOUSE": "w`x"}
    done = run_floe_here("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root, **environment)
    assert (done.returncode, "FLOE-E507" in done.stderr) == (2, True)
    contract = CONTRACT.format(more="").replace("- name: orders\n", "- name: orders\n  physicalName: ./lake/o`x\n")
    (root / "c.yaml").write_text(contract)
    done = run_floe_here("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root)
    assert (done.returncode, "FLOE-E507" in done.stderr) == (1, True)
    assert has_no_pwned(root)


@pytest.mark.spark
def test_the_table_that_the_registry_knows_is_held_to_the_same(spark, tmp_path: Path):
    """A registry is shared, so what it says about a location is not trusted more than a contract."""
    root = project(tmp_path)
    assert run_floe_here("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root).returncode == 0
    with sqlite3.connect(root / ".floe" / "registry.db") as connection:
        connection.execute("UPDATE table_registry SET location = ?", (f"{root}/{BREAKS_OUT}",))
    done = run_floe_here("enforce", "b.parquet", "c.yaml", "--layer", "silver", cwd=root)
    assert (done.returncode, "FLOE-E507" in done.stderr) == (2, True)
    assert has_no_pwned(root)


@pytest.mark.spark
def test_odd_but_harmless_paths_are_quoted_not_refused(spark, tmp_path: Path):
    from floe.lang.type_text import parse_type
    from floe.model.contract import Target
    from floe.model.types import Struct
    from floe.tables.formats import writable

    path = f'{tmp_path}/it\'s a "lake" -- [1]/* x */; t'
    schema = parse_type("struct<`a``b`:int>")
    assert isinstance(schema, Struct)
    target = Target("delta", path=path)
    writable(target).create(spark, target, schema, (), {"it's": "a `value` with ${env:HOME} -- "})
    state = writable(target).state(spark, target)
    assert [member.name for member in state.schema.members] == ["a`b"]
    assert state.properties["it's"] == "a `value` with ${env:HOME} -- "
    assert state.location == path


# --- what stands behind the check of SQL on floe's own session


def own_process(root: Path, code: str) -> str:
    """What a program prints in a Python of its own, on floe's own session with nothing set."""
    program = f"""
import sys
from floe.actions.load.settings import load_settings
from floe.engine.spark.session import own_session
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
        from floe.tables.formats import readable, writable

        rows = readable(lake.target).read(spark, lake.target)
        assert sorted(row.order_id for row in rows.collect()) == [1, 2, 3, 4]
        held = run_in_process("protect", lake.table_id, root=lake.root, monkeypatch=monkeypatch)
        assert held == 0
        assert [key for key in writable(lake.target).state(spark, lake.target).properties if "constraints" in key]
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
    done = run_floe_here(*command, cwd=root, DB_PASSWORD=SECRET)
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
    done = run_floe_here("plan", "c.yaml", cwd=root, DB_PASSWORD=SECRET)
    assert done.returncode == 2
    assert "FLOE-E506: c.yaml:13:" in done.stderr
    assert "the variable DB_PASSWORD has no value" in done.stderr
    assert "TOPSECRET" not in done.stdout + done.stderr


def test_sql_that_compares_with_a_variable_is_not_evaluated(tmp_path: Path):
    root = project(tmp_path)
    rule = "  quality: [{type: sql, query: \"select count(*) from orders where id = '${DB_PASSWORD}'\", mustBe: 0}]\n"
    contract = (root / "c.yaml").read_text().replace("  properties:\n", f"{rule}  properties:\n")
    (root / "c.yaml").write_text(contract)
    done = run_floe_here("plan", "c.yaml", cwd=root, DB_PASSWORD=SECRET)
    assert "not evaluated: its SQL contains the variable ${DB_PASSWORD}" in done.stdout
    assert "TOPSECRET" not in done.stdout + done.stderr


@pytest.mark.spark
def test_the_value_of_a_named_variable_is_used_but_neither_shown_nor_kept(spark, tmp_path: Path):
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
        done = run_floe_here(*words, cwd=root, **environment)
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
    assert re.search(r"[12] from snapshot", said)
    ((state,),) = registry.execute("SELECT state FROM verified").fetchall()
    assert b"TOPSECRET" not in zlib.decompress(base64.b64decode(state))
    shutil.rmtree(lake)
    gone = run_floe_here("test", "c.yaml", cwd=root, **environment)
    assert gone.returncode == 2
    assert "TOPSECRET" not in gone.stdout + gone.stderr
    assert "${LAKE}/orders" in gone.stdout


# --- M1: settings open doors, and no answer shows how

OPENS = {
    "spark": {
        "master": "local[1]",
        "conf": {
            "spark.hadoop.fs.azure.account.key.lake.dfs.core.windows.net": "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            "spark.hadoop.fs.azure.sas.box.lake.blob.core.windows.net": "?sv=2024&sig=SasSignature99",
            "spark.hadoop.fs.s3a.secret.key": "S3Secret99",
        },
    },
    "catalogs": {
        "rest": {
            "type": "rest",
            "uri": "https://me:UriPw99@h/x?token=UriToken99",
            "header.Authorization": "Bearer HeaderBearer99",
            "sas": "Sas99Sas99",
            "oauth2-server-uri": "https://h/t?client_secret=OauthSecret99",
        }
    },
    "lineage": {"transport": "none", "url": "https://h/?api_key=LineageKey99"},
    "alerts": [{"to": "slack://TokenA99/TokenB99/TokenC99"}],
}
WORDS = (
    *("QWxhZGRpbj", "SasSignature99", "S3Secret99", "UriPw99", "UriToken99", "HeaderBearer99", "Sas99Sas99"),
    *("OauthSecret99", "LineageKey99", "TokenB99", "QueryPw99", "UserPw99"),
)


def shown(words: tuple[str, ...], *texts: str) -> list[str]:
    return [word for word in words if any(word in text for text in texts)]


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_doctor_shows_no_secret_of_the_settings(tmp_path: Path, form: str):
    (tmp_path / "manifest.yaml").write_text(json.dumps(OPENS))
    url = "postgresql://me:UserPw99@127.0.0.1:9/x?password=QueryPw99"
    done = run_floe_here("doctor", "--format", form, cwd=tmp_path, FLOE_REGISTRY_URL=url)
    assert shown(WORDS, done.stdout, done.stderr) == []
    assert "127.0.0.1:9/x?password=***" in done.stdout  # what is no secret is still there
    assert "me:***@127.0.0.1" in done.stdout


def test_a_registry_out_of_reach_is_named_without_its_password(tmp_path: Path):
    for url in (
        "postgresql://me@127.0.0.1:9/x?password=QueryPw99",
        "postgresql://me:UserPw99@127.0.0.1:9/x",
        "postgresql://me@127.0.0.1:9/x?sslpassword=QueryPw99",
    ):
        done = run_floe("runs", cwd=tmp_path, FLOE_REGISTRY_URL=url)
        assert done.returncode == 2
        assert "FLOE-E542: The registry postgresql+psycopg://me" in done.stderr
        assert shown(WORDS, done.stdout, done.stderr) == []


def test_a_setting_of_the_wrong_type_is_refused_without_its_value(tmp_path: Path):
    (tmp_path / "manifest.yaml").write_text('registry: {url: {password: "QueryPw99"}}\n')
    done = run_floe_here("doctor", cwd=tmp_path)
    assert (done.returncode, shown(WORDS, done.stdout, done.stderr)) == (2, [])


# --- M2: what a contract holds that opens doors is refused by lint, and echoed by nothing

LEAKS = """servers:
- {server: a, type: custom, location: "jdbc:postgresql://h/d?user=u&password=JdbcPw99"}
- {server: b, type: azure, format: delta, location: "https://lake.blob.core.windows.net/box?sv=1&sig=SasSignature99SasSignature99"}
- {server: c, type: custom, location: "mongodb://me:MongoPw99@h/d"}
"""
LEAKED = ("JdbcPw99", "SasSignature99", "MongoPw99", "CustomPw99", "BearerTok99")


def leaking(root: Path) -> Path:
    project(root, LEAKS)
    more = (
        "- {property: password, value: CustomPw99}\n- {property: note, value: 'Authorization: Bearer BearerTok99xx'}\n"
    )
    (root / "c.yaml").write_text((root / "c.yaml").read_text() + more)
    return root


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "c.yaml", "--to", "html"),
        ("convert", "c.yaml", "--to", "markdown"),
        ("effective", "c.yaml"),
        ("effective", "c.yaml", "--format", "json"),
        ("lint", "c.yaml"),
        ("lint", "c.yaml", "--format", "json"),
        ("lint", "c.yaml", "--format", "sarif"),
        ("lint", "c.yaml", "--format", "junit"),
        ("plan", "c.yaml"),
        ("doctor", "c.yaml"),
        ("doctor", "c.yaml", "--server", "a"),
        ("test", "c.yaml", "--server", "c"),
        ("enforce", "b.parquet", "c.yaml", "--server", "b"),
        ("publish", "c.yaml"),
        ("impact", "c.yaml"),
    ],
)
def test_a_secret_in_a_contract_is_echoed_by_nothing(tmp_path: Path, words: tuple[str, ...]):
    root = leaking(tmp_path)
    done = run_floe_here(*words, cwd=root)
    assert done.stdout + done.stderr
    assert shown(LEAKED, done.stdout, done.stderr) == []
    kept = [name for word in LEAKED for name in files_with(root, word) if not name.endswith("c.yaml")]
    assert kept == []


def test_a_secret_in_a_contract_is_not_kept_by_compile(tmp_path: Path):
    root = leaking(tmp_path)
    (root / "floe.yaml").write_text(
        "metadata: {name: shop, domain: sales, version: 1.0.0, owner: me, repository: r}\noutput_ports: []\n"
    )
    (root / "c.yaml").rename(root / "datacontract.yaml")
    for _ in range(2):
        done = run_floe_here("compile", ".", cwd=root)
        assert "FLOE-E507" in done.stdout + done.stderr
        assert shown(LEAKED, done.stdout, done.stderr) == []
    kept = [name for word in LEAKED for name in files_with(root, word) if not name.endswith("datacontract.yaml")]
    assert kept == []


# --- M3: a contract extends nothing outside the contract root


@pytest.mark.parametrize("name", ["absolute", "dots", "link", "folder link", "id"])
@pytest.mark.parametrize("command", ["effective", "plan", "compile", "test"])
def test_what_a_contract_extends_stays_below_the_contract_root(tmp_path: Path, name: str, command: str):
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "secret.yaml").write_text(
        CONTRACT.format(more="").replace("id: orders\n", "id: parent\n").replace("name: orders\nv", "name: parent\nv")
        + "- {property: note, value: FOREIGN99}\n"
    )
    root = tmp_path / "project"
    root.mkdir()
    (root / "manifest.yaml").write_text("")
    (root / "link.yaml").symlink_to(outside / "secret.yaml")
    (root / "folder").symlink_to(outside)
    value = {
        "absolute": str(outside / "secret.yaml"),
        "dots": "../elsewhere/secret.yaml",
        "link": "link.yaml",
        "folder link": "folder/secret.yaml",
        "id": "parent",
    }[name]
    (root / "datacontract.yaml").write_text(
        CONTRACT.format(more="") + f'- {{property: extends, value: "{value}"}}\n', "utf-8"
    )
    (root / "floe.yaml").write_text(
        "metadata: {name: shop, domain: sales, version: 1.0.0, owner: me, repository: r}\noutput_ports: []\n"
    )
    words = ("compile", ".", "--enforcement", "block") if command == "compile" else (command, "datacontract.yaml")
    done = run_floe_here(*words, cwd=root)
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2) or command == "effective"  # which shows what a contract says itself
    assert "FOREIGN99" not in said
    assert ("FLOE-E516" if name == "id" else "FLOE-E507") in said
    if name != "id":
        assert re.search("leads out of the contract root|is outside the contract root|is an absolute path", said)
        assert "datacontract.yaml:15:" in said
    kept = [path for path in files_with(root, "FOREIGN99") if not path.endswith(("link.yaml", "secret.yaml"))]
    assert kept == []


def test_parents_below_the_root_are_found_by_path_link_and_id(tmp_path: Path):
    (tmp_path / "manifest.yaml").write_text("")
    (tmp_path / "tiers").mkdir()
    (tmp_path / "products").mkdir()
    (tmp_path / "tiers" / "base.yaml").write_text(
        CONTRACT.format(more="").replace("id: orders\n", "id: parent\n").replace("name: orders\nv", "name: parent\nv")
        + "- {property: note, value: OURS99}\n"
    )
    (tmp_path / "products" / "link.yaml").symlink_to(tmp_path / "tiers" / "base.yaml")
    for value in ("../tiers/base.yaml", "link.yaml", "parent"):
        child = tmp_path / "products" / "c.yaml"
        child.write_text(CONTRACT.format(more="") + f'- {{property: extends, value: "{value}"}}\n')
        done = run_floe_here("effective", "c.yaml", cwd=tmp_path / "products")
        if value == "parent":  # the link is a second file of that id
            assert "FLOE-E516" in done.stdout + done.stderr
        else:
            assert "OURS99" in done.stdout, (value, done.stdout, done.stderr)


# --- M4: nobody else on the machine reads what floe keeps


def open_to_others(folder: Path, *but: str) -> list[str]:
    found = [path for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]
    return sorted(str(path.relative_to(folder)) for path in found if not any(part in path.parts for part in but))


@pytest.mark.spark
def test_what_floe_keeps_is_readable_by_its_owner_alone(spark, tmp_path: Path):
    root = project(tmp_path)
    (root / "manifest.yaml").write_text(
        'spark: {master: "local[1]"}\nlineage: {transport: file}\ntraces: {exporter: file}\n'
        "alerts: [{to: 'json://127.0.0.1:9/x', severity: info}]\n"
    )
    run_floe("enforce", "b.parquet", "c.yaml", "--batch-id", "b", cwd=root)  # its session has a log, its end traces
    for words in (("test", "c.yaml"), ("publish", "c.yaml"), ("compile", "."), ("monitor", "check", "c.yaml")):
        run_floe_here(*words, cwd=root, FLOE_TRACES_EXPORTER="none")
    names = {path.name for path in (root / ".floe").rglob("*")}
    assert {"registry.db", "salt", "lineage.jsonl", "spark.log", "traces.jsonl"} <= names
    assert open_to_others(root / ".floe", "warehouse") == []


def test_folders_of_an_older_floe_are_closed_and_others_are_left_alone(tmp_path: Path):
    root = project(tmp_path)
    (root / ".floe").mkdir()
    (root / ".floe").chmod(0o755)
    (root / ".floe" / "registry.db").touch(0o644)
    (root / ".floe" / "registry.db").chmod(0o644)
    (root / "data").mkdir(0o755)
    (root / "data").chmod(0o755)
    assert run_floe_here("runs", cwd=root).returncode == 0
    assert open_to_others(root / ".floe") == []
    url = f"sqlite:///{root}/data/registry.db"
    assert run_floe_here("runs", cwd=root, FLOE_REGISTRY_URL=url).returncode == 0
    assert (root / "data").stat().st_mode & 0o777 == 0o755  # no folder of floe's
    if (root / "data" / "registry.db").exists():
        assert (root / "data" / "registry.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.spark
def test_a_batch_that_waits_to_be_checked_is_readable_by_its_owner_alone(spark, spark_root: Path, lake: Lake):
    from floe.system.failpoint import hooks

    found: list[set[str]] = []

    def look() -> None:
        folders = [one for root in (lake.root, spark_root) for one in root.rglob(".floe-staging") if any(one.iterdir())]
        found.append({oct(one.stat().st_mode & 0o777) for one in folders})

    hooks["staged"] = look
    try:
        floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    finally:
        hooks.clear()
    assert found == [{"0o700"}]


# --- M5: a copied project folder has tables of its own


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.spark
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_a_copied_project_never_writes_into_the_originals_tables(spark, tmp_path: Path, form: str):
    run = run_floe_here if form == "delta" else run_floe  # a session has the catalog of the project that started it
    prod, copy = tmp_path / "prod", tmp_path / "copy"
    prod.mkdir()
    project(prod)
    (prod / "manifest.yaml").write_text(f'spark: {{master: "local[1]"}}\ntables: {{format: {form}}}\n')
    words = ("enforce", "b.parquet", "c.yaml", "--mode", "merge")
    assert run(*words, cwd=prod).returncode == 0
    shutil.copytree(prod, copy)
    before = files_of(prod)
    done = run(*words, cwd=copy)
    if form == "delta":  # its path is kept from the root, so the copy has its own
        assert done.returncode == 0, done.stderr
        assert f"{copy}/.floe/warehouse/silver_sales/orders" in run("doctor", "c.yaml", cwd=copy).stdout
        with sqlite3.connect(copy / ".floe" / "registry.db") as connection:
            kept = connection.execute("SELECT location FROM table_registry").fetchall()
        assert kept == [(".floe/warehouse/silver_sales/orders",)]
    else:  # its catalog names the original's files
        assert done.returncode == 2
        assert "FLOE-E541" in done.stderr
        assert str(prod) in done.stderr
        assert str(copy) in done.stderr
        assert "--table" in done.stderr
        protected = run("protect", "c.yaml", cwd=copy)
        assert (protected.returncode, "FLOE-E541" in protected.stderr) == (2, True)
    assert files_of(prod) == before


@pytest.mark.spark
def test_a_registry_of_an_older_floe_that_names_the_originals_table_is_refused_until_it_is_said(spark, tmp_path: Path):
    prod, copy = tmp_path / "prod", tmp_path / "copy"
    prod.mkdir()
    project(prod)
    assert run_floe_here("enforce", "b.parquet", "c.yaml", cwd=prod).returncode == 0
    theirs = f"{prod}/.floe/warehouse/silver_sales/orders"
    shutil.copytree(prod, copy)
    with sqlite3.connect(copy / ".floe" / "registry.db") as connection:
        connection.execute("UPDATE table_registry SET location = ?", (theirs,))
    before = files_of(prod)
    for words in (("enforce", "b.parquet", "c.yaml", "--mode", "merge"), ("test", "c.yaml")):
        done = run_floe_here(*words, cwd=copy)
        assert done.returncode == 2
        assert "belongs to another project" in done.stderr + done.stdout
    assert files_of(prod) == before
    said = run_floe_here("enforce", "b.parquet", "c.yaml", "--mode", "merge", "--table", theirs, cwd=copy)
    assert said.returncode == 0, said.stderr
    assert files_of(prod) != before


@pytest.mark.spark
def test_a_copy_does_not_clean_up_after_a_run_of_the_original(spark, tmp_path: Path):
    """A run of the original that is alive holds a lock on its own file, not on the copy's."""
    prod, copy = tmp_path / "prod", tmp_path / "copy"
    prod.mkdir()
    project(prod)
    killed = run_floe("enforce", "b.parquet", "c.yaml", cwd=prod, FLOE_FAILPOINT="staged")
    assert killed.returncode < 0
    staged = [path for path in prod.rglob("*.parquet") if ".floe-staging" in path.parts]
    assert staged
    shutil.copytree(prod, copy)
    assert run_floe_here("enforce", "b.parquet", "c.yaml", cwd=copy).returncode == 0
    assert [path for path in staged if not path.exists()] == []


# --- L1, L2: what a rule's SQL says harms no other rule


def ruled(root: Path, *queries: str) -> Path:
    project(root)
    rules = "".join(f"  - {json.dumps({'type': 'sql', 'query': query, 'mustBe': 0})}\n" for query in queries)
    contract = (root / "c.yaml").read_text().replace("  properties:\n", f"  quality:\n{rules}  properties:\n")
    (root / "c.yaml").write_text(contract)
    return root


@pytest.mark.spark
def test_a_rule_that_names_a_word_of_floes_own_is_not_evaluated_and_the_others_are(spark, tmp_path: Path):
    queries = ("select count(*) from floe_variable", "select count(*) from `FLOE_variable` where id < 0")
    root = ruled(tmp_path, *queries, "select count(*) from orders where id < 0")
    assert run_floe_here("enforce", "b.parquet", "c.yaml", cwd=root).returncode == 0
    done = run_floe_here("test", "c.yaml", "--format", "json", cwd=root)
    (result,) = json.loads(done.stdout)["results"]
    by_id = {one["id"]: (one["outcome"], one["cause"]) for one in result["expectations"] if ":quality." in one["id"]}
    assert sorted(outcome for outcome, _ in by_id.values()) == ["not_evaluated", "not_evaluated", "pass"]
    assert [cause for _, cause in by_id.values() if cause] == [
        "its SQL cannot be run: floe_variable is a word that floe reserves"
    ] * 2


@pytest.mark.parametrize(
    ("condition", "cause"),
    [
        ("note rlike '^(a*a*a*a*a*a*a*a*a*a*)*b$'", "can hang"),
        ("regexp_replace(note, '(a+)+b', '') = ''", "can hang"),
        ("size(split(note, '(a|a)*b')) > 1", "can hang"),
        ("regexp_like(note, concat('(a+)', '+b'))", "is not a literal"),
        ("note rlike note", "is not a literal"),
        ("parse_url(note, 'QUERY', '(a+)+b') = 'x'", "can hang"),
        ("note like '%a%a%a%a%a%a%a%a%b'", "can hang"),
    ],
)
def test_a_pattern_in_sql_that_can_hang_is_refused_by_lint_and_not_evaluated(
    tmp_path: Path, condition: str, cause: str
):
    root = ruled(tmp_path, f"select count(*) from orders where {condition}", "select count(*) from orders where id < 0")
    linted = run_floe_here("lint", "c.yaml", cwd=root)
    assert linted.returncode == 1
    assert "FLOE-E507" in linted.stdout
    assert cause in linted.stdout
    planned = run_floe_here("plan", "c.yaml", cwd=root)
    assert "not evaluated: its SQL is not a single read-only query" in planned.stdout
    assert planned.stdout.count("not evaluated:") == 1


def test_patterns_in_sql_that_cannot_hang_are_read(tmp_path: Path):
    fine = ("note rlike '^[A-Z]{3}-[0-9]+$'", "size(split(note, ',')) > 1", "note like '%a%b%'", "note not like 'a_'")
    root = ruled(tmp_path, *(f"select count(*) from orders where {one}" for one in fine))
    planned = run_floe_here("plan", "c.yaml", cwd=root)
    assert planned.stdout.count("not evaluated:") == 0
    assert run_floe_here("lint", "c.yaml", cwd=root).returncode == 0


# --- L6 and §6: on a stranger's branch nothing of the manifest reaches out


class Listener:
    """Something that a manifest names; it counts who comes."""

    def __enter__(self) -> "Listener":
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.came = 0
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()
        return self

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.came += 1
            connection.close()

    def __exit__(self, *_: object) -> None:
        self.socket.close()


def strangers(root: Path, port: int) -> Path:
    """A repository whose branch holds a catalog of its own, with a table that stands on a server of the stranger's."""
    (root / "contracts").mkdir()
    (root / "contracts" / "c.yaml").write_text(CONTRACT.format(more=""))
    (root / "p").mkdir()
    (root / "p" / "floe.yaml").write_text(
        "metadata: {name: shop, domain: sales, version: 1.0.0, owner: me, repository: r}\noutput_ports: []\n"
    )
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run([*git, "init", "-q", "-b", "main"], cwd=root, check=True)
    subprocess.run([*git, "add", "."], cwd=root, check=True)
    subprocess.run([*git, "commit", "-qm", "main"], cwd=root, check=True)
    subprocess.run([*git, "checkout", "-qb", "strange"], cwd=root, check=True)
    options = {
        "type": "sql",
        "uri": "sqlite:///.floe/catalog.db",
        "warehouse": "s3://bucket/w",
        "s3.endpoint": f"http://127.0.0.1:{port}",
        "s3.access-key-id": "x",
        "s3.secret-access-key": "x",
        "s3.region": "x",
    }
    manifest = {
        "registry": {"url": f"postgresql://me@127.0.0.1:{port}/x"},
        "catalogs": {"ice": options},
        "tables": {"format": "iceberg"},
        "variables": ["DB_PASSWORD"],
        "spark": {"conf": {"spark.driver.extraJavaOptions": "-Dstrange=1"}},
        "lineage": {"transport": "http", "url": f"http://127.0.0.1:{port}/"},
        "alerts": [{"to": f"json://127.0.0.1:{port}/"}],
        "traces": {"exporter": "otlp"},
    }
    (root / "manifest.yaml").write_text(json.dumps(manifest))
    (root / ".floe").mkdir()
    with sqlite3.connect(root / ".floe" / "catalog.db") as catalog:
        catalog.execute(
            "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255), table_namespace VARCHAR(255), "
            "table_name VARCHAR(255), metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), "
            "iceberg_type VARCHAR(5), PRIMARY KEY (catalog_name, table_namespace, table_name))"
        )
        catalog.execute(
            "CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255), namespace VARCHAR(255), "
            "property_key VARCHAR(255), property_value VARCHAR(1000), "
            "PRIMARY KEY (catalog_name, namespace, property_key))"
        )
        place = "s3://bucket/w/m.metadata.json"
        catalog.execute(
            "INSERT INTO iceberg_tables VALUES ('ice', 'silver_sales', 'orders', ?, NULL, 'TABLE')", (place,)
        )
    (root / "p" / "datacontract.yaml").write_text(CONTRACT.format(more=""))
    subprocess.run([*git, "add", "-f", "."], cwd=root, check=True)
    subprocess.run([*git, "commit", "-qm", "strange"], cwd=root, check=True)
    return root


def test_ci_of_an_untrusted_branch_connects_to_nothing(tmp_path: Path):
    with Listener() as theirs:
        root = strangers(tmp_path, theirs.port)
        words = ("ci", "--changed-since", "main", "--format", "json", ".")
        done = run_floe(*words, "--untrusted", cwd=root, DB_PASSWORD=SECRET, PGPASSWORD=SECRET)
        assert theirs.came == 0
        assert done.returncode in (0, 1), done.stderr
        said = json.loads(done.stdout)
        assert "p/datacontract.yaml" in said["files"]
        assert not (root / ".floe" / "cache").exists()
        trusted = run_floe(*words, cwd=root)  # where the same is trusted, it does connect
        assert trusted.returncode in (0, 1)
        assert theirs.came > 0


@pytest.mark.parametrize("words", [("diff", "HEAD", "contracts"), ("plan", "sales.shop/orders"), ("compile", ".")])
def test_where_the_environment_says_untrusted_other_commands_connect_to_nothing(tmp_path: Path, words: tuple[str, ...]):
    with Listener() as theirs:
        root = strangers(tmp_path, theirs.port)
        run_floe(*words, cwd=root, FLOE_UNTRUSTED="1", PGPASSWORD=SECRET)
        assert theirs.came == 0


@pytest.mark.parametrize("words", [("doctor",), ("test", "p/datacontract.yaml"), ("runs",), ("publish", "contracts")])
def test_commands_that_need_a_connection_are_refused_where_it_is_untrusted(tmp_path: Path, words: tuple[str, ...]):
    with Listener() as theirs:
        root = strangers(tmp_path, theirs.port)
        done = run_floe(*words, cwd=root, FLOE_UNTRUSTED="1")
        assert done.returncode == 2
        assert "FLOE_UNTRUSTED" in done.stderr
        assert theirs.came == 0
    compared = run_floe("diff", "contracts/c.yaml", "table:s3://x/y", cwd=root, FLOE_UNTRUSTED="1")
    assert (compared.returncode, "An untrusted checkout cannot read tables" in compared.stderr) == (2, True)


def test_what_the_environment_and_the_command_say_is_trusted(tmp_path: Path):
    from floe.actions.load.settings import load_settings, untrusted

    (tmp_path / "manifest.yaml").write_text("tables: {warehouse: theirs, format: iceberg}\nvariables: [HOME]\n")
    with untrusted():
        settings = load_settings({"registry.url": "sqlite:///ours.db"}, start=tmp_path)
    assert settings.tables.warehouse == ".floe/warehouse"
    assert settings.variables == []
    assert settings.tables.format == "iceberg"  # it reaches nothing
    assert settings.registry.url == "sqlite:///ours.db"
    assert "is not trusted" in settings.origin("variables")


# --- L5: damaged bytes of the registry are said


@pytest.mark.spark
def test_flipped_bytes_in_the_registry_are_a_registry_out_of_reach(spark, tmp_path: Path):
    root = project(tmp_path)
    assert run_floe_here("publish", "c.yaml", cwd=root).returncode in (0, 1)
    assert run_floe_here("enforce", "b.parquet", "c.yaml", cwd=root).returncode == 0
    path = root / ".floe" / "registry.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")
    whole = path.read_bytes()
    from floe.cli.main import main  # in process: many are tried

    random = Random(7)
    here = Path.cwd()
    os.chdir(root)
    try:
        for _ in range(40):
            data = bytearray(whole)
            for _ in range(400):
                data[random.randrange(100, len(data))] = random.randrange(256)
            for name in ("registry.db-wal", "registry.db-shm"):
                (path.parent / name).unlink(missing_ok=True)
            path.write_bytes(bytes(data))
            for words in (["runs", "--format", "json"], ["contracts", "list"], ["doctor", "c.yaml"]):
                out = io.StringIO()
                with redirect_stderr(out), redirect_stdout(out):
                    code = main(words)
                assert code in (0, 1, 2)
                assert "internal error" not in out.getvalue(), (words, out.getvalue())
    finally:
        os.chdir(here)
