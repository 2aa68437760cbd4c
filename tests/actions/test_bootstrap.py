"""`floe bootstrap`: what a first contract says of a table, and what it leaves to a person."""

import re
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from deltalake import write_deltalake
from pyarrow import parquet as pq
from pyiceberg.catalog import load_catalog

import floe
from floe.actions.lint import lint
from floe.actions.load.settings import load_settings
from floe.contract.formats import canonical, read
from floe.model import FloeError, Severity
from floe.settings import Settings
from tests.conftest import run_floe, run_floe_here
from tests.helpers.bootstrap import EMOJI, SCHEMA, fields, row, rows

NO_JAVA = {"PATH": "/nowhere", "JAVA_HOME": ""}


def settings_in(folder: Path) -> Settings:
    catalog = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": str(folder / "ice")}
    return load_settings({"catalogs": {"ice": catalog}}, start=folder)


def written(folder: Path, form: str, data: pa.Table, name: str = "orders") -> str:
    """A table of a format, by the name that floe takes."""
    if form == "delta":
        write_deltalake(str(folder / name), data)
        return str(folder / name)
    if form == "parquet":
        (folder / name).mkdir()
        pq.write_table(data.slice(0, 5), folder / name / "a.parquet")
        pq.write_table(data.slice(5), folder / name / "b.parquet")
        return str(folder / name)
    catalog = load_catalog("ice", **settings_in(folder).catalogs["ice"])
    catalog.create_namespace_if_not_exists("shop")
    catalog.create_table(f"shop.{name}", data.schema).append(data)
    return f"ice.shop.{name}"


def unmarked(text: str) -> str:
    return re.sub(r"^( *)#\? ", r"\1", text, flags=re.MULTILINE)


TYPES = {
    "order_id": "bigint",
    "customer_email": "string",
    "status": "string",
    "amount": "decimal(9,2)",
    "day": "date",
    "ts": "timestamp",
    "ntz": "timestamp_ntz",
    "score": "double",
    "nothing": "string",
    "blob": "binary",
    "attrs": "map<string,int>",
    "odd.name": "int",
    "my col": "string",
    EMOJI: "boolean",
}


@pytest.mark.parametrize("form", ["delta", "iceberg", "parquet"])
def test_a_contract_says_what_the_table_says_and_proposes_the_rest(form: str, tmp_path: Path):
    source, settings = written(tmp_path, form, rows()), settings_in(tmp_path)
    text = floe.bootstrap(source, settings=settings).text
    found = fields(text)
    assert {name: one["physicalType"] for name, one in found.items() if "physicalType" in one} == TYPES
    assert [part["name"] for part in found["who"]["properties"]] == ["first name", "a.b"]
    sure = set() if form == "parquet" else {"order_id"}  # what one file forbids, the next may hold
    assert {name for name, one in found.items() if one.get("required")} == sure
    assert not any("primaryKey" in one or "quality" in one or "logicalTypeOptions" in one for one in found.values())
    assert {name for name, one in found.items() if one.get("classification") == "pii"} == {"customer_email"}
    assert found["who"]["properties"][0]["classification"] == "pii"
    assert "example.org" not in text
    proposed = fields(unmarked(text))
    assert proposed["order_id"]["primaryKey"] is True
    assert proposed["status"]["quality"][0]["arguments"] == {"validValues": ["it's", "no", "paid"]}
    assert proposed["amount"]["logicalTypeOptions"] == {"minimum": 0.25, "maximum": 2}
    assert proposed["day"]["logicalTypeOptions"] == {"minimum": "2026-01-01"}
    assert proposed["ts"]["logicalTypeOptions"] == {"minimum": "2026-01-01T01:02:03.456789Z"}
    assert proposed["ntz"]["logicalTypeOptions"] == {"minimum": "2026-01-01T01:02:03.456789"}
    assert proposed["score"]["logicalTypeOptions"] == {"minimum": 0.1, "maximum": 0.8}
    assert {name for name, one in proposed.items() if not one.get("required")} == {"nothing", "my col"}
    assert "# null in every row" in text
    assert text == floe.bootstrap(source, settings=settings).text
    accepted = floe.bootstrap(source, settings=settings, accept_observed=True).text
    assert "#?" not in accepted
    (one, _), (other, _) = read(unmarked(text), "a"), read(accepted, "b")
    assert one
    assert other
    assert canonical.differences(one, other) == []
    for written_text in (text, accepted, unmarked(text)):
        assert [f.message for f in lint(written_text).findings if f.severity > Severity.INFO] == []


def test_what_only_some_rows_show_is_never_promised(tmp_path: Path):
    source = written(tmp_path, "delta", rows(row(9, status="late", amount=Decimal(9999), customer_email=None)))
    text = floe.bootstrap(source, rows=6, accept_observed=True).text
    found = fields(text)
    assert "The first 6 of 9 rows were read" in text
    assert "primaryKey" not in found["order_id"]
    assert "quality" not in found["status"]
    assert "#? primaryKey: true" in text
    assert found["status"]["required"] is True  # by the statistics of all files
    assert found["amount"]["logicalTypeOptions"]["maximum"] == 9999  # likewise
    assert "logicalTypeOptions" not in found["score"]  # floats leave NaN out of their bounds
    assert "required" not in found["customer_email"]


