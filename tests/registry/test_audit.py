from pathlib import Path

from floe.registry import open_store
from floe.registry.store import audited, trail


def test_a_write_of_a_person_leaves_a_row_with_actor_verb_and_detail(registry_url: str, tmp_path: Path):
    store = open_store(registry_url, tmp_path)
    with store.begin(writes=True) as connection:
        audited(connection, actor="me", verb="publish", subject="a.b/c", at="2026-11-16T00:00:00Z", version="1.0.0")
    (row,) = trail(open_store(registry_url, tmp_path), "a.b/c")
    assert (row["actor"], row["verb"], row["detail"]) == ("me", "publish", {"version": "1.0.0"})
