"""`floe test` on Delta, Iceberg and Parquet tables, whole and broken: by command, and without Java where metadata answers."""

import http.server
import json
import os
import socket
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyarrow import parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform

from tests.conftest import run_floe
from tests.helpers.tables import DAY, HEAD, SCHEMA

NO_JAVA = {"PATH": "/nowhere", "JAVA_HOME": ""}
FORMATS = ("delta", "iceberg", "parquet")


def rows(*ids: int | None, price: str = "1.50") -> pa.Table:
    return pa.Table.from_pylist([{"id": one, "price": Decimal(price), "day": DAY} for one in ids], SCHEMA)


def catalog(home: Path) -> SqlCatalog:
    (home / ".floe").mkdir(exist_ok=True)
    return SqlCatalog("ice", uri=f"sqlite:///{home}/.floe/catalog.db", warehouse=str(home / ".floe/warehouse"))


def write(home: Path, form: str, data: pa.Table, *, partition: str | None = None, again: bool = False) -> str:
    """A table of a format, and how a user names it; `again` puts another one in its place."""
    if form == "delta":
        if again:
            os.rename(home / "t", home / "old")
        write_deltalake(str(home / "t"), data, partition_by=partition)
        return "./t"
    if form == "parquet":
        (home / "p").mkdir(exist_ok=True)
        pq.write_to_dataset(data, home / "p", partition_cols=[partition] if partition else None)
        return "./p"
    lake = catalog(home)
    if again:
        lake.drop_table("n.t")
    lake.create_namespace_if_not_exists("n")
    table = lake.create_table("n.t", data.schema)
    if partition:
        with table.update_spec() as change:
            change.add_field(partition, IdentityTransform())
    table.append(data)
    return "ice.n.t"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "manifest.yaml").write_text("data_contracts: {enforcement: block}\n")
    (tmp_path / "prices.yaml").write_text(HEAD)
    return tmp_path


def judged(home: Path, table: str, **environment: str) -> tuple[int, dict]:
    done = run_floe("test", "prices.yaml", "--table", table, "--format", "json", cwd=home, **(environment or NO_JAVA))
    assert "Traceback" not in done.stderr, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    return done.returncode, result


def failed(result: dict) -> dict[str, tuple]:
    return {one["id"]: (one["code"], one["severity"]) for one in result["expectations"] if one["outcome"] == "fail"}


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_of_each_format_is_proved_and_refuted_without_java(home: Path, form: str):
    table = write(home, form, rows(1, 2))
    code, result = judged(home, table)
    assert (code, result["outcome"], result["rows"]) == (0, "pass", 2)
    assert {one["how"] for one in result["expectations"]} == {"metadata"}
    if form == "iceberg":
        catalog(home).load_table("n.t").append(rows(None, 4, None))
    elif form == "delta":
        write_deltalake(str(home / "t"), rows(None, 4, None), mode="append")
    else:
        pq.write_table(rows(None, 4, None), home / "p/more.parquet", row_group_size=1)
    code, again = judged(home, table)
    assert (code, failed(again)) == (1, {"prices.id:null-value": ("FLOE-E550", "error")})
    assert [one["violations"] for one in again["expectations"] if one["outcome"] == "fail"] == [2]
    assert again["rows"] == 5
    assert again["snapshot"] != result["snapshot"]


@pytest.mark.parametrize("form", FORMATS)
def test_type_missing_and_extra_columns_are_told_by_their_codes(home: Path, form: str):
    data = rows(1, 2)
    data = data.set_column(0, "id", data["id"].cast(pa.string())).drop(["day"]).append_column("more", data["id"])
    code, result = judged(home, write(home, form, data))
    assert (code, failed(result)) == (
        1,
        {
            "prices.id:type-mismatch": ("FLOE-E530", "critical"),
            "prices.day:missing-column": ("FLOE-E531", "critical"),
            "prices.more:extra-column": ("FLOE-E532", "info"),
        },
    )


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_a_table_that_refuses_nulls_the_contract_allows_is_nullability_drift(home: Path, form: str):
    strict = pa.schema([SCHEMA.field(0), SCHEMA.field(1).with_nullable(False), SCHEMA.field(2)])
    code, result = judged(home, write(home, form, rows(1, 2).cast(strict)))
    assert (code, failed(result)) == (0, {"prices.price:nullability-drift": ("FLOE-E533", "warning")})


