"""A version is registered once and never changes, on SQLite and on PostgreSQL."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from floe.model import RegistryError
from floe.registry import open_store
from floe.registry.versions import RegisteredState, find_version, find_versions, register
from tests.helpers.versions import AT, accept, entry


def test_the_same_content_again_is_the_same_version_and_other_content_a_conflict(registry_url: str, tmp_path: Path):
    store = open_store(registry_url, tmp_path)
    first, new = register(store, entry(), accept, actor="me", at=AT)
    second, again = register(store, entry(), accept, actor="you", at="2027-01-01T00:00:00.000Z")
    assert (new, again, second["published_by"], second["row_hash"]) == (True, False, "me", first["row_hash"])
    with pytest.raises(RegistryError, match="registered with other content: document hash a: 1, this version has a: 2"):
        register(store, entry(document="a: 2"), accept, actor="me", at=AT)


def test_a_refused_version_leaves_nothing(registry_url: str, tmp_path: Path):
    store = open_store(registry_url, tmp_path)

    def refuse(_: object) -> dict:
        raise RegistryError("no", "", "E520")

    with pytest.raises(RegistryError):
        register(store, entry(), refuse, actor="me", at=AT)
    with store.begin() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM contracts")).scalar() == 0


def test_versions_come_in_their_order_and_the_judge_sees_them(registry_url: str, tmp_path: Path):
    store = open_store(registry_url, tmp_path)
    seen = []

    def judge(known: RegisteredState) -> dict:
        seen.append([row["version"] for row in known.versions])
        return accept(known)

    for version in ("1.2.0", "1.10.0", "1.9.0"):
        register(store, entry(version, version), judge, actor="me", at=AT)
    assert seen == [[], ["1.2.0"], ["1.2.0", "1.10.0"]]
    assert [row["version"] for row in find_versions(store, "sales.shop/orders")] == ["1.2.0", "1.9.0", "1.10.0"]


def test_a_text_changed_in_the_database_is_not_served(registry_url: str, tmp_path: Path):
    store = open_store(registry_url, tmp_path)
    register(store, entry(), accept, actor="me", at=AT)
    with store.begin(writes=True) as connection:
        connection.execute(sa.text("UPDATE versions SET document = 'a: 2'"))
    with pytest.raises(RegistryError, match="was changed in the database after it was registered"):
        find_version(store, "sales.shop/orders", "1.0.0")
