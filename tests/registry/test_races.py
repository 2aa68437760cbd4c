"""Many processes, one registry (fault 1 to 5 and 9, invariants 1 to 5): small here, the counts asked for in soak."""

import json
import random
import subprocess
import threading
from collections import defaultdict
from pathlib import Path

import pytest
import sqlalchemy as sa

from floe.registry import open_store
from floe.registry.versions import find_versions, register
from tests.conftest import FLOE, run_floe
from tests.helpers.racing import killed_at, publish_said, race
from tests.helpers.repositories import contract, write
from tests.helpers.versions import AT, accept, entry

ORDERS = "sales.shop/orders"
KILLS = ("registry-judged", "registry-inserted", "registry-committed")
SMALL, LARGE = (8, 3), (50, 200)
SIZES = [SMALL, pytest.param(LARGE, marks=pytest.mark.soak)]


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch, registry_url):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOE_REGISTRY_URL", registry_url)


@pytest.fixture
def store(registry_url):
    return open_store(registry_url, Path())


def rows(store, text):
    with store.begin() as connection:
        return [tuple(row) for row in connection.execute(sa.text(text))]


def by_round(history):
    found = defaultdict(list)
    for line in history:
        found[line["round"]].append(line)
    return found.values()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_many_processes_publish_the_same_version(store, tmp_path, size):
    processes, rounds = size
    for number in range(rounds):
        write(f"r{number}/c{number}.yaml", contract(name=f"c{number}"))
    history = race(processes, rounds, lambda _, at: publish_said(tmp_path / f"r{at}/c{at}.yaml"), tmp_path / "log")
    for said in by_round(history):
        outcomes = sorted(line["outcome"] for line in said)
        assert outcomes == ["already registered"] * (processes - 1) + ["created"], said
        assert len({(line["contract"], line["hash"], line["at"]) for line in said}) == 1
    assert rows(store, "SELECT count(*) FROM versions") == [(rounds,)]
    assert rows(store, "SELECT count(*) FROM audit") == [(rounds,)]
    assert rows(store, "SELECT count(*) FROM outbox") == [(rounds,)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_many_processes_publish_other_content_under_one_version(store, tmp_path, size):
    processes, rounds = size
    for number in range(rounds):
        for one in range(processes):
            write(f"p{one}/c{number}.yaml", contract("1.0.0", f"only_{one}:string", name=f"c{number}"))
    history = race(processes, rounds, lambda one, at: publish_said(tmp_path / f"p{one}/c{at}.yaml"), tmp_path / "log")
    kept = dict(rows(store, "SELECT contract_id, document_hash FROM versions"))
    for said in by_round(history):
        (won,) = [line for line in said if line["outcome"] == "created"]
        lost = [line for line in said if line is not won]
        assert [(line["outcome"], line["codes"]) for line in lost] == [("refused", ["E523"])] * (processes - 1), lost
        assert all(won["hash"] in line["said"] for line in lost)
        assert kept[won["contract"]] == won["hash"]
    assert len(kept) == rounds


def test_the_command_says_the_same_in_many_processes(store, tmp_path):
    for one in range(4):
        write(f"p{one}/orders.yaml", contract("1.0.0", *(["a:string"] if one % 2 else ["b:string"])))
    words = [[str(FLOE), "publish", f"p{one}/orders.yaml", "--format", "json"] for one in range(4)]
    started = [subprocess.Popen(one, stdout=subprocess.PIPE, text=True) for one in words]
    told = [json.loads(process.communicate(timeout=120)[0])["results"][0] for process in started]
    assert sorted(one["outcome"] for one in told) == ["already registered", "created", "refused", "refused"]
    assert [process.returncode for process in started] == [int(one["outcome"] == "refused") for one in told]
    assert len({one["document_hash"] for one in told if one["outcome"] != "refused"}) == 1


@pytest.mark.parametrize("rounds", [3, pytest.param(200, marks=pytest.mark.soak)])
def test_two_minors_that_race_are_judged_one_after_the_other(store, tmp_path, rounds):
    for number in range(rounds):
        name = f"c{number}"
        publish_said(write(f"old/{name}.yaml", contract(name=name)).resolve())
        write(f"p0/{name}.yaml", contract("1.1.0", "order_id:string!", "legacy_status:string", "a:int", name=name))
        write(f"p1/{name}.yaml", contract("1.2.0", "order_id:string!", "legacy_status:string", "b:int", name=name))
    history = race(2, rounds, lambda one, at: publish_said(tmp_path / f"p{one}/c{at}.yaml"), tmp_path / "log")
    for first, second in by_round(history):
        told = {(line["version"], line["outcome"], *line["codes"]) for line in (first, second)}
        assert told in (  # 1.2.0 after 1.1.0 takes 'a' away; 1.1.0 after 1.2.0 lowers the version
            {("1.1.0", "created"), ("1.2.0", "refused", "E520")},
            {("1.1.0", "refused", "E520", "E527"), ("1.2.0", "created")},
            {("1.1.0", "refused", "E527"), ("1.2.0", "created")},
        )


def test_a_judge_sees_what_was_registered_while_it_waited(store):
    """I4: the second is not judged before the first is there."""
    judging, seen = threading.Event(), []
    release = threading.Event()

    def slow(known):
        judging.set()
        assert release.wait(20)
        return accept(known)

    def looking(known):
        seen.append([row["version"] for row in known.versions])
        return accept(known)

    first = threading.Thread(target=lambda: register(store, entry("1.0.0"), slow, actor="a", at=AT))
    second = threading.Thread(target=lambda: register(store, entry("1.1.0", "b: 1"), looking, actor="b", at=AT))
    first.start()
    assert judging.wait(20)
    second.start()
    second.join(0.3)
    assert (second.is_alive(), seen) == (True, [])
    release.set()
    first.join()
    second.join(20)
    assert seen == [["1.0.0"]]


def family(version="1.0.0", hours=24):
    base = contract(version, "order_id:string!", name="base")
    write("base.yaml", base + f"slaProperties: [{{property: freshness, value: {hours}, unit: h}}]\n")
    text = contract().replace("schema:", "customProperties: [{property: extends, value: base}]\nschema:")
    write("orders.yaml", text + "slaProperties: [{property: freshness, value: 20, unit: h}]\n")


def test_a_child_is_never_accepted_beside_a_parent_that_tightens(store, tmp_path):
    """I5: the child waits for its parent and is refused, or the parent waits for it and names it."""
    family()
    publish_said(tmp_path / "base.yaml")
    held, told, release = threading.Event(), [], threading.Event()

    def slow(known):
        held.set()
        assert release.wait(20)
        return accept(known)

    parent = entry("1.1.0", "tighter", contract="sales.shop/base")
    first = threading.Thread(target=lambda: register(store, parent, slow, actor="a", at=AT))
    second = threading.Thread(target=lambda: told.append(publish_said(tmp_path / "orders.yaml")))
    first.start()
    assert held.wait(20)
    second.start()
    second.join(1)
    assert (second.is_alive(), told) == (True, [])
    release.set()
    first.join()
    second.join(20)
    assert (told[0]["outcome"], told[0]["codes"]) == ("refused", ["E516"])


@pytest.mark.parametrize("rounds", [3, pytest.param(100, marks=pytest.mark.soak)])
def test_a_child_and_its_parent_race(store, tmp_path, rounds):
    """Whoever comes first: no child stands beside a newer parent that did not name it."""
    for number in range(rounds):
        base = contract(name=f"b{number}")
        sla = "slaProperties: [{property: freshness, value: 24, unit: h}]\n"
        publish_said(write(f"old/b{number}.yaml", base + sla).resolve())
        write(f"new/b{number}.yaml", base.replace("1.0.0", "1.1.0") + sla.replace("24", "12"))
        child = contract(name=f"c{number}").replace(
            "schema:", f"customProperties: [{{property: extends, value: b{number}.yaml}}]\nschema:"
        )
        write(f"old/c{number}.yaml", child + sla.replace("24", "20"))
    paths = (lambda at: f"new/b{at}.yaml", lambda at: f"old/c{at}.yaml")
    history = race(2, rounds, lambda one, at: publish_said(tmp_path / paths[one](at)), tmp_path / "log")
    named = {payload["child"] for (payload,) in payloads(store) if payload.get("child")}
    for said in by_round(history):
        parent, child = sorted(said, key=lambda line: line["process"])
        assert parent["outcome"] == "created", parent
        if child["outcome"] == "created":
            assert f"{child['contract']}:1.0.0" in named
        else:
            assert child["codes"] == ["E516"], child


def payloads(store):
    from floe.registry.schema import outbox

    with store.begin() as connection:
        return [tuple(row) for row in connection.execute(sa.select(outbox.c.payload))]


def whole(store, contract_id=ORDERS):
    """Nothing is half there: every version has its audit row and its message, every contract a version."""
    published = [row["version"] for row in find_versions(store, contract_id)]
    verbs = rows(store, f"SELECT count(*) FROM audit WHERE subject = '{contract_id}' AND verb = 'publish'")
    messages = rows(store, f"SELECT count(*) FROM outbox WHERE key LIKE '%{contract_id}' AND sink = 'catalog'")
    there = rows(store, f"SELECT newest FROM contracts WHERE contract_id = '{contract_id}'")
    assert (verbs, messages) == ([(len(published),)], [(len(published),)])
    assert there == ([(published[-1],)] if published else [])
    return published


@pytest.mark.parametrize("place", KILLS)
def test_a_killed_command_leaves_all_or_nothing(store, tmp_path, registry_url, place):
    write("orders.yaml", contract())
    killed = run_floe("publish", "orders.yaml", cwd=tmp_path, FLOE_FAILPOINT=place, FLOE_REGISTRY_URL=registry_url)
    assert (killed.returncode, killed.stdout) == (-9, "")
    there = ["1.0.0"] if place == "registry-committed" else []
    assert whole(store) == there
    again = run_floe("publish", "orders.yaml", cwd=tmp_path, FLOE_REGISTRY_URL=registry_url)
    assert (again.returncode, "already registered" in again.stdout) == (0, bool(there))
    assert whole(store) == ["1.0.0"]


@pytest.mark.soak
def test_three_hundred_kills(store, tmp_path):
    """Versions are published by processes that die at any moment, and asked for again until they answer."""
    chance, kills, columns = random.Random(8), 0, ["order_id:string!", "legacy_status:string"]
    acknowledged: list[str] = []
    for number in range(150):
        version = f"1.{number}.0"
        write("orders.yaml", contract(version, *columns))
        for _ in range(2):
            kills += killed_at(chance.choice(KILLS), lambda: publish_said(tmp_path / "orders.yaml")) == 9
            assert whole(store) in (acknowledged, [*acknowledged, version])
        assert publish_said(tmp_path / "orders.yaml")["outcome"] in ("created", "already registered")
        acknowledged.append(version)
        assert whole(store) == acknowledged
        columns.append(f"c{number}:int")
    assert kills >= 150


@pytest.mark.parametrize("writers", [6, pytest.param(20, marks=pytest.mark.soak)])
def test_many_writers_wait_for_one_another_and_none_is_turned_away(store, tmp_path, writers):
    """Invariant 2 and fault 9: whatever was acknowledged is there."""
    for one in range(writers):
        for number in range(4):
            write(f"p{one}/c{one}_{number}.yaml", contract(name=f"c{one}_{number}"))
    history = race(writers, 4, lambda one, at: publish_said(tmp_path / f"p{one}/c{one}_{at}.yaml"), tmp_path / "log")
    assert [line["outcome"] for line in history] == ["created"] * (4 * writers), history
    kept = {name for (name,) in rows(store, "SELECT contract_id FROM versions")}
    assert kept == {line["contract"] for line in history}


@pytest.mark.parametrize("registry_url", ["postgresql"], indirect=True)
def test_a_process_that_goes_on_publishing_holds_few_connections(store, tmp_path):
    write("a/c.yaml", contract("1.0.0", "a:string", name="c"))
    write("b/c.yaml", contract("1.0.0", "b:string", name="c"))
    told = [publish_said(tmp_path / f"{folder}/c.yaml")["outcome"] for folder in "abbbbbb"]
    assert told == ["created", *["refused"] * 6]
    held = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    assert rows(store, held)[0][0] <= 1
