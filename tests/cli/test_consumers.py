"""consumers, impact, lineage, deprecate, sunset, retire, revive as people type them."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from floe.cli import main
from floe.registry import open_store
from tests.helpers.consumers import FIELDS, contract_text, history, register_text

ORDERS = "sales.shop/orders"
URL = "sqlite:///.floe/registry.db"


@pytest.fixture(autouse=True)
def _registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOE_ACTOR", "me")
    for name in (ORDERS, "sales.shop/orders_new"):
        register_text(URL, tmp_path, contract_text(name))
    Path("new.yaml").write_text(contract_text(version="2.0.0", fields=FIELDS.replace("name: email", "name: mail")))


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def add(capsys, *words: str) -> tuple[int, str, str]:
    return run(capsys, "consumers", "add", ORDERS, "--contact", "x@acme.com", *words)


def test_a_team_relies_is_listed_signs_off_and_leaves(capsys):
    assert add(capsys, "--team", "bi", "--columns", "email,address.city") == (
        0,
        "✓ bi is a consumer of sales.shop/orders 1.x\n"
        "    columns: orders.address.city, orders.email; notifications go to x@acme.com\n",
        "",
    )
    code, said, _ = run(capsys, "consumers", "list", ORDERS)
    assert (code, said.splitlines()[1].split()[:3]) == (0, [ORDERS, "1.x", "bi"])
    code, said, _ = run(capsys, "consumers", "sign-off", ORDERS, "2.0.0", "--team", "bi", "--file", "new.yaml")
    assert code == 0
    assert said.startswith("✓ sales.shop/orders:2.0.0: bi signed off\n    for diff sha256:")
    assert run(capsys, "consumers", "remove", ORDERS, "--team", "bi")[:2] == (
        0,
        "✓ bi is no longer a consumer of sales.shop/orders\n",
    )
    assert run(capsys, "consumers", "list")[1] == "There are no consumers; `floe consumers add` registers one.\n"


def test_impact_in_three_forms(capsys):
    add(capsys, "--team", "crm", "--columns", "email")
    add(capsys, "--team", "ops", "--columns", "total")
    add(capsys, "--team", "lab|<b>")
    code, said, _ = run(capsys, "impact", ORDERS, "new.yaml")
    assert code == 0
    assert said.splitlines() == [
        "sales.shop/orders 1.0.0 → 2.0.0: MAJOR, affects 1 consumer, may break 1 more",
        "  affected",
        "    break  crm  x@acme.com  orders.email  directly",
        "  may break: it is unknown whether they use the changed parts",
        "    break  lab|<b>  x@acme.com  field-renamed orders.mail  directly",
    ]
    shape = json.loads(run(capsys, "impact", ORDERS, "new.yaml", "--format", "json")[1])
    assert shape["summary"] == {"contracts": 1, "affected": 1, "may_break": 1}
    (one,) = shape["results"][0]["affected"]
    assert (one["team"], one["columns"], one["impact"], one["depth"]) == ("crm", ["orders.email"], "break", 1)
    page = run(capsys, "impact", ORDERS, "new.yaml", "--format", "markdown")[1]
    assert "| break | crm | x@acme.com | orders.email | directly |" in page
    assert "lab\\|\\<b\\>" in page
    assert "ops" not in page


def test_events_are_taken_in_and_bad_lines_are_said(capsys):
    Path("events.jsonl").write_text('{"job": {"name": "j"}, "inputs": [{"name": "a"}], "outputs": [{"name": "b"}]}\n{')
    code, said, error = run(capsys, "lineage", "import", "events.jsonl")
    assert (code, said) == (1, "✓ 1 event: 1 edge between columns or tables, 1 new\n")
    assert error.startswith("✗ events.jsonl:2: no JSON")
    Path("events.jsonl").write_text("")
    assert run(capsys, "lineage", "import", "events.jsonl")[0] == 0


def deprecate(capsys, *words: str) -> tuple[int, str, str]:
    known = ("--sunset", "2099-03-01", "--replacement", "sales.shop/orders_new", "--reason", "two schemas")
    return run(capsys, "deprecate", ORDERS, *known, *words)


def test_an_end_is_announced_and_taken_back(capsys):
    add(capsys, "--team", "bi")
    code, said, _ = deprecate(capsys, "--announced", "2026-01-01", "--guide", "https://acme.com/move")
    assert code == 0
    assert said.splitlines() == [
        "✓ sales.shop/orders:1 is deprecated now (was active)",
        "    announced: 2026-01-01",
        "    sunset: 2099-03-01",
        "    replacement: sales.shop/orders_new",
        "    reason: two schemas",
        "    guide: https://acme.com/move",
        "    1 consumer will be notified",
    ]
    code, said, _ = add(capsys, "--team", "new")
    assert code == 0
    assert said.splitlines()[0] == (
        "! FLOE-E570: Contract sales.shop/orders:1.0.0 is deprecated. Sunset date: 2099-03-01. "
        "Migrate to: sales.shop/orders_new"
    )
    assert deprecate(capsys, "--announced", "2026-01-01", "--guide", "https://acme.com/move")[1].endswith(
        "nothing changed\n"
    )
    code, said, _ = run(capsys, "revive", ORDERS, "--reason", "too early", "--format", "json")
    assert (code, json.loads(said)["state"], json.loads(said)["was"]) == (0, "active", "deprecated")


def test_an_end_out_of_order_exits_1_and_names_both_days(capsys):
    code, _, error = deprecate(capsys, "--announced", "2099-02-28")
    assert (code, error.splitlines()[0][:40]) == (1, "✗ FLOE-E526: The dates are in the wrong ")
    for verb in ("sunset", "retire"):
        code, _, error = run(capsys, verb, ORDERS)
        assert code == 1
        assert "is active and cannot become" in error
    code, said, _ = run(capsys, "retire", ORDERS, "--format", "json")
    assert (code, json.loads(said)["error"]["code"]) == (1, "FLOE-E526")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("consumers", "add", "none/x", "--team", "t", "--contact", "c"), "No contract is registered as 'none/x'"),
        (("consumers", "remove", ORDERS, "--team", "t"), "Team 't' is not a consumer"),
        (("retire", "nope"), "No contract is registered as 'nope'"),
        (("consumers", "remove", ORDERS, "--team", "t"), "it has none"),
        (("contracts", "transfer", ORDERS, "--to", "no such place"), "'no such place' is not a repository"),
        (("retire", ""), "The name of the contract is empty"),
        (("impact", "nope", "new.yaml"), "Unknown contract 'nope'"),
        (("impact", "registry:nope", "new.yaml"), "No contract is registered as 'nope'"),
        (("impact", ORDERS, "none.yaml"), "none.yaml"),
        (("impact", ORDERS), "A new version is needed"),
        (("lineage", "import", "none.json"), "none.json cannot be read"),
        (("impact", ORDERS, "new.yaml", "--dbt", "none.json"), "none.json cannot be read"),
        (("consumers", "list", "nope"), "No contract is registered as 'nope'"),
    ],
)
def test_bad_input_is_said_in_words(capsys, words: tuple[str, ...], part: str):
    code, _, error = run(capsys, *words)
    assert code in (1, 2)
    assert part in error
    assert "internal error" not in error


def test_help_shows_the_options_of_every_verb(capsys):
    with pytest.raises(SystemExit):
        main(["consumers", "--help"])
    said = capsys.readouterr().out
    assert "sign-off" in said
    assert "--override" in said


def test_a_retired_contract_takes_no_batch_whether_its_document_or_the_registry_says_so(capsys, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet as pq

    from floe.actions.lifecycle import Line, deprecate as announce
    from floe.actions.load.settings import load_settings
    from floe.model.lifecycle import Announcement

    pq.write_table(pa.table({"order_id": [1]}), "batch.parquet")
    Path("orders.yaml").write_text(contract_text("sales.shop/gone", status="retired"))
    code, _, error = run(capsys, "enforce", "batch.parquet", "orders.yaml")
    assert (code, error.splitlines()[0]) == (
        1,
        "✗ FLOE-E572: Contract sales.shop/gone:1.0.0 is retired and cannot be used. Migrate to: not said",
    )
    said = Announcement(
        sunset_date=date(2026, 2, 1), retire_date=date(2026, 2, 8), replacement="sales.shop/orders_new", reason="r"
    )
    announce(Line(ORDERS, None, load_settings(), datetime(2026, 1, 1, tzinfo=UTC)), said)
    Path("orders.yaml").write_text(contract_text())
    code, _, error = run(capsys, "enforce", "batch.parquet", "orders.yaml")
    assert (code, error.splitlines()[0]) == (
        1,
        "✗ FLOE-E572: Contract sales.shop/orders:1.0.0 is retired and cannot be used. Migrate to: sales.shop/orders_new",
    )
    rows = history(open_store(URL, tmp_path), ORDERS)
    assert [(row["state"], row["by"]) for row in rows] == [
        ("deprecated", "me"),
        ("sunset", "floe"),
        ("retired", "floe"),
    ]