@pytest.mark.parametrize("form", FORMATS)
def test_other_partitions_than_promised_are_drift(home: Path, form: str):
    text = HEAD.replace("{name: day,", "{name: day, partitioned: true, partitionKeyPosition: 1,")
    (home / "prices.yaml").write_text(text)
    code, result = judged(home, write(home, form, rows(1, 2), partition="id"))
    wanted = {"prices:partition-drift": ("FLOE-E534", "error")}
    if form == "parquet":  # folders' names have no types: Spark and floe read small numbers as int
        wanted |= {"prices.id:type-mismatch": ("FLOE-E530", "critical")}
    assert (code, failed(result)) == (1, wanted)


def test_a_table_of_another_major_is_drift(home: Path):
    write(home, "delta", rows(1, 2))
    DeltaTable(str(home / "t")).alter.set_table_properties({"floe.contract": "shop.p/prices:2.1.0"}, False)
    code, result = judged(home, "./t")
    assert (code, failed(result)) == (1, {"prices:table-of-another-major": ("FLOE-E534", "error")})


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_a_table_replaced_by_another_is_told_once(home: Path, form: str):
    table = write(home, form, rows(1, 2))
    assert judged(home, table)[0] == 0
    write(home, form, rows(1, 2), again=True)
    code, result = judged(home, table)
    assert (code, failed(result)) == (1, {"prices:table-replaced": ("FLOE-E535", "error")})
    assert judged(home, table)[0] == 0


def test_hive_folders_are_columns_and_their_values_are_facts(home: Path):
    text = HEAD.replace("- {name: id, physicalType: bigint", "- {name: id, physicalType: int, primaryKey: false")
    (home / "prices.yaml").write_text(text)
    for name, count in (("id=1/day=2026-05-01", 2), ("id=2/day=__HIVE_DEFAULT_PARTITION__", 1)):
        (home / "p" / name).mkdir(parents=True)
        pq.write_table(rows(*range(count)).select(["price"]), home / "p" / name / "x.parquet")
    (home / "p/_SUCCESS").touch()
    code, result = judged(home, "./p")
    assert (code, result["outcome"], result["rows"]) == (0, "pass", 3)
    nowhere = home / "p/id=__HIVE_DEFAULT_PARTITION__/day=2026-05-01"
    nowhere.mkdir(parents=True)
    pq.write_table(rows(1, 2).select(["price"]), nowhere / "x.parquet")
    code, result = judged(home, "./p")
    assert (code, failed(result)) == (1, {"prices.id:null-value": ("FLOE-E550", "error")})


def test_delta_partitions_of_odd_names_are_facts(home: Path):
    (home / "prices.yaml").write_text(
        HEAD.replace("quality:", "  - {name: p, physicalType: string, required: true}\n    quality:")
    )
    odd = home / "a folder é"
    data = rows(1, 2, 3).append_column("p", pa.array(["x y", "a/b", "é=%"]))
    write_deltalake(str(odd), data, partition_by="p")
    assert judged(home, str(odd))[0] == 0
    write_deltalake(str(odd), rows(1, 2).append_column("p", pa.array([None, "x"])), mode="append")
    code, result = judged(home, str(odd))
    assert (code, failed(result)) == (1, {"prices.p:null-value": ("FLOE-E550", "error")})


