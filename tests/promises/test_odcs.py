"""What a contract promises in ODCS is checked, whatever version, dialect or server it names."""

from pathlib import Path

import pyarrow
import pytest
from deltalake import write_deltalake

from tests.conftest import run_floe

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
