"""What a contract promises in ODCS is checked, whatever version, dialect or server it names."""

import json
from pathlib import Path

import pyarrow
import pytest
from deltalake import write_deltalake

from floe.cli import main
from tests.conftest import run_floe, run_floe_here

HEAD = """apiVersion: v3.2.0
kind: DataContract
id: t
name: t
version: 1.0.0
status: active
domain: d
dataProduct: p
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_deltalake(tmp_path / "t", pyarrow.table({"id": pyarrow.array([1, None], pyarrow.int64())}))
    return tmp_path


def outcome_of(home: Path, text: str) -> tuple[int, str]:
    (home / "t.yaml").write_text(HEAD + text)
    done = run_floe("test", "t.yaml", "--table", "./t", cwd=home)
    return done.returncode, done.stdout


def test_a_column_that_is_a_dimension_is_a_column(home: Path):
    column = "{name: %s, physicalType: bigint, semanticType: dimension, required: true}"
    code, said = outcome_of(home, f"schema: [{{name: t, properties: [{column % 'id'}]}}]\n")
    assert (code, "FLOE-E550" in said) == (1, True), said
    code, said = outcome_of(home, f"schema: [{{name: t, properties: [{column % 'missing'}]}}]\n")
    assert (code, "FLOE-E531" in said) == (1, True), said


def test_a_broken_rule_without_a_severity_is_an_error(home: Path):
    rule = "quality: [{metric: nullValues, mustBe: 0}]"
    code, said = outcome_of(home, f"schema: [{{name: t, properties: [{{name: id, physicalType: bigint, {rule}}}]}}]\n")
    assert (code, "FLOE-E550 error" in said or "FLOE-E556 error" in said) == (1, True), said


POSTGRES = "servers: [{server: s, type: postgres, host: h, port: 5432, database: d, schema: public}]\n"


@pytest.mark.spark
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ('SELECT count(*) FROM t WHERE "id" IS NULL', 1),  # one row is: Spark alone would read a text, which never is
        ('SELECT count(*) FROM "t" WHERE "t"."id" > 1', 0),
        ("SELECT count(*) FROM ${object} WHERE \"id\"::text = '9'", 0),
        ("SELECT count(*) FROM t WHERE id = 1 AND length('a\\') = 3", 0),  # no escape in PostgreSQL: two characters
        ("SELECT sum(id::bigint / 2::int) FROM t", 0),  # whole numbers are divided to a whole number: 1 / 2 is 0
        ("SELECT sum(id / 2.0) FROM t", 1),
    ],
)
def test_sql_is_read_in_the_dialect_of_the_contracts_server(
    spark, home: Path, query: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    rule = f"quality:\n  - {{type: sql, mustBe: 0, severity: error, query: {json.dumps(query)}}}\n"
    rule = rule.replace("\n  -", "\n    -")
    text = f"schema:\n- name: t\n  {rule}  properties: [{{name: id, physicalType: bigint}}]\n"
    (home / "t.yaml").write_text(HEAD + POSTGRES + text)
    monkeypatch.chdir(home)
    found = main(["test", "t.yaml", "--table", "./t"])  # on the session that runs already
    said = capsys.readouterr().out
    assert found == code, said
    assert "not evaluated" not in said


def test_a_division_of_which_nobody_knows_the_types_is_not_evaluated(home: Path):
    rule = "quality: [{type: sql, mustBe: 0, query: SELECT sum(id / 2) FROM t}]"
    code, said = outcome_of(
        home, f"{POSTGRES}schema: [{{name: t, {rule}, properties: [{{name: id, physicalType: bigint}}]}}]\n"
    )
    assert (code, "it is unknown whether" in said) == (2, True), said


def test_sql_that_two_servers_read_differently_is_not_evaluated(home: Path):
    servers = POSTGRES.replace("]", ", {server: lake, type: s3, location: s3://b, format: delta}]")
    rule = "quality: [{type: sql, mustBe: 0, query: 'SELECT count(*) FROM t WHERE \"id\" IS NULL'}]"
    code, said = outcome_of(
        home, f"{servers}schema: [{{name: t, {rule}, properties: [{{name: id, physicalType: bigint}}]}}]\n"
    )
    assert (code, "read it differently" in said) == (2, True), said


# a reader that begins anew at every letter would need hours for a million of them
@pytest.mark.parametrize(
    "part",
    ["a", "eyJ", "://", ":", "x", "<", "\n", "sk-", "a=", "password", "?sig=", "'", "a.", "://a:", "{", "-", " "],
)
def test_long_texts_are_searched_for_secrets_in_a_reasonable_time(tmp_path: Path, part: str):
    text = json.dumps("=" + part * (1_000_000 // len(part)) + "!")
    (tmp_path / "t.yaml").write_text(
        HEAD + f"description: {{purpose: {text}}}\nschema: [{{name: t, properties: []}}]\n"
    )
    done = run_floe_here("lint", "t.yaml", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