def test_files_of_two_types_are_a_mismatch_that_names_both(home: Path):
    write(home, "parquet", rows(1, 2))
    other = rows(3).set_column(0, "id", pa.array([3], pa.int32()))
    pq.write_table(other, home / "p/zz.parquet")
    code, result = judged(home, "./p")
    (drift,) = [one for one in result["expectations"] if one["outcome"] == "fail"]
    assert (code, drift["code"], drift["expected"], drift["actual"]) == (1, "FLOE-E530", "bigint", "bigint or int")


def test_nothing_is_written_into_parquet_or_a_metadata_file(home: Path):
    pq.write_table(rows(1), home / "batch.parquet")
    write(home, "parquet", rows(1))
    write(home, "iceberg", rows(1))
    for table in ("./p", catalog(home).load_table("n.t").metadata_location):
        done = run_floe("enforce", "batch.parquet", "prices.yaml", "--layer", "silver", "--table", table, cwd=home)
        assert (done.returncode, "floe can read but not write" in done.stderr) == (2, True), done.stderr


def test_an_iceberg_table_is_found_by_its_metadata_file_and_by_its_folder(home: Path):
    write(home, "iceberg", rows(1, 2))
    table = catalog(home).load_table("n.t")
    for path in (table.metadata_location, table.location()):
        code, result = judged(home, path)
        assert (code, result["snapshot"]) == (0, str(table.metadata.current_snapshot_id))


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_compaction_and_settings_make_no_data_fresh(home: Path, form: str):
    (home / "prices.yaml").write_text(HEAD + "slaProperties:\n  - {property: freshness, value: 1, unit: h}\n")
    name = write(home, form, rows(1, 2))
    if form == "delta":
        log = home / "t/_delta_log/00000000000000000000.json"
        log.write_text(log.read_text().replace('"commitInfo":{"timestamp":', '"commitInfo":{"timestamp":1,"was":'))
        write_deltalake(str(home / "t"), rows(3), mode="append")
        second = home / "t/_delta_log/00000000000000000001.json"
        second.write_text(
            second.read_text().replace('"commitInfo":{"timestamp":', '"commitInfo":{"timestamp":2,"was":')
        )
        table = DeltaTable(str(home / "t"))
        assert table.optimize.compact()["numFilesAdded"] == 1
        table.alter.set_table_properties({"delta.appendOnly": "false"})
    else:
        located = catalog(home).load_table("n.t")
        file = Path(located.metadata_location)
        known = json.loads(file.read_text())
        (first,) = known["snapshots"]
        again = {**first, "snapshot-id": 7, "parent-snapshot-id": first["snapshot-id"], "sequence-number": 2}
        again["summary"] = {**first["summary"], "operation": "replace"}
        known["snapshots"] = [{**first, "timestamp-ms": 1000}, again]
        known |= {"current-snapshot-id": 7, "last-sequence-number": 2}
        known["refs"]["main"]["snapshot-id"] = 7
        file.write_text(json.dumps(known))
        name = str(file)
    code, result = judged(home, name)
    assert (code, failed(result)) == (1, {"prices:sla.freshness": ("FLOE-E560", "error")})


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def truncated(home: Path) -> str:
    write(home, "delta", rows(1, 2))
    write_deltalake(str(home / "t"), rows(3), mode="append")
    cut(home / "t/_delta_log/00000000000000000001.json")
    return "./t"


def emptied(home: Path) -> str:
    truncated(home)
    (home / "t/_delta_log/00000000000000000001.json").write_text("")
    return "./t"


def gap(home: Path) -> str:
    truncated(home)
    for number in (1, 2, 3):
        (home / f"t/_delta_log/{number:020}.json").unlink(missing_ok=True)
        write_deltalake(str(home / "t"), rows(3), mode="append")
    (home / "t/_delta_log/00000000000000000001.json").unlink()
    return "./t"


def corrupt(home: Path) -> str:
    write(home, "parquet", rows(1, 2))
    cut(next((home / "p").glob("*.parquet")))
    return "./p"


def no_files(home: Path) -> str:
    (home / "p").mkdir()
    (home / "p/readme.parquet.txt").write_text("none")
    return "./p"


