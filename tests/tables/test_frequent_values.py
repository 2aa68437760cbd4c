"""Values that come again and again, told by the dictionary of one file."""

from datetime import date
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake
from pyarrow import parquet as pq
from pyiceberg.catalog import load_catalog
from pyiceberg.types import StringType

from floe.actions.load.settings import load_settings
from floe.model.contract import Target
from floe.tables.delta import metadata as delta
from floe.tables.frequent_values import frequent_values
from floe.tables.iceberg import metadata as iceberg
from floe.tables.parquet.folder import probe
from floe.tables.parquet.footers import frequent_in_file


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
        several=[f"V{n % 9}" for n in rows],
    )
    names = ["mode", "id", "number", "long", "several", "nowhere"]
    assert frequent_in_file(file, names) == {"mode": ("AIR", "RAIL")}
    facts = probe(str(tmp_path))
    assert facts is not None
    assert frequent_values(Target("parquet", path=str(tmp_path)), facts, names) == {"mode": ("AIR", "RAIL")}
    assert frequent_values(Target("parquet", path=str(tmp_path)), facts, []) == {}


def test_nothing_is_told_frequent_in_files_that_are_empty_cut_or_gone(tmp_path):
    empty = _write(tmp_path / "empty.parquet", mode=pa.array([], "string"))
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(b"PAR1 and no more")
    strange = _write(tmp_path / "strange.parquet", mode=pa.array([b"\xff"] * 5_000, "binary").view("string"))
    for file in (empty, cut, strange, tmp_path / "gone.parquet"):
        assert frequent_in_file(file, ["mode"]) == {}


def test_a_delta_table_tells_by_its_first_file(tmp_path):
    write_deltalake(str(tmp_path / "t"), pa.table({"mode": ["AIR", "RAIL"] * 3_000}))
    facts = delta.probe(Target("delta", path=str(tmp_path / "t")))
    assert facts is not None
    assert frequent_values(Target("delta", path=str(tmp_path / "t")), facts, ["mode"]) == {"mode": ("AIR", "RAIL")}


def test_a_file_is_not_asked_for_a_column_that_only_has_the_name_of_an_older_one(tmp_path):
    catalog = load_catalog("c", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/w")
    catalog.create_namespace("s")
    rows = pa.table({"mode": ["secret", "more"] * 3_000, "place": ["here", "there"] * 3_000})
    table = catalog.create_table("s.t", rows.schema)
    table.append(rows)
    with table.update_schema() as change:
        change.rename_column("mode", "mode_private")
    with table.update_schema() as change:
        change.add_column("mode", StringType())
    target = Target("iceberg", path=str(catalog.load_table("s.t").metadata_location))
    facts = iceberg.probe(target, load_settings(start=tmp_path))
    assert facts is not None
    assert frequent_values(target, facts, ["place"]) == {"place": ("here", "there")}
    assert frequent_values(target, facts, ["mode"]) == {}


def test_how_new_a_folder_frequent_in_files_is_needs_no_reading(tmp_path):
    _write(tmp_path / "a.parquet", day=[date(2026, 11, 1), date(2026, 11, 14)])
    facts = probe(str(tmp_path))
    assert facts is not None
    (file,) = facts.files or ()
    assert (file.exact, file.most["day"]) == (True, date(2026, 11, 14))
