"""Values that come again and again, told by the dictionary of one file."""

from pathlib import Path

import pyarrow as pa
from pyarrow import parquet as pq

from floe.data.tables.common import common_values, of_file
from floe.data.tables.folder import probe


def _write(path: Path, **columns: list) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_few_values_are_told_and_many_are_not(tmp_path):
    rows = range(5_000)
    file = _write(
        tmp_path / "a.parquet",
        mode=[("AIR", "RAIL", None)[n % 3] for n in rows],
        id=[f"K{n}" for n in rows],
        number=[n % 3 for n in rows],
        long=["x" * (100 + n % 2) for n in rows],
    )
    names = ["mode", "id", "number", "long", "nowhere"]
    assert of_file(file, names) == {"mode": ("AIR", "RAIL")}
    facts = probe(str(tmp_path))
    assert facts is not None
    assert common_values("parquet", facts, names) == {"mode": ("AIR", "RAIL")}
    assert common_values("parquet", facts, []) == {}


def test_nothing_is_told_of_files_that_are_empty_cut_or_gone(tmp_path):
    empty = _write(tmp_path / "empty.parquet", mode=pa.array([], "string"))
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(b"PAR1 and no more")
    for file in (empty, cut, tmp_path / "gone.parquet"):
        assert of_file(file, ["mode"]) == {}