def lost_delta_file(home: Path) -> str:
    write(home, "delta", rows(1, 2))
    next((home / "t").glob("*.parquet")).unlink()
    return "./t"


def lost_iceberg_file(home: Path) -> str:
    write(home, "iceberg", rows(1, 2))
    next(Path(catalog(home).load_table("n.t").location()).glob("data/*.parquet")).unlink()
    return "ice.n.t"


def lost_manifest(home: Path) -> str:
    write(home, "iceberg", rows(1, 2))
    for file in Path(catalog(home).load_table("n.t").location()).glob("metadata/*.avro"):
        file.unlink()
    return "ice.n.t"


def half_metadata(home: Path) -> str:
    write(home, "iceberg", rows(1, 2))
    cut(Path(catalog(home).load_table("n.t").metadata_location))
    return "ice.n.t"


def no_catalog_file(home: Path) -> str:
    (home / "manifest.yaml").write_text("catalogs: {ice: {type: sql, uri: 'sqlite:///nowhere/c.db'}}\n")
    return "ice.n.t"


def no_rest(home: Path) -> str:
    (home / "manifest.yaml").write_text("catalogs: {ice: {type: rest, uri: 'http://127.0.0.1:9'}}\n")
    return "ice.n.t"


def no_postgres(home: Path) -> str:
    text = "catalogs: {ice: {type: sql, uri: 'postgresql+psycopg://u:p@127.0.0.1:9/x'}}\n"
    (home / "manifest.yaml").write_text(text)
    return "ice.n.t"


@pytest.mark.parametrize(
    ("broken", "cause"),
    [
        (lambda _: "./nothing", "does not exist"),
        (truncated, "Truncated record"),
        (emptied, "is empty: its commit was truncated"),
        (gap, "gap"),
        (corrupt, "cannot be read"),
        (no_files, "not a Delta table"),
        (lost_delta_file, "which is missing"),
        (lost_iceberg_file, "which is missing"),
        (lost_manifest, "cannot be read"),
        (half_metadata, "cannot be read"),
        (no_catalog_file, "does not exist"),
        (no_rest, "Max retries exceeded"),
        (no_postgres, "Connection refused"),
    ],
)
def test_a_table_out_of_reach_is_not_evaluated_with_its_cause_and_the_others_are_judged(home: Path, broken, cause: str):
    table = broken(home)
    second = HEAD.replace("name: prices", "name: good").replace("urn:x", "urn:good")
    (home / "good.yaml").write_text(second + "servers:\n  - {server: s, type: local, path: ./fine, format: parquet}\n")
    (home / "fine").mkdir()
    pq.write_table(rows(1, 2), home / "fine/x.parquet")
    servers = f"servers:\n  - {{server: s, type: local, path: {table}, format: {'parquet' if table == './p' and broken is corrupt else 'delta'}}}\n"
    if table.startswith("ice."):
        servers = "servers:\n  - {server: s, type: iceberg, catalog: ice, namespace: n}\n"
        (home / "prices.yaml").write_text(HEAD.replace("  - name: prices\n", "  - name: prices\n    physicalName: t\n"))
    (home / "prices.yaml").write_text((home / "prices.yaml").read_text() + servers)
    done = run_floe("test", "prices.yaml", "good.yaml", "--format", "json", cwd=home, **NO_JAVA)
    assert "Traceback" not in done.stderr, done.stderr
    said = {one["dataset"]: one for one in json.loads(done.stdout)["results"]}
    assert (done.returncode, said["good"]["outcome"], said["prices"]["outcome"]) == (2, "pass", "not_evaluated")
    assert {one["code"] for one in said["prices"]["expectations"]} == {"FLOE-E580"}
    causes = {one["cause"] for one in said["prices"]["expectations"]}
    assert len(causes) == 1
    assert cause in causes.pop()


