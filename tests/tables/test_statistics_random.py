"""Random tables: what their statistics say is what a full scan says, or nothing."""

import datetime
import math
import shutil
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import HealthCheck, given, settings, strategies as st
from pyarrow import parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import LongType

from floe.engine.metadata.proof import row_count, violations
from floe.model.contract import Target
from floe.model.plan import Claim
from floe.settings import Settings
from floe.tables import TableFacts, probe

MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
FEW = settings(MANY, max_examples=settings().max_examples // 8)  # a commit of Iceberg's takes ten times as long
UTC = datetime.UTC
INSTANTS = (
    datetime.datetime(1950, 1, 1, 0, 0, 0, 123456, tzinfo=UTC),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime.datetime(2026, 5, 1, 12, 0, 0, 123, tzinfo=UTC),
    datetime.datetime(2026, 5, 1, 12, 0, 0, 124, tzinfo=UTC),
    datetime.datetime(2026, 5, 1, 12, 0, 0, 999, tzinfo=UTC),
)
DAYS = tuple(map(datetime.date.fromisoformat, ("0001-01-01", "1582-10-10", "2026-01-01", "2026-01-02", "9999-12-31")))
VALUES: dict[str, tuple[pa.DataType, tuple]] = {
    "id": (pa.int64(), (0, 1, 5, -7, 2**53 + 1, 2**53 + 3, 2**63 - 1, -(2**63))),
    "n": (pa.int32(), (0, 1, 5, -7, 2**31 - 1, -(2**31))),
    "d": (pa.decimal128(9, 2), tuple(map(Decimal, ("0.00", "0.01", "-0.01", "5.10", "9999999.99", "-9999999.99")))),
    "big": (
        pa.decimal128(22, 2),
        tuple(map(Decimal, ("1234567890123456.78", "1234567890123456.79", "1234567890123456.80", "-1.00"))),
    ),
    "day": (pa.date32(), DAYS),
    "ts": (pa.timestamp("us", "UTC"), INSTANTS),
    "f": (pa.float64(), (0.0, -0.0, 0.1, 1.5, math.nan, math.inf, -math.inf)),
    "s": (pa.string(), ("", "a", "é" * 40, "z" * 100)),
}
SCHEMA = pa.schema([(name, type_) for name, (type_, _) in VALUES.items()])
PLAIN = ("id", "n", "d", "day")


class Case(NamedTuple):
    """A table's story: rows per write, and what is done to it between writes."""

    batches: list[list[dict[str, Any]]]
    deletes: int | None
    renames: bool
    widens: bool
    adds: bool
    compacts: bool

    @property
    def plain(self) -> bool:
        return self.deletes is None and not (self.renames or self.widens or self.adds or self.compacts)


ROW = st.fixed_dictionaries({name: st.none() | st.sampled_from(values) for name, (_, values) in VALUES.items()})
SOLID = st.fixed_dictionaries({name: st.sampled_from(values) for name, (_, values) in VALUES.items()})
CASES = st.builds(
    Case,
    st.lists(st.lists(ROW, max_size=4) | st.lists(SOLID, min_size=1, max_size=4), min_size=1, max_size=3),
    st.none() | st.sampled_from(VALUES["n"][1]),
    *(st.booleans() for _ in range(4)),
) | st.builds(
    Case,
    st.lists(st.lists(ROW, max_size=4) | st.lists(SOLID, min_size=1, max_size=4), min_size=1, max_size=3),
    st.none(),
    *(st.just(False) for _ in range(4)),
)


def rows_of(batch: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(batch, SCHEMA)


def claims(names: list[str]) -> list[Claim]:
    made = [Claim("not_null", name) for name in names]
    for name in names:
        for bound in VALUES.get({"m": "n"}.get(name, name), (None, ()))[1]:
            if bound != bound:  # noqa: PLR0124  (NaN alone)
                continue
            exact = Decimal(repr(bound)) if isinstance(bound, float) and math.isfinite(bound) else bound
            made += [Claim(kind, name, exact, strict) for kind in ("at_least", "at_most") for strict in (False, True)]
    return made


def broken(claim: Claim, value: Any) -> bool:
    """Whether one value breaks a claim, by the specification: null passes bounds, NaN and infinity fail them."""
    if claim.kind == "not_null":
        return value is None
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return value is not None
    beyond = value < claim.bound if claim.kind == "at_least" else value > claim.bound
    return beyond or (claim.strict and value == claim.bound)


def agree(facts: TableFacts | None, scanned: pa.Table, case: Case) -> None:
    assert facts is not None
    assert facts.files is not None
    rows = scanned.to_pylist()
    assert row_count(facts.files) in (None, len(rows))
    assert not case.plain or row_count(facts.files) == len(rows)
    for claim in claims(scanned.column_names):
        truth = sum(broken(claim, row[claim.column]) for row in rows)
        said = violations(claim, facts.files)
        assert said in (None, truth), (claim, facts.files)
        if case.plain and claim.column in PLAIN and (claim.kind == "not_null" or truth == 0):
            assert said == truth, (claim, facts.files)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@MANY
@given(CASES)
def test_random_delta_tables(home: Path, case: Case):
    path = str(home / uuid.uuid4().hex)
    partition = ["n"] if case.renames else None  # Delta renames only with column mapping; partitions instead
    for index, batch in enumerate(case.batches):
        rows = rows_of(batch)
        if case.adds and index:
            rows = rows.append_column("late", pa.array([1] * len(rows), pa.int64()))
        write_deltalake(
            path, rows, mode="append", partition_by=partition, schema_mode="merge" if case.adds and index else None
        )
    table = DeltaTable(path)
    if case.deletes is not None:
        table.delete(f"n = {case.deletes}")
    if case.compacts:
        table.optimize.compact()
    if case.widens:
        table.create_checkpoint()
    scanned = pa.table(DeltaTable(path).to_pyarrow_table())
    agree(probe(Target("delta", path=path), Settings(home)), scanned, case)
    shutil.rmtree(path)


@MANY
@given(CASES)
def test_random_parquet_folders(home: Path, case: Case):
    path = home / uuid.uuid4().hex
    path.mkdir()
    tables = []
    for index, batch in enumerate(case.batches):
        rows = rows_of(batch)
        file = path / f"{index}.parquet"
        if case.adds and index:
            rows = rows.append_column("late", pa.array([1] * len(rows), pa.int64()))
        if case.renames:
            file = path / f"part={index}" / "x.parquet"
            file.parent.mkdir()
        statistics = not case.widens or index != 0
        pq.write_table(
            rows, file, row_group_size=2, write_statistics=statistics, use_deprecated_int96_timestamps=case.compacts
        )
        rows = rows.append_column("part", pa.array([index] * len(rows), pa.int32())) if case.renames else rows
        tables.append(rows)
    scanned = pa.concat_tables(tables, promote_options="default")
    agree(probe(Target("parquet", path=str(path)), Settings(home)), scanned, case._replace(deletes=None))
    shutil.rmtree(path)


@pytest.mark.filterwarnings("ignore:Delete operation did not match any records")
@FEW
@given(CASES)
def test_random_iceberg_tables(home: Path, case: Case):
    folder = home / uuid.uuid4().hex
    folder.mkdir()
    uri = f"sqlite:///{folder}/catalog.db"
    catalog = SqlCatalog("ice", uri=uri, warehouse=str(folder))
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema=SCHEMA)
    name, type_ = "n", pa.int32()
    for index, batch in enumerate(case.batches):
        rows = rows_of(batch)
        if index == 1 and (case.renames or case.widens or case.adds):
            with table.update_schema() as change:
                if case.adds:
                    change.add_column("late", LongType())
                if case.widens:
                    change.update_column("n", LongType())
                    type_ = pa.int64()
                if case.renames:
                    change.rename_column("n", "m")
                    name = "m"
        place = rows.column_names.index("n")
        rows = rows.set_column(place, pa.field(name, type_), rows["n"].cast(type_))
        if case.adds and index:
            rows = rows.append_column("late", pa.array([1] * len(rows), pa.int64()))
        table.append(rows)
    if case.deletes is not None:
        table.delete(f"{name} = {case.deletes}")
    known = Settings(folder, catalogs={"ice": {"type": "sql", "uri": uri}})
    agree(probe(Target("iceberg", name="ice.n.t"), known), table.scan().to_arrow(), case)
    catalog.engine.dispose()
    shutil.rmtree(folder)