def test_no_rows_at_all_still_give_what_statistics_prove(tmp_path: Path):
    text = floe.bootstrap(written(tmp_path, "iceberg", rows()), settings=settings_in(tmp_path), rows=0).text
    assert "No rows were read" in text
    assert fields(unmarked(text))["amount"]["logicalTypeOptions"] == {"minimum": 0.25, "maximum": 2}


@pytest.mark.parametrize("form", ["delta", "iceberg", "parquet"])
def test_an_empty_table_promises_its_columns_alone(form: str, tmp_path: Path):
    text = floe.bootstrap(written(tmp_path, form, rows().slice(0, 0)), settings=settings_in(tmp_path)).text
    assert "The table has no rows" in text
    assert "#?" not in text
    assert len(fields(text)) == len(SCHEMA)


def test_a_key_of_two_columns_is_found_where_one_alone_repeats(tmp_path: Path):
    data = pa.table({"order_id": [1, 1, 2, 2], "line_no": [1, 2, 1, 2], "note": ["a", "b", "c", "c"]})
    found = fields(floe.bootstrap(written(tmp_path, "delta", data), accept_observed=True).text)
    assert {name: one.get("primaryKeyPosition") for name, one in found.items()} == {
        "order_id": 1,
        "line_no": 2,
        "note": None,
    }


