"""Contracts in Iceberg catalogs: SQL on SQLite and PostgreSQL, and a real REST server."""

import http.server
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.catalog import Catalog, load_catalog

from floe.actions.load.settings import load_settings
from floe.actions.outbox import send_due, send_waiting
from floe.model import RegistryError, SendError
from floe.registry import open_store, outbox
from floe.registry.catalogs import catalog_message, listed
from floe.registry.catalogs.catalog import ContractCatalog, ContractMetadata
from floe.registry.catalogs.opened import open_catalog
from floe.registry.catalogs.properties import Held, difference, held, with_contract
from floe.settings import Settings
from tests.conftest import Lake, spark_settings
from tests.helpers.orders import frame, order
from tests.helpers.proxy import proxied
from tests.helpers.rest_server import Rest, make_rest

AT = "2026-11-16T00:00:00.000Z"
REPOSITORY = "github.com/acme/sales-customer-360"
METADATA = ContractMetadata("sales-analytics@acme.com", "Customer master data contract", AT)


@pytest.fixture(scope="session")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rest]:
    server = make_rest(tmp_path_factory.mktemp("rest"))
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql", pytest.param("rest", marks=pytest.mark.spark)])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """An empty catalog of each kind, as settings name it."""
    if request.param == "sqlite":
        return {"type": "sql", "uri": "sqlite:///.floe/catalog.db", "warehouse": str(tmp_path)}
    if request.param == "postgresql":
        return {"type": "sql", "uri": request.getfixturevalue("postgres").database(), "warehouse": str(tmp_path)}
    server: Rest = request.getfixturevalue("rest")
    _emptied(load_catalog("lake", type="rest", uri=server.url))
    return {"type": "rest", "uri": server.url}


def _emptied(catalog: Catalog) -> None:
    for domain in catalog.list_namespaces():
        for space in catalog.list_namespaces(domain):
            catalog.drop_namespace(space)
        catalog.drop_namespace(domain)


def settings_of(tmp_path: Path, **catalogs: object) -> Settings:
    return load_settings({"catalogs": catalogs}, start=tmp_path)


@pytest.fixture
def settings(options: dict[str, str], tmp_path: Path) -> Settings:
    return settings_of(tmp_path, lake=options)


@pytest.fixture
def catalog(settings: Settings) -> Catalog:
    return open_catalog("lake", settings)


def put(
    settings: Settings, name: str = "customers", version: str = "1.0.0", hash_: str | None = "sha256:1", **more
) -> None:
    """What publish does in the transaction of a registration."""
    contract = {"contract_id": f"sales.customer_360/{name}", "domain": "sales", "product": "customer_360"}
    contract |= {"name": name, "owner": "team", "repository": REPOSITORY}
    row = {"version": version, "schema_hash": hash_, "effective_hash": "sha256:e"}
    given = {"catalog": "lake", **more}
    message = catalog_message(given.pop("catalog"), {**contract, **given}, row, description="All of them", at=AT)
    with open_store(settings.registry.url, settings.root).begin(writes=True) as connection:
        outbox.put(connection, **message, at=AT)


def test_register_contract_writes_the_properties_of_its_namespace(catalog: Catalog):
    ours = ContractCatalog(catalog, REPOSITORY)
    ours.register_contract("sales.customer_360", "customers", "1.0.0", "sha256:abc", METADATA)
    ours.register_contract("sales.customer_360", "orders", "2.1.0", "sha256:def", ContractMetadata())
    there = catalog.load_namespace_properties(("sales", "customer_360"))
    assert {key: value for key, value in there.items() if key.startswith("floe.")} == {
        "floe.product.name": "customer_360",
        "floe.product.repo": REPOSITORY,
        "floe.contracts": '["customers:1.0.0", "orders:2.1.0"]',
        "floe.contract.customers.version": "1.0.0",
        "floe.contract.customers.schema_hash": "sha256:abc",
        "floe.contract.customers.owner": "sales-analytics@acme.com",
        "floe.contract.customers.description": "Customer master data contract",
        "floe.contract.customers.registered_at": AT,
        "floe.contract.orders.version": "2.1.0",
        "floe.contract.orders.schema_hash": "sha256:def",
    }


def test_again_changes_nothing_and_other_content_is_refused(catalog: Catalog):
    ours = ContractCatalog(catalog, REPOSITORY)
    ours.register_contract("sales.customer_360", "customers", "1.0.0", "sha256:abc", METADATA)
    before = catalog.load_namespace_properties(("sales", "customer_360"))
    later = ContractMetadata("sales-analytics@acme.com", "Customer master data contract", "2027-01-01T00:00:00.000Z")
    ours.register_contract("sales.customer_360", "customers", "1.0.0", "sha256:abc", later)
    assert catalog.load_namespace_properties(("sales", "customer_360")) == before
    with pytest.raises(SendError, match="hash sha256:abc, this version has sha256:other") as caught:
        ours.register_contract("sales.customer_360", "customers", "1.0.0", "sha256:other", METADATA)
    assert (caught.value.code, caught.value.permanent) == ("E523", True)


def test_two_majors_stand_side_by_side_and_a_newer_minor_takes_its_place(catalog: Catalog, settings: Settings):
    ours = ContractCatalog(catalog, REPOSITORY)
    for version in ("1.0.0", "2.0.0", "1.10.0", "1.9.0"):
        ours.register_contract("sales.customer_360", "customers", version, f"sha256:{version}", METADATA)
    there = catalog.load_namespace_properties(("sales", "customer_360"))
    assert json.loads(there["floe.contracts"]) == ["customers:1.10.0", "customers:2.0.0"]
    assert there["floe.contract.customers.version"] == "2.0.0"
    assert there["floe.contract.customers@1.schema_hash"] == "sha256:1.10.0"
    assert [(one.contract_id, one.version, one.schema_hash) for one in listed(settings)] == [
        ("sales.customer_360/customers", "1.10.0", "sha256:1.10.0"),
        ("sales.customer_360/customers", "2.0.0", "sha256:2.0.0"),
    ]


def test_a_namespace_belongs_to_the_repository_that_came_first(catalog: Catalog):
    ContractCatalog(catalog, f"https://{REPOSITORY}.git").register_contract(
        "sales.customer_360", "customers", "1.0.0", "sha256:abc", METADATA
    )
    mine = ContractCatalog(catalog, f"git@{REPOSITORY.replace('/', ':', 1)}.git")
    mine.register_contract("sales.customer_360", "orders", "1.0.0", "sha256:def", METADATA)
    for repository in ("github.com/other/shop", ""):
        with pytest.raises(SendError, match=f"belongs to the repository https://{REPOSITORY}.git") as caught:
            ContractCatalog(catalog, repository).register_contract(
                "sales.customer_360", "more", "1.0.0", "sha256:abc", METADATA
            )
        assert (caught.value.code, caught.value.permanent) == ("E541", True)


def test_a_transferred_contract_says_its_own_repository(settings: Settings, catalog: Catalog):
    other = "github.com/other/shop"
    put(settings)
    put(settings, "orders")
    put(settings, repository=other, repository_before=REPOSITORY)
    put(settings, "customers", "1.1.0", repository=other)
    put(settings, "orders", "1.1.0")
    done = send_due(settings, 20)
    assert (done.sent, done.said) == (5, [])
    there = catalog.load_namespace_properties(("sales", "customer_360"))
    assert there["floe.product.repo"] == REPOSITORY
    assert {one.contract_id: (one.version, one.repository) for one in listed(settings)} == {
        "sales.customer_360/customers": ("1.1.0", other),
        "sales.customer_360/orders": ("1.1.0", REPOSITORY),
    }
    put(settings, "customers", "1.2.0")  # its former repository
    put(settings, "orders", "1.2.0", repository=other)
    assert send_due(settings, 20).dead == 2
    put(settings, repository=REPOSITORY, repository_before=other, version="1.1.0")  # and back
    assert send_due(settings, 20).sent == 1
    assert "floe.contract.customers.repository" not in catalog.load_namespace_properties(("sales", "customer_360"))


def test_a_retired_major_leaves_the_catalog_and_its_namespace_stays_owned(settings: Settings, catalog: Catalog):
    ours = ContractCatalog(catalog, REPOSITORY)
    for version in ("1.0.0", "2.0.0"):
        ours.register_contract("sales.customer_360", "customers", version, f"sha256:{version}", METADATA)
    ours.retire_contract("sales.customer_360", "customers", 2)
    there = catalog.load_namespace_properties(("sales", "customer_360"))
    assert there["floe.contracts"] == '["customers:1.0.0"]'
    assert there["floe.contract.customers.version"] == "1.0.0"
    assert "floe.contract.customers@1.version" not in there
    with pytest.raises(SendError, match="belongs to the repository"):
        ContractCatalog(catalog, "github.com/other/shop").retire_contract("sales.customer_360", "customers", 1)
    for _ in range(2):  # again is nothing
        ours.retire_contract("sales.customer_360", "customers", 1)
    assert listed(settings) == []
    there = catalog.load_namespace_properties(("sales", "customer_360"))
    assert {key for key in there if key.startswith("floe.")} == {"floe.product.name", "floe.product.repo"}
    ours.retire_contract("sales.never_there", "customers", 1)
    assert ("sales", "never_there") not in catalog.list_namespaces(("sales",))


def test_what_others_wrote_to_the_namespace_stays(catalog: Catalog):
    catalog.create_namespace(("sales",))
    catalog.create_namespace(("sales", "customer_360"), {"team": "blue"})
    ContractCatalog(catalog, REPOSITORY).register_contract("sales.customer_360", "c", "1.0.0", "sha256:a", METADATA)
    assert catalog.load_namespace_properties(("sales", "customer_360"))["team"] == "blue"


def test_a_product_of_many_contracts_with_long_texts_fits(catalog: Catalog, settings: Settings):
    ours = ContractCatalog(catalog, REPOSITORY)
    long = ContractMetadata("me", "ü" * 5000, AT)
    names = [f"contract_with_a_rather_long_name_{number:03}" for number in range(40)]
    for name in names:
        ours.register_contract("sales.customer_360", name, "1.0.0", "sha256:a", long)
    there = catalog.load_namespace_properties(("sales", "customer_360"))
    parts = [json.loads(there[key]) for key in ("floe.contracts", "floe.contracts.2")]
    assert [*parts[0], *parts[1]] == [f"{name}:1.0.0" for name in names]
    assert max(len(value) for value in there.values()) <= 1000
    assert len(listed(settings)) == 40


def test_the_outbox_brings_contracts_into_the_catalog(settings: Settings):
    put(settings)
    put(settings, "orders", "2.1.0", None)
    done = send_due(settings, 20)
    assert (done.sent, done.said) == (2, [])
    found = {one.contract_id: one for one in listed(settings)}
    assert sorted(found) == ["sales.customer_360/customers", "sales.customer_360/orders"]
    one = found["sales.customer_360/orders"]
    assert (one.version, one.schema_hash, one.owner, one.repository) == ("2.1.0", "sha256:e", "team", REPOSITORY)


def test_another_repositorys_namespace_is_a_dead_letter_and_the_others_go_on(settings: Settings):
    put(settings)
    put(settings, "stolen", repository="github.com/other/shop")
    put(settings, "orders")
    done = send_due(settings, 20)
    assert (done.sent, done.dead) == (2, 1)
    assert done.said[0].startswith("FLOE-E541: The namespace sales.customer_360 belongs to the repository")
    assert [one.contract_id for one in listed(settings)] == [
        "sales.customer_360/customers",
        "sales.customer_360/orders",
    ]


def test_many_writers_lose_no_contract(settings: Settings, catalog: Catalog):
    failed = []

    def write(number: int) -> None:
        ours = ContractCatalog(open_catalog("lake", settings), REPOSITORY)
        for attempt in range(10):
            try:
                ours.register_contract("sales.customer_360", f"c{number}", "1.0.0", "sha256:a", METADATA)
                return
            except Exception as error:  # noqa: BLE001  (what the outbox does)
                if attempt == 9:
                    failed.append(error)
                time.sleep(0.05 * number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    there = catalog.load_namespace_properties(("sales", "customer_360"))
    assert [one.name for one in held(there)] == ["c0", "c1", "c2", "c3"]


# ── faults ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(params=["postgresql", pytest.param("rest", marks=pytest.mark.spark)])
def behind(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple]:
    """A catalog behind a proxy: its settings, and the proxy."""
    if request.param == "rest":
        server: Rest = request.getfixturevalue("rest")
        _emptied(load_catalog("lake", type="rest", uri=server.url))
        with proxied(server.port) as proxy:
            yield settings_of(tmp_path, lake={"type": "rest", "uri": f"http://127.0.0.1:{proxy.port}"}), proxy
        return
    postgres = request.getfixturevalue("postgres")
    with proxied(postgres.port) as proxy:
        uri = postgres.database().replace(str(postgres.port), str(proxy.port))
        yield settings_of(tmp_path, lake={"type": "sql", "uri": uri}), proxy


@pytest.mark.parametrize("mode", ["reset", "stall"])
def test_a_catalog_out_of_reach_is_a_warning_and_the_message_is_sent_when_it_is_back(behind: tuple, mode: str):
    settings, proxy = behind
    proxy.mode = mode
    put(settings)
    started = time.monotonic()
    done = send_due(settings, 3)
    assert time.monotonic() - started < 5
    assert (done.sent, done.failed, done.dead) == (0, 1, 0)
    assert done.said[0].startswith("FLOE-E540: The catalog 'lake' is out of reach: ")
    if mode == "reset":
        with pytest.raises(RegistryError, match="out of reach"):
            listed(settings)
    proxy.mode = "pass"
    assert send_waiting(settings, 20, everything=True).sent == 1
    assert [one.version for one in listed(settings)] == ["1.0.0"]


def test_a_catalog_that_applies_and_then_loses_the_connection_holds_one_contract(behind: tuple):
    settings, proxy = behind
    put(settings)
    send_due(settings, 20)
    proxy.mode = "cut"
    proxy.only = b"/properties" if settings.catalogs["lake"]["type"] == "rest" else b"COMMIT"
    put(settings, "orders", hash_="sha256:o")
    done = send_due(settings, 10)
    assert (done.sent, done.failed) == (0, 1)
    proxy.mode = "pass"
    before = [one for one in listed(settings) if one.contract_id.endswith("/orders")]
    assert len(before) == 1  # it was applied
    assert send_waiting(settings, 20, everything=True).sent == 1
    found = [(one.contract_id, one.version, one.schema_hash) for one in listed(settings)]
    assert found == [
        ("sales.customer_360/customers", "1.0.0", "sha256:1"),
        ("sales.customer_360/orders", "1.0.0", "sha256:o"),
    ]


def wrong(tmp_path: Path, name: str = "lake", **options: str) -> tuple[str, str]:
    """The state of a message to a catalog of wrong settings, beside one to a right one; and what is said."""
    right = {"type": "sql", "uri": "sqlite:///right.db"}
    settings = settings_of(tmp_path, right=right, **({name: options} if options else {}))
    put(settings, catalog="lake")
    put(settings, catalog="right")
    done = send_due(settings, 20)
    assert [one.contract_id for one in listed(settings, "right")] == ["sales.customer_360/customers"]
    store = open_store(settings.registry.url, tmp_path)
    (state,) = [
        one["state"]
        for one in outbox.messages(store, ("waiting", "dead", "sent"))
        if one["payload"]["catalog"] == "lake"
    ]
    return state, "\n".join(done.said)


def test_an_unknown_catalog(tmp_path: Path):
    state, said = wrong(tmp_path)
    assert state == "dead"
    assert "No catalog is called 'lake' (known: right)" in said


def test_a_catalog_of_an_unknown_type(tmp_path: Path):
    state, said = wrong(tmp_path, type="polaris")
    assert state == "dead"
    assert "is of type 'polaris', which is not one of sql, rest" in said


def test_a_hadoop_catalog_is_skipped(tmp_path: Path):
    state, said = wrong(tmp_path, type="hadoop", warehouse=str(tmp_path))
    assert state == "sent"
    assert "is of type hadoop, which has no namespace properties; its contracts are skipped" in said
    with pytest.raises(RegistryError, match="hadoop"):
        listed(settings_of(tmp_path, lake={"type": "hadoop"}))


@pytest.mark.parametrize(
    ("uri", "state"),
    [("http://127.0.0.1:9", "waiting"), ("no address", "dead"), ("ftp://127.0.0.1/x", "dead"), ("", "dead")],
)
def test_a_wrong_rest_address(tmp_path: Path, uri: str, state: str):
    was, said = wrong(tmp_path, type="rest", uri=uri)
    assert was == state, said
    assert "FLOE-E540: The catalog 'lake'" in said


class Answers(http.server.BaseHTTPRequestHandler):
    """A server at the catalog's address that answers everything alike."""

    status = 200
    body = b"<html>welcome</html>"

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (400, "dead"),
        (401, "dead"),
        (403, "dead"),
        (429, "waiting"),
        (500, "waiting"),
        (503, "waiting"),
        (200, "waiting"),
    ],
)
def test_what_a_rest_server_answers_says_whether_to_try_again(tmp_path: Path, status: int, state: str):
    handler = type("Handler", (Answers,), {"status": status})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        uri = f"http://127.0.0.1:{server.server_port}"
        was, said = wrong(tmp_path, type="rest", uri=uri, token="hunter2")
        server.shutdown()
    assert was == state, said
    assert "FLOE-E540: The catalog 'lake'" in said
    assert "hunter2" not in said


