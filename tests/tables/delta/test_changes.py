"""Which rewrites of a Delta table are believed, by logs without Spark."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from floe.tables.delta.changes import rewrites


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Two files (versions 0 and 1) that OPTIMIZE made one (version 2)."""
    path = str(tmp_path / "table")
    for ids in ([1, 2], [3, 4]):
        write_deltalake(path, pa.table({"id": ids, "code": ["A", "B"], "raw": ["x", "y"]}), mode="append")
    DeltaTable(path).optimize.compact()
    return path


def metadata_of(path: str) -> dict[str, Any]:
    """The metadata action of the table's first commit."""
    lines = (Path(path) / "_delta_log" / f"{0:020}.json").read_text().splitlines()
    (metadata,) = (json.loads(line)["metaData"] for line in lines if '"metaData"' in line)
    return dict(metadata)


def commit_metadata(path: str, metadata: dict[str, Any]) -> None:
    """Change the table's metadata and nothing else, as ALTER TABLE does."""
    version = DeltaTable(path).version() + 1
    actions = [
        {"commitInfo": {"timestamp": 1, "operation": "SET TBLPROPERTIES"}},
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
        {"metaData": metadata},
    ]
    (Path(path) / "_delta_log" / f"{version:020}.json").write_text("\n".join(map(json.dumps, actions)))


def test_optimize_is_a_rewrite(table: str):
    (rewrite,) = rewrites(table, 1, 2)
    assert len(rewrite.removed) == 2
    assert len(rewrite.added) == 1
    assert rewrite.rows == 4


def test_a_rewrite_before_columns_had_other_names_is_not_believed(table: str):
    before = metadata_of(table)
    schema = json.loads(before["schemaString"])
    names = {"id": "id", "code": "raw", "raw": "code"}  # code and raw are exchanged
    for number, field in enumerate(schema["fields"], 1):
        field["metadata"] = {
            "delta.columnMapping.id": number,
            "delta.columnMapping.physicalName": names[field["name"]],
        }
    configuration = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "3"}
    commit_metadata(table, {**before, "schemaString": json.dumps(schema), "configuration": configuration})
    commit_metadata(table, before)  # the mapping is gone: code is another column than between the two commits
    assert rewrites(table, 1, 4) == []


def test_a_rewrite_after_columns_changed_is_believed(table: str):
    commit_metadata(table, {**metadata_of(table), "description": "of orders"})
    write_deltalake(table, pa.table({"id": [5, 6], "code": ["A", "B"], "raw": ["x", "y"]}), mode="append")
    DeltaTable(table).optimize.compact()
    assert len(rewrites(table, 1, DeltaTable(table).version())) == 2