def test_numbers_that_are_none_and_files_that_disagree_have_no_bounds_and_no_type(tmp_path: Path):
    nanos = pa.array([1, 2], pa.timestamp("ns"))
    pq.write_table(pa.table({"x": [1.0, float("nan")], "y": [1, 2], "ns": nanos}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": ["a", "b"], "ns": nanos}), tmp_path / "b.parquet")
    text = floe.bootstrap(tmp_path).text
    assert "minimum" not in text
    assert fields(unmarked(text))["y"] == {"name": "y"}
    assert fields(unmarked(text))["ns"] == {"name": "ns"}
    assert "# the files contain bigint or string" in text


def test_partitions_are_the_tables_own(tmp_path: Path):
    data = pa.table({"id": [1, 2, 3], "region": ["eu", "eu", "us"], "n": [1, None, 3]})
    write_deltalake(str(tmp_path / "d"), data, partition_by="region")
    pq.write_to_dataset(data, tmp_path / "p", partition_cols=["region"])
    for folder in ("d", "p"):
        found = fields(floe.bootstrap(tmp_path / folder, accept_observed=True).text)
        assert (found["region"]["partitioned"], found["region"]["partitionKeyPosition"]) == (True, 1)
        assert found["region"]["required"] is True
        assert "required" not in found["n"]


def test_a_namespace_and_a_folder_of_tables_make_one_contract_each(tmp_path: Path):
    settings = settings_in(tmp_path)
    for name in ("orders", "items"):
        written(tmp_path, "iceberg", rows(), name)
    (tmp_path / "manifest.yaml").write_text(yaml.safe_dump({"catalogs": settings.catalogs}))
    (tmp_path / "out").mkdir()
    done = run_floe("bootstrap", "ice.shop", "-o", "out", cwd=tmp_path, **NO_JAVA)
    assert (done.returncode, done.stdout) == (0, "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["items.yaml", "orders.yaml"]
    again = run_floe_here("bootstrap", "ice.shop", "-o", "out", cwd=tmp_path)
    assert (again.returncode, "already exists" in again.stderr) == (2, True)
    assert run_floe_here("bootstrap", "ice.shop", "-o", "out", "--force", cwd=tmp_path).returncode == 0
    printed = run_floe_here("bootstrap", "ice/shop", cwd=tmp_path)
    assert (printed.returncode, "contains 2 contracts: items, orders" in printed.stderr) == (2, True)
    # the contract names its table, and metadata alone proves what the table itself says
    judged = run_floe("test", "out/orders.yaml", cwd=tmp_path, **NO_JAVA)
    assert (judged.returncode, judged.stderr) == (0, "")


def test_a_table_where_its_table_id_is_looked_for_gets_that_id(tmp_path: Path):
    (tmp_path / "manifest.yaml").write_text("{}\n")
    write_deltalake(str(tmp_path / ".floe/warehouse/silver_sales/orders"), rows())
    done = run_floe("bootstrap", ".floe/warehouse/silver_sales/orders", "-o", "o.yaml", cwd=tmp_path)
    assert done.returncode == 0
    said = yaml.safe_load((tmp_path / "o.yaml").read_text())
    assert (said["domain"], said["schema"][0]["physicalName"], "servers" in said) == (
        "sales",
        "silver.sales.orders",
        False,
    )
    assert run_floe("test", "o.yaml", cwd=tmp_path, **NO_JAVA).returncode == 0


def test_sql_gives_keys_and_types_and_guesses(tmp_path: Path):
    ddl = "CREATE TABLE orders (\n  id BIGINT PRIMARY KEY, email VARCHAR(50) NOT NULL, day DATE)"
    found = fields(floe.bootstrap(ddl, dialect="postgres").text)
    assert found["id"]["primaryKey"] is True
    assert (found["email"]["physicalType"], found["email"]["classification"]) == ("varchar(50)", "pii")
    (tmp_path / "orders.sql").write_text(ddl)
    done = run_floe_here("bootstrap", "orders.sql", "--domain", "shop", "--product", "web", cwd=tmp_path)
    assert done.returncode == 0
    assert [f.message for f in lint(done.stdout).findings] == []


def test_labels_that_the_platform_does_not_know_are_not_written(tmp_path: Path):
    settings = load_settings({"classifications": ["open", "closed"]}, start=tmp_path)
    text = floe.bootstrap(written(tmp_path, "delta", rows()), settings=settings).text
    assert "classification:" not in text
    assert "# its name looks like pii" in text


BAD = [
    ("nope", "nope does not exist"),
    ("no.sql", "no.sql does not exist"),
    ("./nope/t", "./nope/t does not exist"),
    ("void", "void contains no Delta, Iceberg or Parquet table"),
    ("cut.parquet", "cut.parquet cannot be read"),
    ("cut.sql", "has no CREATE TABLE"),
    ("a.b.c", "No catalog is called 'a'"),
    ("ice", "'ice' is a catalog"),
    ("x" * 5000, "x does not exist"),
    ("ice.none", "has no table or namespace none"),
    ("ice.bare", "The namespace ice.bare has no tables"),
    ("ice.bare.orders", "has no table or namespace bare.orders"),
    ("c.yaml", "c.yaml is already a contract"),
]


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("bad")
    (home / "void").mkdir()
    (home / "void" / "readme.txt").write_text("nothing")
    (home / "cut.parquet").write_bytes(b"PAR1 cut")
    (home / "cut.sql").write_text("SELECT 1")
    (home / "c.yaml").write_text("apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n")
    catalog = settings_in(home).catalogs["ice"]
    load_catalog("ice", **catalog).create_namespace("bare")
    (home / "manifest.yaml").write_text(yaml.safe_dump({"catalogs": {"ice": catalog}}))
    return home


@pytest.mark.parametrize(("source", "words"), BAD, ids=[source[:20] for source, _ in BAD])
def test_what_is_no_source_is_said_in_one_line(source: str, words: str, bad: Path):
    done = run_floe("bootstrap", source, cwd=bad, **NO_JAVA)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Suggestion:" in done.stderr
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr


OPEN = """# ours
apiVersion: v3.1.0
kind: DataContract
id: urn:x
name: orders
version: 1.0.0
status: active
schema:
  - name: orders
    properties:
      - name: order_id  # the key
        logicalType: integer   # whole
        # never null
        required: true
      - {name: amount, logicalType: number, required: true}
      - name: status
        physicalType: string
      - name: day
      - name: score
        logicalType: integer
      - name: gone
        logicalType: integer
      - name: who
        logicalType: object
        properties:
          - name: a.b
            logicalType: integer
      - name: tags
        logicalType: array
        items:
          logicalType: string
"""
COMPLETE = (
    OPEN.replace("# whole\n", "# whole\n        physicalType: bigint\n")
    .replace("amount, logicalType", 'amount, physicalType: "decimal(9,2)", logicalType')
    .replace("- name: day\n", "- name: day\n        physicalType: date\n")
    .replace("            logicalType: integer\n", "            logicalType: integer\n            physicalType: int\n")
    .replace("          logicalType: string\n", "          logicalType: string\n          physicalType: string\n")
)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_complete_writes_missing_types_and_nothing_else(line_end: str, tmp_path: Path):
    written(tmp_path, "delta", rows())
    path = tmp_path / "c.yaml"
    path.write_bytes(OPEN.replace("\n", line_end).encode())
    done = run_floe("bootstrap", "./orders", "--complete", "c.yaml", cwd=tmp_path, **NO_JAVA)
    assert done.returncode == 0
    assert path.read_bytes().decode() == COMPLETE.replace("\n", line_end)
    assert "orders.score has no type: the table has double, the contract has integer" in done.stdout
    assert "orders.gone has no type: the table has no such column" in done.stdout
    before = path.read_bytes()
    again = run_floe_here("bootstrap", "./orders", "--complete", "c.yaml", cwd=tmp_path)
    assert (again.returncode, path.read_bytes()) == (0, before)


def test_complete_needs_a_table_and_a_contract_of_the_standard(tmp_path: Path):
    (tmp_path / "c.yaml").write_text(OPEN)
    for words in (["--complete", "c.yaml"], ["./none", "--complete", "c.yaml"], ["--complete", "none.yaml"], []):
        done = run_floe("bootstrap", *words, cwd=tmp_path, **NO_JAVA)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert (tmp_path / "c.yaml").read_text() == OPEN


def test_a_table_with_several_contracts_to_make_is_refused_in_python(tmp_path: Path):
    for name in ("orders", "items"):
        written(tmp_path, "delta", rows(), name)
    with pytest.raises(FloeError, match="contains 2 contracts: items, orders"):
        floe.bootstrap(tmp_path)
