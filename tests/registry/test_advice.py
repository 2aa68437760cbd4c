"""What to do about a database that fails: by the codes of what it really raises."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from floe.registry.advice import advice


def raised(address: sa.URL, statement: str, before: str = "SELECT 1") -> Exception:
    engine = sa.create_engine(address, connect_args={"timeout": 0})
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(before)
            connection.exec_driver_sql(statement)
    except SQLAlchemyError as error:
        return error
    finally:
        engine.dispose()
    raise AssertionError("nothing was raised")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.db"
    store = sqlite3.connect(path)
    store.execute("CREATE TABLE t (x TEXT)")
    store.commit()
    store.close()
    return path


def test_a_file_that_is_damaged(tmp_path: Path):
    path = tmp_path / "r.db"
    path.write_bytes(b"no database " * 1000)
    address = sa.make_url(f"sqlite:///{path}")
    assert "restore it from a backup" in advice(address, raised(address, "SELECT * FROM t"))


def test_a_file_that_is_full_locked_or_not_ours(file: Path):
    address = sa.make_url(f"sqlite:///{file}")
    insert = "INSERT INTO t VALUES (hex(zeroblob(100000)))"
    assert "free space on its disk" in advice(address, raised(address, insert, before="PRAGMA max_page_count = 3"))
    assert "Request write permission" in advice(address, raised(address, insert, before="PRAGMA query_only = 1"))
    other = sqlite3.connect(file)
    other.execute("BEGIN EXCLUSIVE")
    assert "Another program locks the file" in advice(address, raised(address, "SELECT * FROM t"))
    other.close()
    absent = sa.make_url(f"sqlite:///{file.parent}/none/r.db")
    assert "permissions of the file and its folder" in advice(absent, raised(absent, "SELECT 1"))


def test_a_database_of_an_unknown_kind():
    address = sa.make_url("nothing://host/d")
    with pytest.raises(SQLAlchemyError) as told:
        sa.create_engine(address)
    assert advice(address, told.value) == "Write it as sqlite:///.floe/registry.db or postgresql://…"


def test_a_server_that_does_not_answer():
    address = sa.make_url("postgresql+psycopg://me@127.0.0.1:1/d")
    with pytest.raises(SQLAlchemyError) as told:
        sa.create_engine(address).connect()
    assert "that its server runs" in advice(address, told.value)


def test_words_of_an_address_decide_nothing():
    address = sa.make_url("sqlite:////is full/malformed/database is locked.db")
    assert "permissions of the file" in advice(address, raised(address, "SELECT 1"))
