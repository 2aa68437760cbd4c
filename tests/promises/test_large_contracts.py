"""Very large contracts: 10,000 columns, 50 levels of nesting, 5,000 rules. The work grows with the contract, not with its square."""

import io
import json
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from floe.cli import main

HEAD = """apiVersion: v3.1.0
kind: DataContract
id: urn:large
name: large
version: {version}
status: active
domain: sales
dataProduct: shop
schema:
  - name: large
"""
LEVELS = 50  # of fields, the leaf included
# four times the contract: four times the work if it is linear, sixteen times if it is quadratic
TIMES = 4
MOST = 8
SECONDS = 60  # of one command, on a machine that does other things too


def wide(count: int, version: str, kind: str) -> str:
    """A contract with many columns."""
    columns = [f"      - {{name: c{number}, physicalType: {kind}, required: true}}\n" for number in range(count)]
    return HEAD.format(version=version) + "    properties:\n" + "".join(columns)


def nested(count: int, version: str, kind: str) -> str:
    """A contract with many columns, each a struct in a struct, down to the last level."""
    lines = [HEAD.format(version=version)]
    for number in range(count):
        indent = "    "
        for level in range(LEVELS - 1):
            lines.append(f"{indent}properties:\n" if level or not number else "")
            lines.append(f"{indent}  - name: s{number}_{level}\n{indent}    logicalType: object\n")
            indent += "    "
        lines.append(f"{indent}properties:\n{indent}  - {{name: leaf, physicalType: {kind}, required: true}}\n")
    return "".join(lines)


def ruled(count: int, version: str, kind: str) -> str:
    """A contract with many rules of one column, one in ten of them a query."""
    lines = [HEAD.format(version=version), "    properties:\n"]
    lines.append(f"      - name: id\n        physicalType: {kind}\n        quality:\n")
    for number in range(count):
        rule = f"metric: invalidValues, arguments: {{validValues: [{number}, {count}]}}"
        if number % 10 == 0:
            rule = f"type: sql, query: 'SELECT count(*) FROM large WHERE id = {number}'"
        lines.append(f"          - {{id: rule_{number}, {rule}, mustBe: {0 if kind == 'bigint' else 1}}}\n")
    return "".join(lines)


def run(*words: str) -> tuple[Any, float]:
    """What a command prints as JSON, and the processor's seconds it took: those of other programs do not count."""
    out, error = io.StringIO(), io.StringIO()
    started = time.process_time()
    with redirect_stdout(out), redirect_stderr(error):
        main([*words, "--format", "json"])
    seconds = time.process_time() - started
    assert not error.getvalue(), error.getvalue()[:500]
    return json.loads(out.getvalue()), seconds


@pytest.mark.parametrize(
    ("write", "count", "paths"),
    [
        (wide, 10_000, {f"large.c{number}" for number in range(10_000)}),
        (nested, 100, {"large." + ".".join([*(f"s{n}_{level}" for level in range(49)), "leaf"]) for n in range(100)}),
        (ruled, 5_000, {"large.id"}),
    ],
    ids=["columns", "levels", "rules"],
)
def test_a_contract_four_times_as_large_is_four_times_the_work(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[int, str, str], str],
    count: int,
    paths: set[str],
):
    monkeypatch.chdir(tmp_path)
    run("explain", "E501")  # what is imported once is no part of the work
    took: dict[str, list[float]] = {"lint": [], "plan": [], "diff": []}
    for size in (100, count // TIMES, count):
        Path("old.yaml").write_text(write(size, "1.0.0", "bigint"))
        Path("new.yaml").write_text(write(size, "2.0.0", "int"))
        linted, seconds = run("lint", "old.yaml")
        took["lint"].append(seconds)
        planned, seconds = run("plan", "old.yaml")
        took["plan"].append(seconds)
        compared, seconds = run("diff", "old.yaml", "new.yaml")
        took["diff"].append(seconds)
    assert linted["findings"] == []
    promises = [one["field"] for one in planned["plans"][0]["expectations"]]
    assert (len(promises), set(promises)) == (count, paths)
    changes = compared["results"][0]["changes"]
    assert len(changes) >= count
    assert {one["path"] for one in changes if one["change"] == "type-changed"} == paths
    for command, (_, quarter, whole) in took.items():
        assert whole < max(MOST * quarter, 1.0), (command, took)
        assert whole < SECONDS, (command, took)


def test_a_table_of_ten_thousand_columns_is_proved_by_its_footer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")  # no Java: rows are not read
    Path("c.yaml").write_text(wide(10_000, "1.0.0", "bigint"))
    values = {f"c{number}": pa.array([number, None if number == 7_777 else 0], pa.int64()) for number in range(10_000)}
    Path("large").mkdir()
    parquet.write_table(pa.table(values), "large/part.parquet")
    tested, seconds = run("test", "c.yaml", "--table", "large")
    (result,) = tested["results"]
    failed = [
        (one["field"], one["code"], one["violations"]) for one in result["expectations"] if one["outcome"] != "pass"
    ]
    assert failed == [("large.c7777", "FLOE-E550", 1)]
    assert len(result["expectations"]) >= 10_000
    assert seconds < SECONDS