def test_wrong_database_addresses(tmp_path: Path, postgres):
    for uri, state in (
        ("postgresql://postgres@127.0.0.1:9/x", "waiting"),
        ("postgresql://nobody:hunter2@127.0.0.1:9/x", "waiting"),
        ("oracel://x", "dead"),
    ):
        folder = tmp_path / uri.replace("/", "_")
        folder.mkdir()
        was, said = wrong(folder, type="sql", uri=uri)
        assert was == state, said
        assert "hunter2" not in said


def test_no_rights(tmp_path: Path, postgres):
    import psycopg

    url = postgres.database()
    load_catalog("lake", type="sql", uri=url.replace("postgresql://", "postgresql+psycopg://"))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    state, said = wrong(tmp_path, type="sql", uri=url.replace("postgres@", "reader@"))
    assert state == "dead"
    assert "The catalog 'lake' refuses" in said
    assert "permission denied" in said


def test_a_read_only_file(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    state, said = wrong(tmp_path, type="sql", uri="sqlite:///folder")
    assert state == "waiting"
    assert "FLOE-E540: The catalog 'lake' is out of reach" in said


def test_a_message_without_what_a_catalog_needs(tmp_path: Path):
    settings = settings_of(tmp_path, lake={"type": "sql", "uri": "sqlite:///c.db"})
    with open_store(settings.registry.url, tmp_path).begin(writes=True) as connection:
        outbox.put(connection, sink="catalog", key="lake:x", payload={"catalog": "lake"}, at=AT)
    done = send_due(settings, 10)
    assert (done.dead, "The message has no 'domain'" in done.said[0]) == (1, True)


def test_a_message_that_names_no_catalog_goes_to_the_settings_first(tmp_path: Path):
    settings = settings_of(tmp_path, a={"type": "sql", "uri": "sqlite:///a.db"}, b={"type": "hadoop"})
    put(settings, catalog=None)
    assert send_due(settings, 10).said == []
    assert len(listed(settings, "a")) == 1
    put(settings, "orders", catalog=None)
    done = send_due(settings_of(tmp_path), 10)
    assert (done.sent, done.said) == (1, ["The settings have no catalog; contracts are in the registry only"])


def test_a_registry_that_somebody_holds_does_not_hold_up_who_publishes(tmp_path: Path):
    settings = settings_of(tmp_path, lake={"type": "sql", "uri": "sqlite:///c.db"})
    put(settings)
    store = open_store(settings.registry.url, tmp_path)
    started = time.monotonic()
    with store.begin(writes=True):
        done = send_due(settings, 1)
    assert time.monotonic() - started < 5
    assert done.said == ["The outbox was not sent: no answer within 2 seconds"]
    for _ in range(100):  # who was held up goes on, and marks what it sent
        if outbox.count(store).sent:
            break
        time.sleep(0.1)
    assert outbox.count(store).sent == 1


def test_listing_makes_no_file(tmp_path: Path):
    settings = load_settings(start=tmp_path)
    assert listed(settings) == []
    assert os.listdir(tmp_path) == []
    assert listed(settings_of(tmp_path)) == []


def test_send_due_without_a_registry_or_with_a_dead_one_raises_nothing(tmp_path: Path):
    assert send_due(load_settings(start=tmp_path)).said == []
    dead = load_settings({"registry.url": "postgresql://postgres@127.0.0.1:9/x"}, start=tmp_path)
    assert send_due(dead).said[0].startswith("The outbox was not sent: The registry postgresql")


# ── the properties alone ────────────────────────────────────────────────────────────────────────────────────────────


def test_names_with_dots_and_signs_come_back():
    properties: dict[str, str] = {}
    for name in ("a.b", "a", "version", "a.version", "x@y", "übung"):
        properties |= with_contract(properties, Held(name, "1.0.0", f"sha256:{name}", registered_at=AT))
    assert sorted(one.name for one in held(properties)) == ["a", "a.b", "a.version", "version", "x@y", "übung"]
    assert all(one.schema_hash == f"sha256:{one.name}" for one in held(properties))


def test_a_shorter_list_takes_its_longer_parts_away():
    there = {"floe.contracts": "[]", "floe.contracts.2": "[]", "floe.contract.x.version": "1.0.0", "team": "blue"}
    assert difference(there, {"floe.contracts": '["a:1.0.0"]'}) == (
        {"floe.contracts.2", "floe.contract.x.version"},
        {"floe.contracts": '["a:1.0.0"]'},
    )


def test_broken_properties_are_no_contracts():
    assert held({"floe.contract.x.version": "one", "floe.contract.x.schema_hash": "h"}) == []
    assert held({"floe.contract.x.version": "1.0.0", "floe.contracts": "nonsense"}) == []


# ── what Spark sees ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.spark
def test_spark_sees_the_embedded_catalogs_contracts(spark, spark_root: Path, tmp_path: Path):
    settings = spark_settings(spark_root, tmp_path)
    put(settings, catalog=None, product="seen_by_spark", repository="github.com/acme/seen")
    assert send_due(settings, 30).said == []
    rows = spark.sql("DESCRIBE NAMESPACE EXTENDED ice.sales.seen_by_spark").collect()
    (said,) = [row.info_value for row in rows if row.info_name == "Properties"]
    assert '(floe.contracts,["customers:1.0.0"])' in said
    assert "(floe.product.repo,github.com/acme/seen)" in said


@pytest.mark.spark
def test_a_table_says_which_contract_holds_it(spark, lake: Lake):
    import floe
    from floe.tables import probe

    floe.enforce(frame(spark, order(1)), lake.table_id, settings=lake.settings)
    facts = probe(lake.target, lake.settings)
    assert facts is not None
    assert facts.properties["floe.contract"] == f"{lake.table_id.split('.')[1]}.orders/orders_clean:1.0.0"
    assert facts.properties["floe.schema_version"] == "1"
    assert facts.properties["floe.schema_hash"].startswith("sha256:")
