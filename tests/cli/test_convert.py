"""`floe convert`: what it writes, what it says, how it ends."""

import json
import os

import pytest

from floe.cli import main
from tests.helpers.conversions import CASES, ORDERS

MANIFEST = CASES / "convert" / "manifest.json"
TWO = CASES / "odcs" / "v3.1.0" / "all" / "full-example.odcs.yaml"


def run(capsys, *words: object) -> tuple[int, str, str]:
    try:
        code = main(["convert", *map(str, words)])
    except SystemExit as end:
        code = int(str(end.code))
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert "internal error" not in said.err
    return code, said.out, said.err


def test_text_goes_to_output_and_losses_to_the_error_stream(capsys):
    code, out, err = run(capsys, ORDERS, "--to", "avro")
    assert code == 0
    assert json.loads(out)["name"] == "orders"
    assert "not supported by avro" in err
    assert "    bounds: orders.total\n" in err


@pytest.mark.parametrize("name", ["a-customers.datacontract.yaml", "b-orders.yaml", "c-silver-orders_clean.yaml"])
def test_dialects_become_odcs(capsys, name):
    code, out, _ = run(capsys, CASES / "odcs" / "dialects" / name)
    assert code == 0
    assert out.startswith("apiVersion: v3.1.0\n")


def test_odcs_3_2(capsys):
    code, out, _ = run(capsys, ORDERS, "--to", "odcs-3.2")
    assert (code, out.splitlines()[0]) == (0, "apiVersion: v3.2.0")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.sql", "CREATE TABLE t (a BIGINT NOT NULL)"),
        ("t.avsc", '{"type": "record", "name": "t", "fields": [{"name": "a", "type": "long"}]}'),
        ("t.json", '{"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": false, "metadata": {}}]}'),
        (
            "t.schema.json",
            '{"type": "object", "properties": {"a": {"type": "integer", "format": "int64"}}, "required": ["a"]}',
        ),
    ],
)
def test_schema_documents_become_odcs(capsys, tmp_path, name, text):
    source = tmp_path / name
    source.write_text(text)
    code, out, _ = run(capsys, source, "--to", "spark-ddl")
    assert code == 0
    assert out == "-- Spark SQL\n\nCREATE TABLE t (\n  a BIGINT NOT NULL\n);\n"


def test_out_writes_a_file_and_says_so(capsys, tmp_path):
    out = tmp_path / "o.avsc"
    code, printed, err = run(capsys, ORDERS, "--to", "avro", "-o", out)
    assert (code, printed) == (0, "")
    assert f"✓ {out}" in err
    assert json.loads(out.read_text())["name"] == "orders"
    assert os.listdir(tmp_path) == ["o.avsc"]


def test_an_existing_file_needs_force(capsys, tmp_path):
    out = tmp_path / "o.avsc"
    out.write_text("mine")
    code, _, err = run(capsys, ORDERS, "--to", "avro", "-o", out)
    assert (code, out.read_text()) == (2, "mine")
    assert "already exists" in err
    assert "--force" in err
    assert run(capsys, ORDERS, "--to", "avro", "-o", out, "--force")[0] == 0
    assert out.read_text() != "mine"


def test_a_folder_takes_one_file_per_contract(capsys, tmp_path):
    code, _, _ = run(capsys, MANIFEST, "-o", tmp_path)
    assert code == 0
    assert sorted(os.listdir(tmp_path)) == ["customers.odcs.yaml", "orders.odcs.yaml"]


def test_a_folder_takes_one_file_per_dataset(capsys, tmp_path):
    assert run(capsys, TWO, "--to", "avro", "-o", tmp_path)[0] == 0
    assert sorted(os.listdir(tmp_path)) == ["receivers.avsc", "tbl.avsc"]


def test_several_datasets_need_a_name(capsys):
    code, _, err = run(capsys, TWO, "--to", "avro")
    assert code == 2
    assert "2 datasets: tbl, receivers" in err
    assert "--dataset" in err
    assert run(capsys, TWO, "--to", "avro", "--dataset", "tbl")[0] == 0


def test_ddl_holds_several_datasets(capsys):
    assert run(capsys, TWO, "--to", "spark-ddl")[1].count("CREATE TABLE") == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nowhere.yaml"], 2, "nowhere.yaml does not exist"),
        ([CASES], 2, "is a folder"),
        ([ORDERS, "-o", "/nowhere/x.yaml"], 2, "Folder /nowhere does not exist"),
        ([ORDERS, "--to", "avr"], 2, "maybe you meant 'avro'|invalid choice: 'avr'"),
        ([ORDERS, "--to", "avro", "--dataset", "order"], 2, "Did you mean 'orders'"),
        ([ORDERS, "--dataset", "orders"], 2, "contains all datasets"),
        ([ORDERS, "--model", "x"], 2, "--model selects from a dbt manifest"),
        ([ORDERS, "--dialect", "spark"], 2, "--dialect is for SQL"),
        ([MANIFEST], 2, "2 contracts: orders, customers"),
        ([MANIFEST, "--model", "x"], 2, "no model 'x'"),
        ([CASES / "odcs/negative-v3.2.0-dev/invalid-kind.odcs.yaml"], 1, "FLOE-E50"),
        ([CASES / "odcs/v3.1.0/fundamentals/table-column-description.odcs.yaml", "--to", "odcs"], 0, ""),
    ],
)
def test_mistakes_are_answered(capsys, words, code, said):
    ended, _, err = run(capsys, *words)
    assert ended == code
    assert any(part in err for part in said.split("|"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.yaml", b""),
        ("a.yaml", b"\x00\xff\xfe\x80"),
        ("a.json", b"{"),
        ("a.json", b"[" * 5000 + b"]" * 5000),
        ("a.json", b'{"type": "object", "properties": {"a": {"$ref": "#"}}}'),
        ("a.json", b'{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json"}}'),
        ("a.json", b'{"type": "struct", "fields": [{"name": "a", "type": "b", "type": "c"}]}'),
        ("a.avsc", b'{"type": "record", "name": "r", "fields": [{"name": "a", "type": "r"}]}'),
        ("a.sql", b"CREATE TABLE ("),
        ("a.sql", b""),
        ("a.yaml", b"just: text\n"),
        ("a.yaml", b"a: [\n"),
    ],
)
def test_unreadable_sources_give_findings_and_write_nothing(capsys, tmp_path, name, content):
    source = tmp_path / name
    source.write_bytes(content)
    code, out, err = run(capsys, source, "-o", tmp_path / "out")
    assert (code, out) == (1, "")
    assert "FLOE-E5" in err
    assert os.listdir(tmp_path) == [name]


def test_a_file_that_cannot_be_written_is_said(capsys, tmp_path):
    (tmp_path / "d").mkdir()
    code, _, err = run(capsys, ORDERS, "--to", "avro", "-o", tmp_path / "d" / ("x" * 300))
    assert code == 2
    assert "cannot be written" in err
