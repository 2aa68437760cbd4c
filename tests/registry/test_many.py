"""10,000 contracts, one of them of 10,000 versions: lists, search, history and diff stay right, and take what their answer takes."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from floe.cli import main
from floe.registry import Store, open_store
from floe.registry.schema import contract_fields, contracts, versions
from floe.registry.versions import row_hash
from tests.helpers.registered import AT, entry_of, folder_with, put
from tests.helpers.repositories import contract

MANY = 10_000
LONG = "sales.shop/c5000"  # the contract of many versions
Answer = Callable[..., Any]
SECONDS = 20  # of one command, on a machine that does other things too


def put_many(store: Store, numbers: range) -> None:
    """Contracts as `floe publish` would register them, all alike but for their names: its own way takes minutes."""
    text = contract("1.0.0", "order_id:string!", "NAME_column:string", name="NAME")
    entry = entry_of(text, repository=None)
    judged = {**accept_first(), "published_at": AT, "published_by": "ann"}
    rows: dict[str, list[dict[str, Any]]] = {"contracts": [], "versions": [], "fields": []}
    for number in numbers:
        name = f"c{number:04}"
        found_by = text.replace("NAME", name).lower()
        rows["contracts"].append(
            {
                **named(entry.contract, name),
                "found_by": found_by,
                "created_at": AT,
                "created_by": "ann",
                "newest": "1.0.0",
            }
        )
        rows["versions"].append(hashed({**named(entry.version, name), **judged}))
        rows["fields"] += [named(field, name) for field in entry.fields]
    with store.begin(writes=True) as connection:
        connection.execute(sa.insert(contracts), rows["contracts"])
        connection.execute(sa.insert(versions), rows["versions"])
        connection.execute(sa.insert(contract_fields), rows["fields"])


def put_versions(store: Store, contract_id: str, count: int) -> None:
    """Earlier versions of a contract, one with a column that the others lack."""
    name = contract_id.rsplit("/", 1)[1]
    with store.begin(writes=True) as connection:
        newest = connection.execute(sa.select(versions).where(versions.c.contract_id == contract_id)).mappings().one()
        rows = []
        for number in range(count - 1):
            columns = ("order_id:string!", f"{name}_column:string", *(["extra:string"] * (number == 7)))
            text = contract(f"0.{number}.0", *columns, name=name)
            own = entry_of(text).version if number == 7 else {"document": text, "effective": text}
            head = {"version": f"0.{number}.0", "major": 0, "minor": number, "patch": 0}
            hashes = {"document_hash": f"d{number}", "effective_hash": f"e{number}"}
            row = {key: value for key, value in newest.items() if key != "id"}
            rows.append(hashed({**row, **own, **head, **hashes}))
        connection.execute(sa.insert(versions), rows)


def accept_first() -> dict[str, Any]:
    return {"bump": "FIRST", "changes": {}, "tested": {"outcome": "pass"}, "effective_from": AT}


def named(row: Any, name: str) -> dict[str, Any]:
    return {key: value.replace("NAME", name) if isinstance(value, str) else value for key, value in row.items()}


def hashed(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "row_hash": row_hash(row["document"], row["effective"])}


@pytest.fixture
def store(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    made = open_store(registry_url, tmp_path)
    put_many(made, range(MANY))
    monkeypatch.chdir(folder_with(registry_url, tmp_path / "root"))
    return made


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    """What a command answers, within its time."""

    def ask(*words: str) -> Any:
        started = time.monotonic()
        code = main([*words, "--format", "json"])
        assert time.monotonic() - started < SECONDS, words
        out, error = capsys.readouterr()
        assert code == 0, out[-2000:] + error
        return json.loads(out)

    return ask


def test_ten_thousand_contracts_are_found_and_pages_stay_stable_while_others_publish(store: Store, answer: Answer):
    def ids(*words: str) -> list[str]:
        return [row["contract_id"] for row in answer("contracts", "search", *words)["contracts"]]

    assert ids("c4711_column") == ids("--column", "c4711_column") == ["sales.shop/c4711"]
    assert ids("--column", "*99_COLUMN", "--limit", "200") == [f"sales.shop/c{number:02}99" for number in range(100)]
    assert ids("--domain", "hr") == []
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = answer("contracts", "search", "--limit", "1000", "--after", after)
        seen += [row["contract_id"] for row in page["contracts"]]
        after = page["after"]
        if after:  # another contract before the place that was reached, and one behind it
            put(store, contract(name=f"b{len(seen)}"))
            put(store, contract(name=f"d{len(seen)}"))
    assert seen[:MANY] == [f"sales.shop/c{number:04}" for number in range(MANY)]
    assert seen[MANY:] == sorted(f"sales.shop/d{number}" for number in range(1000, len(seen), 1000))
    listed = answer("contracts", "list", "--from", "registry")["contracts"]
    assert len(listed) == MANY + 2 * (len(seen) // 1000)
    columns = ("order_id:string!", "c5000_column:string", "more:string")
    Path("c.yaml").write_text(contract("1.1.0", *columns, name="c5000"))
    (published,) = answer("publish", "c.yaml")["results"]
    assert (published["version"], published["bump"]) == ("1.1.0", "MINOR")
    assert ids("--column", "more") == [LONG]


def test_ten_thousand_versions_of_a_contract_are_shown_and_compared(store: Store, answer: Answer):
    put_versions(store, LONG, MANY)
    numbers = [*(f"0.{number}.0" for number in range(MANY - 1)), "1.0.0"]
    for command in ("show", "history"):
        told = [row["version"] for row in answer("contracts", command, LONG)["versions"]]
        assert sorted(told, key=numbers.index) == numbers if command == "show" else told == numbers
    assert answer("contracts", "show", f"{LONG}:0.7.0")["version"] == "0.7.0"
    (compared,) = answer("diff", f"registry:{LONG}:0.7.0", f"registry:{LONG}:1.0.0")["results"]
    assert [(one["change"], one["path"]) for one in compared["changes"]] == [("field-removed", "c5000.extra")]
