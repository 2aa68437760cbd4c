"""Each dataset of a contract is judged on its own table, or the command is refused."""

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from deltalake import write_deltalake

from tests.conftest import run_floe

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: multi
name: multi
version: 1.0.0
status: active
domain: d
dataProduct: p
schema:
- name: a
  properties: [{name: id, physicalType: bigint, required: true}]
- name: b
  properties: [{name: id, physicalType: bigint, required: true}]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "multi.yaml").write_text(CONTRACT)
    write_deltalake(tmp_path / "lake" / "a", pyarrow.table({"id": pyarrow.array([1, 2], pyarrow.int64())}))
    write_deltalake(tmp_path / "lake" / "b", pyarrow.table({"id": pyarrow.array([1, None], pyarrow.int64())}))
    return tmp_path


def outcomes_of(home: Path, *words: str) -> tuple[int, dict[str, str], str]:
    done = run_floe("test", "multi.yaml", *words, "--format", "json", cwd=home)
    results: list[dict[str, Any]] = json.loads(done.stdout).get("results", [])
    return done.returncode, {one["dataset"]: one["outcome"] for one in results}, done.stdout + done.stderr


def test_one_table_is_not_taken_for_the_tables_of_two_datasets(home: Path):
    code, outcomes, error = outcomes_of(home, "--table", "lake/a")
    assert (code, outcomes) == (2, {})
    assert "does not name one of the 2 datasets" in error
    assert "--table a=lake/a" in error


def test_each_dataset_is_judged_on_the_table_that_is_given_to_it(home: Path):
    code, outcomes, _ = outcomes_of(home, "--table", "a=lake/a", "--table", "b=lake/b")
    assert (code, outcomes) == (1, {"b": "fail", "a": "pass"})


def test_a_table_given_twice_and_a_dataset_that_is_not_there_are_refused(home: Path):
    assert "has two tables" in outcomes_of(home, "--table", "a=lake/a", "--table", "a=lake/b")[2]
    code, _, error = outcomes_of(home, "--table", "c=lake/a")
    assert code == 2
    assert "--table c=lake/a does not name one of the 2 datasets: a, b" in error


def test_a_folder_of_tables_is_not_read_as_one_table(home: Path):
    code, outcomes, _ = outcomes_of(home, "--table", "a=lake", "--table", "b=lake/b")
    assert (code, outcomes["a"]) == (1, "not_evaluated")
    text = run_floe("test", "multi.yaml", "--table", "a=lake", "--table", "b=lake/b", cwd=home).stdout
    assert "contains 2 Delta or Iceberg tables, a, b" in text
