"""A registry that is full, damaged, too new, half migrated or out of reach: clear words, nothing half-written."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from floe.cli import main
from floe.registry import open_store
from tests.conftest import run_floe
from tests.helpers.disk import small_disk
from tests.helpers.postgres import make_postgres
from tests.helpers.proxy import proxied
from tests.helpers.racing import FORK, killed_at, publish_said, warm_up
from tests.helpers.repositories import contract, write

NOBODY = 65534
QUICK = "?options=-c%20statement_timeout%3D1000"
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006")


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("orders.yaml", contract())


def published(capsys, monkeypatch, url, *words):
    """Exit code and both streams of `floe publish` with a registry."""
    monkeypatch.setenv("FLOE_REGISTRY_URL", url)
    code = main(["publish", *(words or ["orders.yaml"])])
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return code, told.out, told.err


def versions(url):
    with open_store(url, Path()).begin() as connection:
        return connection.execute(sa.text("SELECT count(*) FROM versions")).scalar()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("registry.db", "registry.url is not a database address"),
        ("oracle+nowhere://x", "cannot be used"),
        ("postgresql://someone:hunter22@127.0.0.1:1/x", "connection failed|Connection refused"),
        ("postgresql://someone:hunter22@no.such.host.invalid/x", "resolve|Name or service"),
        ("sqlite:////proc/nowhere/registry.db", "cannot be created"),
    ],
)
def test_a_wrong_address_is_said_with_its_cause(capsys, monkeypatch, url, words):
    code, out, err = published(capsys, monkeypatch, url)
    assert (code, out) == (2, "")
    assert "FLOE-E542" in err
    assert any(word in err for word in words.split("|")), err
    assert "hunter22" not in err


def test_a_wrong_password_and_no_rights(
    capsys,
    monkeypatch,
):
    server = make_postgres()
    try:
        url = server.database()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE ROLE ada LOGIN PASSWORD 'right'")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text("host all ada 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT pg_reload_conf()")
        wrong, right = (url.replace("postgres@", f"ada:{word}@") for word in ("hunter22", "right"))
        code, _, err = published(capsys, monkeypatch, wrong)
        assert (code, "password authentication failed" in err, "user and password" in err) == (2, True, True), err
        assert "hunter22" not in err
        code, _, err = published(capsys, monkeypatch, right)  # she may not make tables
        assert (code, "permission denied" in err) == (2, True), err
        assert published(capsys, monkeypatch, url)[0] == 0
        code, _, err = published(capsys, monkeypatch, right)  # nor read those of others
        assert (code, "permission denied" in err, "write permission" in err) == (2, True, True), err
        assert versions(url) == 1
    finally:
        server.stop("immediate")


def as_nobody(work):
    """Run in a process of a user without rights, as root may do everything; what it said."""
    reader, writer = FORK.Pipe(duplex=False)

    def run():
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        try:
            work()
            writer.send(("done", ""))
        except Exception as error:  # noqa: BLE001  (whatever it is, it is compared with what it should be)
            writer.send((getattr(error, "code", type(error).__name__), str(error)))

    process = FORK.Process(target=run)
    process.start()
    assert reader.poll(60), "no answer"
    process.join(10)
    return reader.recv()


def test_a_file_that_may_only_be_read_is_not_written(tmp_path):
    warm_up(tmp_path / "warm")
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    try:
        write(f"{folder}/orders.yaml", contract())
        url = f"sqlite:///{folder}/registry.db"
        open_store(url, folder)
        (folder / "registry.db").chmod(0o444)
        folder.chmod(0o555)
        os.environ["FLOE_REGISTRY_URL"] = url
        code, text = as_nobody(lambda: publish_said(folder / "orders.yaml"))
        assert (code, "right to write" in text or "permissions" in text) == ("E542", True), text
        assert versions(url) == 0
    finally:
        os.environ.pop("FLOE_REGISTRY_URL", None)
        folder.chmod(0o755)
        shutil.rmtree(folder)


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "small", "400k") as made:
        yield made


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(capsys, monkeypatch, disk):
    url = f"sqlite:///{disk.folder}/registry.db"
    told = []
    for number in range(200):
        write(f"c/c{number}.yaml", contract(name=f"c{number}"))
        told.append(published(capsys, monkeypatch, url, f"c/c{number}.yaml"))
        if told[-1][0]:
            break
    code, out, err = told[-1]
    assert (code, out) == (2, "")
    assert "FLOE-E542" in err
    assert "full" in err
    assert "free space" in err
    disk.grow("8m")
    assert versions(url) == len(told) - 1  # what was acknowledged is there, what was refused is not
    assert published(capsys, monkeypatch, url, f"c/c{len(told) - 1}.yaml")[0] == 0
    assert versions(url) == len(told)


def test_a_disk_that_fills_in_the_middle_of_a_repository_hides_nothing(capsys, monkeypatch, disk):
    for number in range(120):
        write(f"many/c{number:03}.yaml", contract(name=f"c{number:03}"))
    url = f"sqlite:///{disk.folder}/registry.db"
    code, out, _ = published(capsys, monkeypatch, url, "many", "--format", "json")
    told = [(one["outcome"], *(each["code"] for each in one["findings"])) for one in json.loads(out)["results"]]
    there = told.count(("created",))
    assert (code, 0 < there < 120) == (2, True)
    assert told == [("created",)] * there + [("not checked", "FLOE-E542")] * (120 - there)
    disk.grow("8m")
    assert versions(url) == there
    code, out, _ = published(capsys, monkeypatch, url, "many")
    assert (code, f"{there} already registered" in out, f"{120 - there} created" in out) == (0, True, True), out


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize(
    ("call", "error"), [("fdatasync", "EIO"), pytest.param("pwrite64", "ENOSPC", marks=pytest.mark.soak)]
)
def test_a_write_that_fails_is_not_acknowledged(tmp_path, call, error):
    url = f"sqlite:///{tmp_path}/registry.db"
    open_store(url, tmp_path)
    traced = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", f"{tmp_path}/registry.db-wal"]
    inject = ["-e", f"inject={call}:error={error}"]
    program = [sys.executable, "-m", "floe", "publish", "orders.yaml"]
    done = subprocess.run(
        [*traced, *inject, *program],
        env={**os.environ, "FLOE_REGISTRY_URL": url},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip("processes cannot be traced here")
    assert (done.returncode, "FLOE-E542" in done.stderr) == (2, True), done.stderr
    assert versions(url) == 0
    assert run_floe("publish", "orders.yaml", cwd=tmp_path, FLOE_REGISTRY_URL=url).returncode == 0
    assert versions(url) == 1


@pytest.mark.parametrize("harm", ["half", "header", "pages"])
def test_a_damaged_file_is_refused_with_cause_and_remedy(capsys, monkeypatch, tmp_path, harm):
    path = tmp_path / "registry.db"
    url = f"sqlite:///{path}"
    assert run_floe("publish", "orders.yaml", cwd=tmp_path, FLOE_REGISTRY_URL=url).returncode == 0
    data = bytearray(path.read_bytes())
    match harm:
        case "half":
            data = data[: len(data) // 2]
        case "header":
            data[:16] = b"x" * 16
        case _:
            data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    code, out, err = published(capsys, monkeypatch, url)
    assert (code, out) == (2, "")
    assert "FLOE-E542" in err
    assert "restore it from a backup" in err
    assert path.read_bytes() == data  # it is left as it was found


def test_a_changed_text_is_not_taken_for_registered(capsys, monkeypatch, registry_url):
    assert published(capsys, monkeypatch, registry_url)[0] == 0
    with open_store(registry_url, Path()).begin(writes=True) as connection:
        connection.execute(sa.text("UPDATE versions SET effective = replace(effective, 'order_id', 'other')"))
    code, out, err = published(capsys, monkeypatch, registry_url)
    assert (code, out, "was changed in the database" in err) == (2, "", True)
    write("orders.yaml", contract("1.1.0", "order_id:string!", "legacy_status:string", "a:int"))
    code, out, err = published(capsys, monkeypatch, registry_url)  # nor judged against
    assert (code, out, "was changed in the database" in err) == (2, "", True)


def test_a_registry_of_a_newer_floe_is_left_alone(capsys, monkeypatch, registry_url):
    open_store(registry_url, Path())
    with open_store(registry_url, Path()).begin(writes=True) as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    code, out, err = published(capsys, monkeypatch, registry_url)
    assert (code, out) == (2, "")
    assert "newer version of floe" in err
    assert "Upgrade floe-contracts" in err


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_killed_migration_is_run_again(capsys, monkeypatch, registry_url, revision):
    assert killed_at(f"registry-migrated-{revision}", lambda: open_store(registry_url, Path())) == 9
    assert published(capsys, monkeypatch, registry_url)[0] == 0
    assert versions(registry_url) == 1


@pytest.fixture
def server():
    """A PostgreSQL of this test's own, which it may kill."""
    made = make_postgres(durable=True)
    yield made
    with suppress(AssertionError):
        made.stop("immediate")


