"""Features served over HTTP and training runs tagged, from real Delta and Iceberg tables; no JVM but in the last test."""

import datetime
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import uvicorn
from deltalake import CommitProperties, DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import LongType

import floe
from floe.actions.features import feature_table, features
from floe.actions.load.settings import load_settings
from floe.model import Dataset
from floe.model.contract import as_of_field, entity_keys
from floe.model.result import Result, WriteResult
from tests.conftest import FLOE, ROOT, run_floe, spark_settings

TABLE = "gold.commerce.customer_features"
CONTRACT = ROOT / "tests/cases/odcs/dialects/c-gold-customer_features.yaml"
HASH = "sha256:" + "ab" * 32
NEXT = "sha256:" + "cd" * 32
JAN = datetime.date(2026, 1, 31)
FEB = datetime.date(2026, 2, 28)
SCHEMA = pa.schema(
    [
        ("customer_id", pa.string()),
        ("as_of_date", pa.date32()),
        ("orders_30d", pa.int32()),
        ("spend_30d", pa.float64()),
    ]
)
# the contract of the tables below, which say HASH: a promise that no file here needs to hash to
GOLD = """table_id: gold.commerce.customer_features
schema_version: 2
columns:
  - {name: customer_id, type: string, nullable: false}
  - {name: as_of_date, type: date, nullable: false}
  - {name: orders_30d, type: int, nullable: true}
  - {name: spend_30d, type: double, nullable: true}
primary_keys: [customer_id, as_of_date]
join_keys: [customer_id]
snapshot_keys: [customer_id, as_of_date]
"""
ROWS = [("c1", JAN, 3, 9.5), ("c1", FEB, 4, float("nan")), ("c2", JAN, 1, None), ("it's", FEB, 7, 1.0)]


@dataclass
class House:
    """A folder with one Gold table of a format."""

    root: Path
    form: str

    def marks(self, version: int, digest: str) -> dict[str, str]:
        return {"floe.schema_version": str(version), "floe.schema_hash": digest}

    @property
    def path(self) -> str:
        return str(self.root / ".floe/warehouse/gold_commerce/customer_features")

    def make(self, data: pa.Table | None = None) -> None:
        data = data or pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in ROWS], SCHEMA)
        if self.form == "delta":
            DeltaTable.create(self.path, data.schema, configuration=self.marks(2, HASH), raise_if_key_not_exists=False)
        else:
            catalog = self.catalog()
            catalog.create_namespace("gold_commerce")
            catalog.create_table("gold_commerce.customer_features", data.schema, properties=self.marks(2, HASH))
        self.append(data, 2, HASH)

    def catalog(self) -> SqlCatalog:
        (self.root / ".floe").mkdir(exist_ok=True)
        return SqlCatalog(
            "ice", uri=f"sqlite:///{self.root}/.floe/catalog.db", warehouse=f"{self.root}/.floe/warehouse"
        )

    def append(self, data: pa.Table, version: int, digest: str) -> None:
        """A commit as floe's gates make it, which says the schema it was written under."""
        marks = self.marks(version, digest)
        if self.form == "delta":
            said = CommitProperties(custom_metadata={"userMetadata": json.dumps(marks)})
            write_deltalake(self.path, data, mode="append", commit_properties=said)
        else:
            self.catalog().load_table("gold_commerce.customer_features").append(data, snapshot_properties=marks)

    def evolve(self, kind: str, *, recorded: bool = True) -> None:
        """Another schema in the same table; where `recorded` the table says so."""
        if self.form == "delta":
            fields = {
                "added": [*SCHEMA, pa.field("visits", pa.int64())],
                "reordered": [SCHEMA.field(i) for i in (0, 1, 3, 2)],
                "retyped": [SCHEMA.field(0), SCHEMA.field(1), pa.field("orders_30d", pa.int64()), SCHEMA.field(3)],
            }[kind]
            # columns keep their places where an overwrite has the same ones, so they go away first
            for one in (fields[:1], fields):
                write_deltalake(self.path, pa.schema(one).empty_table(), mode="overwrite", schema_mode="overwrite")
            if recorded:
                DeltaTable(self.path).alter.set_table_properties(self.marks(3, NEXT), raise_if_not_exists=False)
            return
        table = self.catalog().load_table("gold_commerce.customer_features")
        with table.update_schema() as change:
            if kind == "added":
                change.add_column("visits", LongType())
            elif kind == "reordered":
                change.move_before("spend_30d", "orders_30d")
            else:
                change.update_column("orders_30d", LongType())
        if recorded:
            with table.transaction() as transaction:
                transaction.set_properties(self.marks(3, NEXT))


