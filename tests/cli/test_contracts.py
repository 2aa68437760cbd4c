"""`floe contracts` on both databases: what a person sees, what a program reads, and clear words for bad input."""

import json
import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa

from floe.cli import main
from floe.registry import Store, open_store
from floe.registry.schema import contracts, metadata, outbox, schema_history
from floe.registry.store import HEAD, trail
from tests.helpers.customers import CUSTOMERS
from tests.helpers.registered import AT, consume, folder_with, put, retire
from tests.helpers.repositories import commit, contract, git, write

ORDERS = "sales.shop/orders"


@pytest.fixture
def store(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    root = folder_with(registry_url, tmp_path / "root")
    monkeypatch.chdir(root)
    monkeypatch.setenv("FLOE_ACTOR", "ann")
    made = open_store(registry_url, root)
    put(made, contract())
    put(
        made,
        contract("1.1.0", "order_id:string!", "legacy_status:string", "note:string"),
        tested={"skipped": "no table yet"},
    )
    put(made, CUSTOMERS, "customers.yaml")
    return made


def said(capsys, *words: object) -> tuple[int, str, str]:
    code = main(["contracts", *map(str, words)])
    out = capsys.readouterr()
    return code, out.out, out.err


def answer(capsys, *words: object):
    code, out, err = said(capsys, *words, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def refused(capsys, *words: object) -> str:
    code, _, err = said(capsys, *words)
    assert code == 2
    assert "internal error" not in err
    return err


def test_search(store: Store, capsys):
    found = answer(capsys, "search", "--limit", "1")
    assert [row["contract_id"] for row in found["contracts"]] == ["crm.people/customers"]
    assert found["after"] == "crm.people/customers"
    found = answer(capsys, "search", "--after", found["after"])
    assert ([row["newest"] for row in found["contracts"]], found["after"]) == (["1.1.0"], None)
    _, text, _ = said(capsys, "search", "--classification", "pii")
    assert text.splitlines()[1].split() == ["crm.people/customers", "1.0.0", "bea@acme.com", "customers.Email"]
    assert said(capsys, "search", "nothing", "like", "it")[:2] == (0, "No registered contract matches.\n")


def test_show_says_what_a_reader_asks(store: Store, capsys):
    consume(store, ORDERS, 1, "billing")
    consume(store, ORDERS, 1, "gone", removed=AT)
    one = answer(capsys, "show", ORDERS)
    assert (one["contract"], one["version"], one["bump"], one["state"]) == (ORDERS, "1.1.0", "MINOR", "active")
    assert (one["tested"], one["consumers"]) == ({"skipped": "no table yet"}, {"count": 1, "by_major": {"1": 1}})
    assert [field["path"] for field in one["schema"][0]["fields"]] == ["order_id", "legacy_status", "note"]
    assert [row["version"] for row in one["versions"]] == ["1.0.0", "1.1.0"]
    assert (one["live_majors"], one["warnings"]) == ([1], ["its data was not tested: no table yet"])
    older = answer(capsys, "show", f"{ORDERS}:1.0.0")
    assert (older["version"], older["tested"]) == ("1.0.0", {"outcome": "pass"})
    for name in ("urn:acme:customers", "silver.crm.customers", "crm.people/customers:1.0.0"):
        assert answer(capsys, "show", name)["contract"] == "crm.people/customers"
    _, text, _ = said(capsys, "show", "silver.crm.customers")
    for words in ("crm.people/customers:1.0.0", "Everyone who ever bought something", "bea@acme.com", "Email", "pii"):
        assert words in text
    assert "! its data was not tested: no table yet" in said(capsys, "show", ORDERS)[1]


def test_more_than_two_live_majors_are_warned_about_and_retired_ones_said(store: Store, capsys):
    put(store, contract("2.0.0", "order_id:string!"))
    assert answer(capsys, "show", ORDERS)["warnings"] == []
    put(store, contract("3.0.0", "id:string!"))
    (warning,) = answer(capsys, "show", ORDERS)["warnings"]
    assert warning == "3 MAJOR versions are live (1, 2, 3): retire all but 2"
    retire(store, ORDERS, 1, replacement=f"{ORDERS}:2.0.0")
    one = answer(capsys, "show", f"{ORDERS}:1.0.0")
    assert (one["state"], one["live_majors"], one["lifecycle"]["replacement"]) == ("retired", [2, 3], f"{ORDERS}:2.0.0")
    assert any("is retired: it is kept as history" in warning for warning in one["warnings"])
    assert [row["retired"] for row in one["versions"]] == [True, True, False, False]


def test_a_version_that_is_not_in_effect_yet_is_not_the_one_that_is_meant(store: Store, capsys):
    put(store, contract("2.0.0", "order_id:string!"), effective_from="2999-01-01")
    one = answer(capsys, "show", ORDERS)
    assert (one["version"], one["warnings"][-1]) == ("1.1.0", "2.0.0 is the newest version, in effect from 2999-01-01")


def test_history_says_who_when_and_why(store: Store, capsys):
    row = {"table_id": "silver.crm.customers", "schema_version": 1, "schema_hash": "sha256:" + "0" * 64}
    with store.begin(writes=True) as connection:
        new = {
            "changed_at": "2026-02-01T00:00:00.000Z",
            "changed_by": "job",
            "notes": "contract crm.people/customers:1.0.0",
        }
        connection.execute(sa.insert(schema_history).values(**row, **new))
    past = answer(capsys, "history", "crm.people/customers")
    assert [(one["at"][:10], one["by"], one["what"].split(" (")[0]) for one in past["events"]] == [
        ("2026-01-05", "ann", "publish 1.0.0"),
        ("2026-02-01", "job", "schema version 1 of silver.crm.customers"),
    ]
    assert past["events"][1]["why"] == "contract crm.people/customers:1.0.0"
    past = answer(capsys, "history", ORDERS)
    assert [(one["what"], one["why"]) for one in past["events"]] == [
        ("publish 1.0.0 (FIRST)", ""),
        ("publish 1.1.0 (MINOR)", "not tested: no table yet"),
    ]
    assert "publish 1.1.0 (MINOR)" in said(capsys, "history", ORDERS)[1]


def test_transfer_is_the_owners_and_leaves_audit_and_notice(store: Store, capsys, monkeypatch: pytest.MonkeyPatch):
    err = refused(capsys, "transfer", "crm.people/customers", "--to", "github.com/acme/crm")
    assert "FLOE-E541: crm.people/customers belongs to github.com/acme/shop" in err
    assert len(trail(store, "crm.people/customers")) == 1
    monkeypatch.setenv("FLOE_ACTOR", "bea@acme.com")
    words = ("transfer", "crm.people/customers", "--to", "https://github.com/acme/crm.git", "--reason", "moved teams")
    done = answer(capsys, *words)
    assert (done["from"], done["to"], done["moved"]) == ("github.com/acme/shop", "github.com/acme/crm", True)
    last = trail(store, "crm.people/customers")[-1]
    assert (last["verb"], last["actor"], last["detail"]["reason"]) == ("transfer", "bea@acme.com", "moved teams")
    with store.begin() as connection:
        (notice, told) = connection.execute(sa.select(outbox).order_by(outbox.c.id)).mappings()
        where = sa.select(contracts.c.repository).where(contracts.c.contract_id == "crm.people/customers")
        assert connection.execute(where).scalar() == "github.com/acme/crm"
    assert (notice["sink"], notice["key"], notice["state"]) == ("notification", "crm.people/customers", "sent")
    assert notice["payload"]["event"] == "ownership_transferred"
    assert (told["sink"], told["key"], told["state"]) == ("catalog", "crm.people/customers", "sent")
    assert "transfer github.com/acme/shop → github.com/acme/crm" in said(capsys, "history", "crm.people/customers")[1]
    assert answer(capsys, *words)["moved"] is False
    assert len(trail(store, "crm.people/customers")) == 2


def test_the_owning_repository_may_transfer(store: Store, capsys):
    commit()
    git("remote", "add", "origin", "git@github.com:acme/shop.git")
    assert answer(capsys, "transfer", ORDERS, "--to", "github.com/acme/elsewhere")["moved"] is True


def content(store: Store) -> dict[str, list]:
    with store.begin() as connection:
        return {
            table.name: sorted((dict(row) for row in connection.execute(sa.select(table)).mappings()), key=str)
            for table in metadata.sorted_tables
        }


def test_an_export_comes_back_as_it_was(store: Store, capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    retire(store, ORDERS, 1)
    consume(store, ORDERS, 1, "billing")
    done = answer(capsys, "export", "saved")
    assert (done["contracts"], done["versions"]) == (2, 3)
    assert Path("saved/contracts/sales.shop/orders/1.0.0.yaml").read_text() == contract()
    lines = [json.loads(line) for line in Path("saved/registry.jsonl").read_text().splitlines()]
    assert (lines[0]["format"], lines[-1]["end"]["versions"]) == ("floe/registry-export/v1", 3)
    assert all("document" not in line["row"] for line in lines[1:-1])

    whole = sum(done["rows"].values())
    again = answer(capsys, "import", "saved")
    assert (again["added"], again["known"]) == (0, whole)
    other = folder_with(f"sqlite:///{tmp_path}/other.db", tmp_path / "other")
    saved = Path("saved").resolve()
    monkeypatch.chdir(other)
    came = answer(capsys, "import", saved)
    assert (came["added"], came["known"]) == (whole, 0)
    assert content(open_store(f"sqlite:///{tmp_path}/other.db", other)) == content(store)
    answer(capsys, "export", "saved")
    for one in (one for one in saved.rglob("*") if one.is_file()):
        assert (other / "saved" / one.relative_to(saved)).read_bytes() == one.read_bytes()
    answer(capsys, "export", "saved")  # an earlier export is replaced


def test_new_rows_are_numbered_on_after_an_import(registry_url: str, store: Store, capsys, tmp_path: Path):
    answer(capsys, "export", "saved")
    with store.begin(writes=True) as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(sa.delete(table))
    if store.postgresql:
        with store.begin(writes=True) as connection:
            connection.execute(sa.text("ALTER SEQUENCE audit_id_seq RESTART"))
    answer(capsys, "import", "saved")
    put(store, contract("1.2.0", "order_id:string!", "legacy_status:string"))
    assert len(trail(store, ORDERS)) == 3


def test_a_broken_export_is_not_imported(registry_url: str, store: Store, capsys, tmp_path: Path, monkeypatch):
    answer(capsys, "export", "saved")
    saved = Path("saved").resolve()
    lines = (saved / "registry.jsonl").read_bytes().splitlines(keepends=True)
    empty = folder_with(f"sqlite:///{tmp_path}/empty.db", tmp_path / "empty")
    monkeypatch.chdir(empty)

    def broken(text: bytes | None = None) -> str:
        shutil.copytree(saved, "broken")
        if text is not None:
            Path("broken/registry.jsonl").write_bytes(text)
        else:
            write("broken/contracts/sales.shop/orders/1.0.0.yaml", "id: other")
        err = refused(capsys, "import", "broken")
        shutil.rmtree("broken")
        return err

    assert "is truncated" in broken(b"".join(lines[:-1]))
    assert "its lines were changed" in broken(b"".join((lines[0], *lines[2:])))
    assert "line 2 is not a JSON object" in broken(lines[0] + b"nonsense\n")
    assert "is not floe/registry-export/v1" in broken(b'{"format": "x"}\n' + lines[-1])
    assert f"has schema 9999, this version of floe imports {HEAD}" in broken(lines[0].replace(HEAD.encode(), b"9999"))
    assert "is not the document that was registered as sales.shop/orders:1.0.0" in broken()
    assert "no such file or directory" in refused(capsys, "import", "nowhere")
    assert not (tmp_path / "empty.db").exists()


def test_an_export_does_not_change_a_registry_that_says_otherwise(store: Store, capsys):
    answer(capsys, "export", "saved")
    put(store, contract("1.2.0", "order_id:string!", "legacy_status:string"))
    before = content(store)
    err = refused(capsys, "import", "saved")
    assert "a different row of contracts for sales.shop/orders: newest is '1.2.0', the export has '1.1.0'" in err
    assert content(store) == before


def test_an_export_takes_no_folder_that_holds_other_things(store: Store, capsys):
    write("mine/notes.txt", "keep me")
    assert "a folder with other files" in refused(capsys, "export", "mine")
    assert "is not a folder" in refused(capsys, "export", "manifest.yaml")
    assert Path("mine/notes.txt").read_text() == "keep me"


def test_unknown_and_ambiguous_names(store: Store, capsys):
    assert "Did you mean 'sales.shop/orders'?" in refused(capsys, "show", "sales.shop/order")
    assert "has no version 9.9.9" in refused(capsys, "show", f"{ORDERS}:9.9.9")
    put(store, contract(name="returns").replace("urn:acme:returns", "urn:acme:orders"))
    err = refused(capsys, "history", "urn:acme:orders")
    assert "is the name of 2 registered contracts: sales.shop/orders, sales.shop/returns" in err


@pytest.mark.parametrize(
    "verb", [("search",), ("show", ORDERS), ("history", ORDERS), ("export", "out"), ("transfer", ORDERS, "--to", "x")]
)
def test_without_a_registry_that_is_said(verb, capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert "There is no registry at sqlite:///.floe/registry.db yet" in refused(capsys, *verb)
    assert list(tmp_path.iterdir()) == []
    folder_with("postgresql://nobody@127.0.0.1:1/none", tmp_path)
    assert "FLOE-E542: The registry postgresql" in refused(capsys, *verb)
    folder_with("nonsense", tmp_path)
    assert "registry.url is not a database address" in refused(capsys, *verb)


def test_list_says_where_places_differ(store: Store, capsys):
    write("contracts/orders.yaml", contract())  # the registry has 1.1.0
    write("contracts/customers.yaml", CUSTOMERS.replace("ever bought", "never bought"))
    write("contracts/parcels.yaml", contract(name="parcels"))
    found = answer(capsys, "list", "--from", "git", "--from", "artifacts", "--from", "registry")
    assert (found["places"], set(found["not_evaluated"])) == (["git", "registry"], {"artifacts"})
    assert {one["contract"]: one["differs"] for one in found["contracts"]} == {
        "crm.people/customers": ["1.0.0 has other content in git and registry"],
        "sales.shop/orders": ["1.0.0 in git, 1.1.0 in registry"],
        "sales.shop/parcels": ["not in registry"],
    }
    assert found["summary"] == {"contracts": 3, "differ": 3}
    _, text, _ = said(capsys, "list", "--from", "registry")
    assert "2 contracts, none differ" in text
    assert all("not in catalog" in one["differs"] for one in answer(capsys, "list")["contracts"])
    write("manifest.yaml", "catalogs: {ice: {type: rest, uri: 'http://127.0.0.1:1'}}\n")
    _, text, _ = said(capsys, "list", "--from", "catalog")
    assert "catalog not evaluated" in text


def test_list_knows_compiled_artifacts(store: Store, capsys, monkeypatch: pytest.MonkeyPatch):
    write(
        "floe.yaml",
        "metadata: {name: shop, domain: sales, version: 1.0.0, owner: ann, repository: github.com/acme/shop}\n"
        "output_ports: [{name: orders, table: silver.sales.orders, columns: {order_id: string}}]\n",
    )
    write("contracts/orders.yaml", contract("1.1.0", "order_id:string!", "legacy_status:string", "note:string"))
    assert main(["compile", "."]) == 0
    capsys.readouterr()
    found = answer(capsys, "list", "--from", "git", "--from", "artifacts", "--from", "registry")
    (one,) = (one for one in found["contracts"] if one["contract"] == ORDERS)
    assert (one["differs"], set(one["in"])) == ([], {"git", "artifacts", "registry"})