def test_what_was_acknowledged_survives_the_death_of_the_server(capsys, monkeypatch, server):
    """I2: and while it is away nothing is said to be registered."""
    url = server.database()
    assert published(capsys, monkeypatch, url)[0] == 0
    write("more.yaml", contract(name="more"))
    server.stop("immediate")
    for words in (("publish", "more.yaml"), ("contracts", "search"), ("consumers", "list"), ("outbox",)):
        code = main(list(words))
        told = capsys.readouterr()
        assert (code, told.out, "FLOE-E542" in told.err, "its server runs" in told.err) == (2, "", True, True), told.err
    server.start()
    code, out, _ = published(capsys, monkeypatch, url, "orders.yaml", "more.yaml")
    assert (code, "sales.shop/orders:1.0.0  already registered" in out, "sales.shop/more:1.0.0  created" in out) == (
        *(0, True, True),
    )


def test_a_server_that_does_not_answer_or_takes_too_long_is_given_up(capsys, monkeypatch, server):
    url = server.database()
    assert published(capsys, monkeypatch, url)[0] == 0
    with proxied(server.port, "stall") as proxy:
        stalled = url.replace(f":{server.port}/", f":{proxy.port}/") + "?connect_timeout=2"
        code, out, err = published(capsys, monkeypatch, stalled)
        assert (code, out, "FLOE-E542" in err, "timeout" in err) == (2, "", True, True), err
    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE versions IN ACCESS EXCLUSIVE MODE")
        slow = f"{url}{QUICK}"
        code, out, err = published(capsys, monkeypatch, slow)
        assert (code, out, "FLOE-E542" in err, "is slow, or another session locks" in err) == (2, "", True, True), err
    assert published(capsys, monkeypatch, slow)[0] == 0


def test_no_statement_lasts_for_ever_but_who_waits_for_a_writer_may(server):
    store = open_store(server.database(), Path())
    with store.begin() as usual:
        assert usual.execute(sa.text("SHOW statement_timeout")).scalar() == "1min"
    with store.begin(patient=True) as patient:
        assert patient.execute(sa.text("SHOW statement_timeout")).scalar() == "10min"
    with store.begin() as usual:  # the next one on that connection
        assert usual.execute(sa.text("SHOW statement_timeout")).scalar() == "1min"
    store.close()


def test_who_waits_for_a_lock_for_long_is_not_given_up(server):
    """It asks again and again, so that a server that falls silent meanwhile is."""
    url = server.database()
    open_store(url, Path())
    with proxied(server.port) as proxy, ThreadPoolExecutor(1) as pool:
        waiting = open_store(url.replace(f":{server.port}/", f":{proxy.port}/") + QUICK, Path())
        with open_store(url, Path()).lock("t"):
            done = pool.submit(_locked, waiting)
            while proxy.requests(b"pg_advisory_xact_lock") < 4:
                assert not done.done(), done.result()
                time.sleep(0.05)
        assert done.result(60) == "locked"
        waiting.close()


def _locked(store):
    with store.lock("t"):
        return "locked"