class Rest(http.server.BaseHTTPRequestHandler):
    """The two questions of Iceberg's REST protocol that reading a table asks, answered from a metadata file."""

    metadata: Path

    def do_GET(self) -> None:
        tables = {"/v1/namespaces/n/tables/t": self.metadata}
        known = {"metadata-location": str(self.metadata), "metadata": json.loads(self.metadata.read_text())}
        config: dict = {"defaults": {}, "overrides": {}}
        path = self.path.split("?")[0]
        body = json.dumps(
            config
            if path == "/v1/config"
            else known
            if path in tables
            else {"error": {"message": "Table does not exist", "type": "NoSuchTableException", "code": 404}}
        ).encode()
        self.send_response(200 if path == "/v1/config" or path in tables else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_a_table_of_a_rest_catalog_is_proved_without_java(home: Path):
    write(home, "iceberg", rows(1, 2, None))
    located = catalog(home).load_table("n.t")
    handler = type("Handler", (Rest,), {"metadata": Path(located.metadata_location)})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        (home / "manifest.yaml").write_text(f"catalogs: {{lake: {{type: rest, uri: '{address}'}}}}\n")
        code, result = judged(home, "lake.n.t")
        missing, nothing = judged(home, "lake.n.other")
        server.shutdown()
    assert (code, failed(result)) == (1, {"prices.id:null-value": ("FLOE-E550", "error")})
    assert result["snapshot"] == str(located.metadata.current_snapshot_id)
    assert (missing, "does not exist" in json.dumps(nothing)) == (2, True)


@pytest.fixture
def silent_server() -> Iterator[int]:
    """A server that takes connections and never answers."""
    server = socket.create_server(("127.0.0.1", 0))
    kept: list[socket.socket] = []

    def take() -> None:
        while True:
            try:
                kept.append(server.accept()[0])
            except OSError:
                return

    threading.Thread(target=take, daemon=True).start()
    yield server.getsockname()[1]
    server.close()
    for one in kept:
        one.close()


def test_a_catalog_that_never_answers_is_given_up(home: Path, silent_server: int, monkeypatch: pytest.MonkeyPatch):
    from floe.actions.load.settings import load_settings
    from floe.actions.verify import verify_tables
    from floe.tables.iceberg import metadata as iceberg
    from floe.tables.locate import TableSelector

    monkeypatch.setattr(iceberg, "PATIENCE", 1)
    known = load_settings(
        {"catalogs": {"ice": {"type": "rest", "uri": f"http://127.0.0.1:{silent_server}"}}}, start=home
    )
    (result,) = verify_tables([home / "prices.yaml"], TableSelector(table="ice.n.t"), known).results
    assert {one.cause for one in result.not_evaluated} == {
        "The catalog 'ice' cannot be reached: no answer within 1 seconds"
    }


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_table_costs_is_held_to_its_budget(tmp_path: Path, form: str):
    budget = "customProperties:\n  - property: costBudget\n    value: {storage: 1 kB, compute: 2h/day}\n"
    (tmp_path / "small.yaml").write_text(HEAD + budget)
    (tmp_path / "large.yaml").write_text(HEAD + budget.replace("1 kB", "1 GB"))
    (tmp_path / "odd.yaml").write_text(HEAD + budget.replace("1 kB", "much"))
    name = write(tmp_path, form, rows(1, 2, 3))
    said = {}
    for one in ("small", "large", "odd"):
        done = run_floe("test", f"{one}.yaml", "--table", name, "--format", "json", cwd=tmp_path, **NO_JAVA)
        found = {e["name"]: e for e in json.loads(done.stdout)["results"][0]["expectations"]}
        said[one] = (done.returncode, found["costBudget.storage"]["code"], found["costBudget.storage"]["outcome"])
        assert found["costBudget.compute"]["outcome"] == "pass"
    assert said == {
        "small": (1, "FLOE-E565", "fail"),
        "large": (0, "FLOE-E565", "pass"),
        "odd": (2, "FLOE-E580", "not_evaluated"),
    }