def build(root: Path, form: str) -> House:
    (root / "manifest.yaml").write_text(f"tables: {{format: {form}}}\n")
    path = root / "contracts/gold/commerce/customer_features.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(GOLD)
    house = House(root, form)
    house.make()
    return house


@pytest.fixture(params=["delta", "iceberg"])
def house(tmp_path: Path, request: pytest.FixtureRequest) -> House:
    return build(tmp_path, request.param)


@contextmanager
def served(root: Path, *words: str) -> Iterator[str]:
    """The address of a real service in a process of its own; Ctrl-C must end it with exit 0 and no traceback."""
    with serving(root, *words) as (address, _):
        yield address


@contextmanager
def serving(root: Path, *words: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("FLOE_")}
    command = [str(FLOE), "serve", "features", *(words or (TABLE,)), "--port", "0"]
    with subprocess.Popen(command, cwd=root, env=clean, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        said = [process.stderr.readline()]
        try:
            assert said[0].startswith("· http://127.0.0.1:"), said[0] + process.stderr.read()
            while "Ctrl-C" not in said[-1]:
                said.append(process.stderr.readline())
            yield said[0].removeprefix("· ").split("/features/")[0], process
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
    assert (process.returncode, rest) == (0, "· stopped\n")


@contextmanager
def served_here(root: Path) -> Iterator[str]:
    """The address of the same service in a thread, which starts faster."""
    from floe.server.features import app

    with socket.create_server(("127.0.0.1", 0)) as bound:
        made = app([feature_table(TABLE, load_settings(start=root))], "127.0.0.1")
        server = uvicorn.Server(uvicorn.Config(made, log_level="warning", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def get(address: str, host: str | None = None, **asked: str) -> tuple[int, Any]:
    query = f"?{urllib.parse.urlencode(asked)}" if asked else ""
    request = urllib.request.Request(address + query, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        return error.code, json.loads(text) if text.startswith("{") else text


def test_features_of_a_key_at_a_day(house: House):
    with served(house.root) as address:
        here = f"{address}/features/{TABLE}"
        status, body = get(here, customer_id="c1")
        assert (status, body["table"], body["as_of"]) == (200, TABLE, "2026-02-28")
        assert body["feature_version"] == f"{TABLE}@2026-02-28/v2-abababab"
        assert body["features"] == {"orders_30d": 4, "spend_30d": "NaN"}
        assert get(here, customer_id="c1", as_of="2026-02-27")[1]["features"] == {"orders_30d": 3, "spend_30d": 9.5}
        assert get(here, customer_id="c1", as_of="2026-01-31")[1]["as_of"] == "2026-01-31"
        assert get(here, customer_id="c2")[1]["features"] == {"orders_30d": 1, "spend_30d": None}
        assert get(here, customer_id="it's")[1]["features"]["orders_30d"] == 7

        # a model of this schema, by each way of saying so
        assert get(here, customer_id="c1", feature_version=f"{TABLE}@2026-01-31/v2-abababab")[0] == 200
        assert get(here, customer_id="c1", schema_version="2", schema_hash=HASH)[0] == 200

        for asked in ({"customer_id": "c1", "as_of": "2026-01-30"}, {"customer_id": "' OR 1=1 --"}):
            status, body = get(here, **asked)
            assert (status, "customer" in body["error"]["message"]) == (404, True)
            assert not any(value in json.dumps(body) for value in asked.values())
        for asked in (
            {},
            {"customer_id": "c1", "colour": "x"},
            {"customer_id": "c1", "as_of": "20260131"},
            {"customer_id": "c1", "as_of": "2026-02-30"},
            {"customer_id": "c1", "schema_version": "two"},
            {"customer_id": "c1", "schema_hash": "x"},
            {"customer_id": "c1", "feature_version": "gold.a.b@2026-01-31/v2-abababab"},
            {"customer_id": "c1", "feature_version": "v2"},
        ):
            status, body = get(here, **asked)
            assert (status, bool(body["error"]["suggestion"])) == (400, True), asked
        assert get(f"{here}?customer_id=c1&customer_id=c2")[0] == 400
        assert get(f"{address}/features/gold.a.b")[1]["error"]["suggestion"] == f"Served tables: {TABLE}"

        # the service describes itself, and answers no page that calls it by another name
        described = get(f"{address}/openapi.json")[1]["paths"][f"/features/{TABLE}"]["get"]
        assert [one["name"] for one in described["parameters"] if one["required"]] == ["customer_id"]
        assert {"200", "400", "404", "503"} <= set(described["responses"])
        assert get(f"{address}/health", host="evil.example")[0] == 400

        # what is committed meanwhile is seen, and a table that goes away is said
        late = dict(zip(SCHEMA.names, ("c1", datetime.date(2026, 3, 31), 9, 0.0), strict=True))
        house.append(pa.Table.from_pylist([late], SCHEMA), 2, HASH)
        assert get(here, customer_id="c1")[1]["features"]["orders_30d"] == 9
        assert get(f"{address}/health")[1]["tables"][0] == {
            "table": TABLE,
            "schema_version": 2,
            "schema_hash": HASH,
            "status": "ok",
        }
        shutil.rmtree(house.root / ".floe/warehouse")
        (house.root / ".floe/catalog.db").unlink(missing_ok=True)
        assert get(f"{address}/health")[0] == 503
        assert get(here, customer_id="c1")[0] == 503


CHANGES = {
    "added": {"change": "added", "field": "visits", "before": None, "now": "bigint"},
    "retyped": {"change": "retyped", "field": "orders_30d", "before": "int", "now": "bigint"},
    "reordered": {
        "change": "reordered",
        "field": None,
        "before": "customer_id, as_of_date, orders_30d, spend_30d",
        "now": "customer_id, as_of_date, spend_30d, orders_30d",
    },
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_model_of_another_schema_is_told_both_versions_and_what_differs(house: House, kind: str):
    with served_here(house.root) as address:
        here = f"{address}/features/{TABLE}"
        house.evolve(kind)
        if house.form == "iceberg":  # what is written under the new schema says so, as floe's gates do
            fresh = house.catalog().load_table("gold_commerce.customer_features").scan().to_arrow().slice(0, 0)
        else:
            fresh = DeltaTable(house.path).to_pyarrow_table()
        house.append(fresh, 3, NEXT)
        for model in (
            {"feature_version": f"{TABLE}@2026-01-31/v2-abababab"},
            {"schema_hash": HASH},
            {"schema_version": "2"},
        ):
            status, body = get(here, customer_id="c1", **model)
            assert status == 503
            assert "v2" in body["model"] or "abababab" in body["model"]
            assert body["now"] == "v3-cdcdcdcd"
            assert body["model"] in body["error"]["message"]
            assert body["now"] in body["error"]["message"]
            assert body["differences"] == [CHANGES[kind]]
        # a schema that no snapshot is kept of: both are named, and that the rest is not known
        body = get(here, customer_id="c1", schema_hash="12345678")[1]
        assert (body["error"]["code"], body["differences"]) == ("FLOE-E580", [])
        # a model of the new schema is answered
        status, body = get(here, customer_id="c1", feature_version=f"{TABLE}@2026-02-28/v3-cdcdcdcd")
        assert status == (200 if house.form == "iceberg" else 404)


def test_a_table_changed_past_floe_is_not_served_here(house: House):
    with served_here(house.root) as address:
        house.evolve("retyped", recorded=False)
        status, body = get(f"{address}/features/{TABLE}", customer_id="c1")
        assert (status, body["differences"]) == (503, [CHANGES["retyped"]])


def test_what_cannot_be_served_is_said_and_exits_2(tmp_path: Path):
    house = build(tmp_path, "delta")
    silver = tmp_path / "silver.yaml"
    silver.write_text(GOLD.replace("gold.", "silver."))
    with served(tmp_path) as address:
        port = address.rsplit(":", 1)[1]
        said = {
            "gold.commerce.nothing": "Unknown contract",
            "silver.yaml": "is not Gold",
        }
        for name, words in said.items():
            done = run_floe("serve", "features", name, cwd=tmp_path)
            assert (done.returncode, words in done.stderr, done.stdout) == (2, True, ""), done.stderr
        done = run_floe("serve", "features", TABLE, "--port", port, cwd=tmp_path)
        assert (done.returncode, ": address already in use" in done.stderr) == (2, True)
    shutil.rmtree(house.path)
    done = run_floe("serve", "features", TABLE, cwd=tmp_path)
    assert (done.returncode, "does not exist" in done.stderr) == (2, True)
    write_deltalake(house.path, SCHEMA.empty_table())
    done = run_floe("serve", "features", TABLE, cwd=tmp_path)
    assert (done.returncode, "has no schema_version" in done.stderr) == (2, True)


@pytest.mark.filterwarnings("ignore")
def test_a_training_run_carries_the_schema_of_its_features(house: House, monkeypatch: pytest.MonkeyPatch):
    import mlflow

    monkeypatch.chdir(house.root)
    mlflow.set_tracking_uri(f"sqlite:///{house.root}/mlflow.db")
    settings = load_settings(start=house.root)
    with pytest.raises(floe.SettingError, match="No MLflow run is active"):
        floe.tag_run(TABLE, settings=settings)
    with mlflow.start_run() as run:
        floe.tag_run(TABLE, settings=settings)
    wanted = {
        "feature_schema_version": "2",
        "feature_schema_hash": HASH,
        "feature_version": f"{TABLE}@2026-02-28/v2-abababab",
        "feature_table": TABLE,
    }
    tags = mlflow.MlflowClient().get_run(run.info.run_id).data.tags
    assert {name: tags.get(name) for name in wanted} == wanted

    floe.tag_run(TABLE, run.info.run_id, as_of="2026-01-31", settings=settings)
    tags = mlflow.MlflowClient().get_run(run.info.run_id).data.tags
    assert tags["feature_version"] == f"{TABLE}@2026-01-31/v2-abababab"
    with pytest.raises(floe.EngineError, match="MLflow did not accept the tags"):
        floe.tag_run(TABLE, "no-such-run", settings=settings)

    judged = Result(contract="c", version="3.0.0", dataset="d", checked_at="2026-03-01T00:00:00.000Z", expectations=())
    written = WriteResult(
        table=TABLE,
        mode="append",
        written=1,
        refused=False,
        result=judged,
        run_id="r",
        location="",
        format="delta",
        level="block",
        schema_version=3,
        schema_hash=NEXT,
        feature_version=f"{TABLE}@2026-02-28/v3-cdcdcdcd",
    )
    assert floe.tag_run(written, run.info.run_id)["feature_schema_version"] == "3"
    assert mlflow.MlflowClient().get_run(run.info.run_id).data.tags["feature_schema_hash"] == NEXT
    with pytest.raises(floe.TableError, match="Nothing was written"):
        floe.tag_run(replace(written, feature_version=None))
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(floe.EngineError, match="'mlflow' is not installed"):
        floe.tag_run(written)


MOMENTS = [("timestamp", datetime.UTC), ("timestamp_ntz", None)]


@pytest.mark.parametrize("form", ["delta", "iceberg"])
@pytest.mark.parametrize(("kind", "zone"), MOMENTS)
def test_a_moment_dates_rows_too_and_a_day_ends_in_utc(
    tmp_path: Path, form: str, kind: str, zone: datetime.tzinfo | None
):
    house = House(tmp_path, form)
    late, next_day = datetime.datetime(2026, 1, 31, 23, 59, 59, tzinfo=zone), datetime.datetime(2026, 2, 1, tzinfo=zone)
    fields = [("shop", pa.int64()), ("price", pa.decimal128(9, 2)), ("at", pa.timestamp("us", zone and "UTC"))]
    rows = {"shop": [1, 1], "price": [Decimal("1.50"), Decimal("1.50")], "at": [late, next_day], "n": [1, 2]}
    house.make(pa.table(rows, pa.schema([*fields, ("n", pa.int32())])))
    columns = f"{{name: shop, type: bigint}}, {{name: price, type: 'decimal(9,2)'}}, {{name: at, type: {kind}}}, {{name: n, type: int}}"
    text = f"table_id: {TABLE}\nschema_version: 2\ncolumns: [{columns}]\nprimary_keys: [shop, price, at]\n"
    (tmp_path / "manifest.yaml").write_text(f"tables: {{format: {form}}}\n")
    (tmp_path / "t.yaml").write_text(text)
    table = feature_table(str(tmp_path / "t.yaml"), load_settings(start=tmp_path))
    key = {"shop": "1", "price": "1.5"}
    for as_of, number in (({"as_of": "2026-01-31"}, 1), ({"as_of": "2026-02-01"}, 2), ({}, 2)):
        answer = features(table, {**key, **as_of})
        assert (answer.status, answer.body.get("features")) == (200, {"n": number}), answer.body
    assert features(table, {**key, "as_of": "2026-01-30"}).status == 404
    for wrong in ({"shop": "x"}, {"shop": str(2**63)}, {"price": "1.555"}, {"price": "NaN"}, {"price": "99999999"}):
        assert features(table, {**key, **wrong}).status == 400, wrong


@pytest.mark.spark
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_gold_snapshots_are_named_by_their_day_and_schema(spark, spark_root: Path, tmp_path: Path, form: str):
    settings = spark_settings(spark_root, tmp_path, **{"tables.format": form})
    table_id = f"gold.d{uuid.uuid4().hex[:12]}.customer_features"
    path = tmp_path / "contracts" / Path(*table_id.split(".")).with_suffix(".yaml")
    path.parent.mkdir(parents=True)
    text = CONTRACT.read_text().replace(TABLE, table_id)
    path.write_text(text)
    noon = datetime.datetime(2026, 1, 31, 12)
    columns = "customer_id string, as_of_date date, as_of_ts timestamp, last_event_ts timestamp, orders_30d bigint, spend_30d decimal(14,2)"

    rows = [("c1", JAN, noon, noon, 3, Decimal("9.50")), ("c2", datetime.date(2026, 1, 30), noon, None, 1, None)]
    first = floe.enforce(spark.createDataFrame(rows, columns), table_id, settings=settings)
    short = str(first.schema_hash).removeprefix("sha256:")[:8]
    assert first.feature_version == f"{table_id}@2026-01-31/v2-{short}"
    with pytest.raises(floe.ViolationError) as caught:  # a snapshot key that is not there
        floe.enforce(spark.createDataFrame([("c1", None, noon, noon, 3, None)], columns), table_id, settings=settings)
    assert "E550" in [one.code for one in caught.value.result.result.failed]
    assert caught.value.result.feature_version is None

    served = feature_table(table_id, settings)
    answer = features(served, {"customer_id": "c1", "feature_version": first.feature_version})
    assert (answer.status, answer.body["feature_version"]) == (200, first.feature_version)
    assert (answer.body["features"]["orders_30d"], answer.body["features"]["spend_30d"]) == (3, Decimal("9.50"))

    # an additive feature: a new schema_version, a new feature_version, and the old model is told
    wider = text.replace("schema_version: 2", "schema_version: 3").replace(
        "primary_keys:", "  - {name: visits, type: int, nullable: true}\nprimary_keys:"
    )
    path.write_text(wider)
    more = spark.createDataFrame([("c1", FEB, noon, noon, 4, None, 8)], f"{columns}, visits int")
    second = floe.enforce(more, table_id, settings=settings)
    assert str(second.feature_version).startswith(f"{table_id}@2026-02-28/v3-")
    assert not str(second.feature_version).endswith(short)
    answer = features(served, {"customer_id": "c1", "feature_version": first.feature_version})
    assert (answer.status, answer.body["model"]) == (503, f"v2-{short}")
    added = {"change": "added", "field": "visits", "before": None, "now": "int"}
    assert answer.body["differences"] == [added]
    answer = features(served, {"customer_id": "c1", "feature_version": str(second.feature_version)})
    assert (answer.status, answer.body["features"]["visits"]) == (200, 8)


def test_a_day_is_found_where_the_contract_says_it(tmp_path: Path):
    def dataset(keys: str, joined: str) -> Dataset:
        text = GOLD.replace("[customer_id, as_of_date]", keys).replace("join_keys: [customer_id]", joined)
        return load(text).datasets[0]

    load = floe.load
    for keys, joined, day, entity in (
        ("[customer_id, as_of_date]", "join_keys: [customer_id]", "as_of_date", ["customer_id"]),
        ("[customer_id, as_of_date]", "", "as_of_date", ["customer_id"]),
        ("[customer_id]", "", None, ["customer_id"]),
        ("[as_of_date, customer_id]", "join_keys: [customer_id, as_of_date]", None, ["customer_id", "as_of_date"]),
    ):
        found = dataset(keys, joined)
        dated = as_of_field(found)
        assert (dated.name if dated else None, [one.name for one in entity_keys(found)]) == (day, entity)


def raw(address: str, request: bytes, seconds: float = 30) -> bytes:
    """What a service answers to bytes, until it closes."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as client:
        parts = []
        with suppress(ConnectionError):  # a service that has read enough closes
            client.sendall(request)
            while part := client.recv(65536):
                parts.append(part)
        return b"".join(parts)


def test_answers_are_kept_by_nobody_on_the_way_and_name_no_place(tmp_path: Path):
    house = build(tmp_path, "delta")
    close = b"\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    with served(house.root) as address:
        asked = [
            (b"GET /health HTTP/1.1" + close, b"200"),
            (f"GET /features/{TABLE}?customer_id=c1 HTTP/1.1".encode() + close, b"200"),
            (f"GET /features/{TABLE}?customer_id=nobody HTTP/1.1".encode() + close, b"404"),
            (f"GET /features/{TABLE}?wrong=%27%20OR%201=1 HTTP/1.1".encode() + close, b"400"),
            (b"GET /features/gold.x.y HTTP/1.1" + close, b"404"),
            (b"GET /../../etc/passwd HTTP/1.1" + close, b"404"),
            (f"POST /features/{TABLE} HTTP/1.1".encode() + close, b"405"),
            (b"GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", b"400"),
            (b"nonsense\r\n\r\n", b"400"),
            (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 50_000, b"400"),
        ]
        for request, status in asked:
            answer = raw(address, request)
            assert answer.split(b" ", 2)[1] == status, (request[:80], answer[:200])
            head = answer.split(b"\r\n\r\n")[0].lower()
            if not request.startswith(b"nonsense") and len(request) < 40_000:
                assert b"cache-control: no-store" in head
                assert b"x-content-type-options: nosniff" in head
                assert b"access-control-allow-origin" not in head
                assert b"set-cookie" not in head
            assert b"Traceback" not in answer
            assert str(tmp_path).encode() not in answer
        shutil.rmtree(house.root / ".floe" / "warehouse", ignore_errors=True)
        for path in house.root.rglob("_delta_log"):
            shutil.rmtree(path.parent)
        for request, _ in asked[:2]:
            answer = raw(address, request)
            assert answer.split(b" ", 2)[1] == b"503", answer[:300]
            assert str(tmp_path).encode() not in answer
            assert b"Traceback" not in answer


def test_half_sent_requests_are_given_up_and_too_many_are_turned_away(tmp_path: Path):
    house = build(tmp_path, "delta")
    with served(house.root) as address:
        host, port = address.removeprefix("http://").split(":")
        held = []
        for _ in range(600):
            client = socket.create_connection((host, int(port)), timeout=30)
            client.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a: ")
            held.append(client)
        began = time.monotonic()
        answers = []
        for client in held:
            for _ in range(3):  # a byte now and then keeps nothing
                with suppress(OSError):
                    client.send(b"b")
            try:
                answers.append(client.recv(64)[9:12])
            except OSError:
                answers.append(b"")
            client.close()
        assert time.monotonic() - began < 25
        assert answers.count(b"408") + answers.count(b"503") + answers.count(b"") == 600
        assert answers.count(b"408") >= 500
        assert answers.count(b"503") + answers.count(b"") >= 80
        assert get(f"{address}/health")[0] == 200


def test_a_request_under_way_is_answered_when_the_service_is_stopped(tmp_path: Path):
    house = build(tmp_path, "iceberg")
    catalog = sqlite3.connect(house.root / ".floe" / "catalog.db", isolation_level=None)
    with serving(house.root) as (address, process), ThreadPoolExecutor(1) as pool:
        catalog.execute("BEGIN EXCLUSIVE")  # who reads the catalog waits
        asked = pool.submit(get, f"{address}/features/{TABLE}", customer_id="c1")
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert not asked.done()
        assert process.poll() is None
        with pytest.raises(ConnectionError):  # nothing new is taken
            socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=5)
        catalog.close()
        status, body = asked.result(30)
        assert (status, body["features"]["orders_30d"]) == (200, 4)
        assert process.wait(30) == 0
