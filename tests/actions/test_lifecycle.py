"""The life of a MAJOR line: states in order, days kept, moves by date, notices, audit; on both databases."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from floe.actions.consumers import ConsumerRequest, add_consumer
from floe.actions.lifecycle import Line, begin_sunset, deprecate, retire, revive
from floe.actions.load.major_line import registered
from floe.actions.load.settings import load_settings
from floe.model import ContractError, RegistryError, SettingError
from floe.model.lifecycle import Announcement
from floe.registry import open_store
from floe.registry.lifecycle import state
from floe.registry.schema import lifecycle_transitions, outbox
from floe.registry.store import trail
from tests.helpers.consumers import contract_text, history, register_text

ORDERS = "sales.shop/orders"


def at(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00").astimezone(UTC)


class World:
    """A registry with orders 1.0.0 and what replaces it."""

    def __init__(self, url: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FLOE_ACTOR", "steward")
        self.url, self.root = url, root
        self.settings = load_settings({"registry.url": url}, start=root)
        self.store = register_text(url, root, contract_text())
        register_text(url, root, contract_text("sales.shop/orders_new"))

    def line(self, day: str, name: str = ORDERS, major: int | None = None) -> Line:
        return Line(name, major, self.settings, at(day))

    def deprecate(self, day: str = "2026-03-01", **said: Any):
        known = {"sunset_date": date(2026, 4, 1), "replacement": "sales.shop/orders_new", "reason": "two schemas"}
        return deprecate(self.line(day), Announcement(**{**known, **said}))

    def state(self, day: str) -> str:
        found = registered(self.store, ORDERS, self.settings)
        return state(self.store, ORDERS, 1, at(day), found.first(1)).state

    def consumer(self, day: str = "2026-01-02", team: str = "bi"):
        return add_consumer(
            ConsumerRequest(contract=ORDERS, team=team, contact=f"{team}@acme.com"), self.settings, at(day)
        )

    def messages(self, sink: str = "notification") -> list[dict]:
        chosen = sa.select(outbox.c.payload).where(outbox.c.sink == sink).order_by(outbox.c.id)
        with self.store.begin() as connection:
            return list(connection.execute(chosen).scalars())

    def moves(self) -> int:
        with self.store.begin() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(lifecycle_transitions)).scalar() or 0)


@pytest.fixture
def world(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    return World(registry_url, tmp_path, monkeypatch)


def test_a_line_lives_from_active_to_retired_and_everyone_is_told(world: World):
    world.consumer()
    moved = world.deprecate(migration_guide="https://acme.com/move")
    assert (moved.was.state, moved.now.state, moved.told) == ("active", "deprecated", 1)
    assert begin_sunset(world.line("2026-04-01")).now.state == "sunset"
    assert retire(world.line("2026-04-08")).now.state == "retired"
    rows = history(world.store, ORDERS)
    assert [(row["was"], row["state"], row["on_day"], row["by"]) for row in rows] == [
        ("active", "deprecated", "2026-03-01", "steward"),
        ("deprecated", "sunset", "2026-04-01", "floe"),
        ("sunset", "retired", "2026-04-08", "steward"),
    ]
    first, second, third = world.messages()
    assert [(one["team"], one["contact"]) for one in first["consumers"]] == [("bi", "bi@acme.com")]
    assert [one["kind"] for one in (first, second, third)] == [
        *("contract-deprecated", "contract-sunset", "contract-retired")
    ]
    assert first["message"] == (
        "Contract sales.shop/orders:1 is deprecated. Sunset date: 2026-04-01. Migrate to: sales.shop/orders_new"
    )
    assert (first["reason"], first["migration_guide"]) == ("two schemas", "https://acme.com/move")
    assert (first["announced"], first["sunset_date"]) == ("2026-03-01", "2026-04-01")
    assert second["message"] == (
        "Contract sales.shop/orders:1 is sunset. Immediate migration required to: sales.shop/orders_new"
    )
    assert third["code"] == "FLOE-E572"
    kept = trail(world.store, ORDERS)
    said = [(row["actor"], row["verb"]) for row in kept if row["verb"] != "told"]
    assert said[-3:] == [("steward", "deprecated"), ("floe", "sunset"), ("steward", "retired")]
    told = [row["detail"]["state"] for row in kept if row["verb"] == "told"]
    assert told == ["deprecated", "sunset", "retired"]
    assert [(one["contract"], one["retired_major"]) for one in world.messages("catalog")] == [(ORDERS, 1)]


def test_moves_come_by_their_days_one_after_the_other(world: World):
    world.deprecate(retire_date=date(2026, 4, 8))
    assert [world.state(day) for day in ("2026-03-31", "2026-04-01", "2026-04-07", "2026-04-08")] == [
        *("deprecated", "sunset", "sunset", "retired")
    ]
    assert [row["by"] for row in history(world.store, ORDERS)] == ["steward", "floe", "floe"]


def test_a_line_that_nobody_looked_at_for_a_year_went_through_every_state(world: World):
    world.deprecate(retire_date=date(2026, 4, 20))
    assert world.state("2027-04-01") == "retired"
    rows = history(world.store, ORDERS)
    assert [(row["state"], row["on_day"]) for row in rows[1:]] == [("sunset", "2026-04-01"), ("retired", "2026-04-20")]
    assert world.state("2027-04-02") == "retired"
    assert len(history(world.store, ORDERS)) == 3


def test_without_a_last_day_a_line_stays_sunset_until_somebody_retires_it(world: World):
    world.deprecate()
    assert world.state("2027-01-01") == "sunset"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"sunset_date": date(2026, 3, 30)}, "From announced 2026-03-01 to sunset 2026-03-30 are 29 days, at least 30"),
        ({"sunset_date": date(2026, 2, 1)}, "sunset 2026-02-01 is before today 2026-03-01"),
        ({"announced": date(2026, 3, 2)}, "today 2026-03-01 is before announced 2026-03-02"),
        ({"retire_date": date(2026, 3, 31)}, "retirement 2026-03-31 is before sunset 2026-04-01"),
        ({"retire_date": date(2026, 4, 7)}, "From sunset 2026-04-01 to retirement 2026-04-07 are 6 days, at least 7"),
    ],
)
def test_days_out_of_order_are_e526_naming_both_and_nothing_is_written(world: World, said: dict, words: str):
    with pytest.raises(ContractError, match=words) as error:
        world.deprecate(**said)
    assert error.value.code == "E526"
    assert world.moves() == 0
    assert world.messages() == []


def test_thirty_days_are_enough(world: World):
    assert world.deprecate(sunset_date=date(2026, 3, 31)).now.sunset_date == date(2026, 3, 31)


def test_no_state_is_skipped(world: World):
    with pytest.raises(ContractError, match="is active and cannot become sunset: deprecated comes first"):
        begin_sunset(world.line("2026-03-01"))
    with pytest.raises(ContractError, match="is active and cannot become retired: deprecated comes first"):
        retire(world.line("2026-03-01"))
    world.deprecate()
    with pytest.raises(ContractError, match="is deprecated and cannot become retired: sunset comes first"):
        retire(world.line("2026-03-02"))
    with pytest.raises(ContractError, match="today 2026-03-31 is before sunset 2026-04-01"):
        begin_sunset(world.line("2026-03-31"))
    with pytest.raises(ContractError, match="From sunset 2026-04-01 to today 2026-04-07 are 6 days"):
        retire(world.line("2026-04-07"))


def test_a_draft_becomes_active_first(world: World):
    register_text(world.url, world.root, contract_text("sales.shop/ideas", status="proposed"))
    said = Announcement(sunset_date=date(2026, 4, 1), replacement=ORDERS, reason="no")
    with pytest.raises(ContractError, match="is draft and cannot become deprecated: active comes first"):
        deprecate(world.line("2026-03-01", "sales.shop/ideas"), said)


def test_a_steward_takes_an_end_back_but_never_a_retirement(world: World):
    world.consumer()
    world.deprecate()
    moved = revive(world.line("2026-04-05"), "the replacement is late")
    assert (moved.was.state, moved.now.state) == ("sunset", "active")
    assert world.messages()[-1]["message"] == "Contract sales.shop/orders:1 is active again"
    assert world.state("2027-01-01") == "active"
    world.deprecate("2026-05-01", sunset_date=date(2026, 6, 1), retire_date=date(2026, 6, 8))
    with pytest.raises(ContractError, match="is retired, so it is gone for good"):
        revive(world.line("2026-06-08"), "please")
    assert world.state("2026-06-08") == "retired"


def test_a_second_announcement_moves_the_days_and_keeps_the_first_day(world: World):
    world.deprecate()
    moved = world.deprecate("2026-03-15", sunset_date=date(2026, 5, 1))
    assert (moved.now.announced, moved.now.sunset_date) == (date(2026, 3, 1), date(2026, 5, 1))
    assert world.state("2026-04-15") == "deprecated"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sales.shop/nothing", "The replacement 'sales.shop/nothing' is neither registered nor a contract of this"),
        (ORDERS, "it is the same MAJOR line"),
        ("sales.shop/orders:1.0.0", "it is the same MAJOR line"),
        ("", "is neither registered"),
    ],
)
def test_a_replacement_that_is_none_is_refused(world: World, name: str, words: str):
    with pytest.raises(RegistryError, match=words):
        world.deprecate(replacement=name)
    assert world.moves() == 0


def test_a_replacement_may_be_the_next_major_or_a_file_of_the_repository(world: World):
    register_text(world.url, world.root, contract_text(version="2.0.0"))
    line = world.line("2026-03-01", ORDERS, 1)
    said = Announcement(sunset_date=date(2026, 4, 1), replacement=f"{ORDERS}:2.0.0", reason="why")
    assert deprecate(line, said).now.replacement == f"{ORDERS}:2.0.0"
    Path("later.yaml").write_text(contract_text("sales.shop/later"))
    said = Announcement(sunset_date=date(2026, 4, 1), replacement="later.yaml", reason="why")
    assert deprecate(line, said).now.replacement == "sales.shop/later"


def test_a_replacement_that_is_retired_itself_is_refused(world: World):
    said = Announcement(sunset_date=date(2026, 2, 1), retire_date=date(2026, 2, 8), replacement=ORDERS, reason="why")
    deprecate(world.line("2026-01-01", "sales.shop/orders_new"), said)
    with pytest.raises(RegistryError, match=r"The replacement sales.shop/orders_new is retired"):
        world.deprecate()


def test_of_two_majors_the_line_must_be_named(world: World):
    register_text(world.url, world.root, contract_text(version="2.0.0"))
    with pytest.raises(RegistryError, match="has the MAJOR lines 1, 2"):
        world.deprecate()
    with pytest.raises(RegistryError, match="has no MAJOR 3, only 1, 2"):
        retire(world.line("2026-03-01", major=3))
    begun = deprecate(
        world.line("2026-03-01", f"{ORDERS}:1.0.0"),
        Announcement(sunset_date=date(2026, 4, 1), replacement="sales.shop/orders_new", reason="why"),
    )
    assert begun.now.major == 1


def test_a_reason_is_needed(world: World):
    with pytest.raises(SettingError, match="needs a reason"):
        world.deprecate(reason=" ")


def test_the_document_says_where_a_line_begins(world: World):
    told = """  - property: deprecation
    value: {announced: "2026-01-01", sunsetDate: "2026-02-10", replacement: sales.shop/orders_new}"""
    text = contract_text("sales.shop/old", status="deprecated", more=told)
    register_text(world.url, world.root, text)
    with pytest.raises(ContractError, match=r"Contract sales.shop/old:1.0.0 is sunset. Immediate migration required"):
        add_consumer(
            ConsumerRequest(contract="sales.shop/old", team="bi", contact="x"), world.settings, at("2026-02-10")
        )
    rows = history(open_store(world.url, world.root), "sales.shop/old")
    assert [(row["was"], row["state"], row["on_day"], row["by"]) for row in rows] == [
        ("deprecated", "sunset", "2026-02-10", "floe")
    ]


def test_a_notice_that_is_too_short_in_a_document_lasts_thirty_days_all_the_same(world: World):
    told = """  - property: deprecation
    value: {announced: "2026-01-01", sunsetDate: "2026-01-05", replacement: sales.shop/orders_new}"""
    register_text(world.url, world.root, contract_text("sales.shop/old", status="deprecated", more=told))
    wish = ConsumerRequest(contract="sales.shop/old", team="bi", contact="x")
    assert [one.code for one in add_consumer(wish, world.settings, at("2026-01-30")).findings] == ["E570"]
    with pytest.raises(ContractError, match="is sunset"):
        add_consumer(
            ConsumerRequest(contract="sales.shop/old", team="ml", contact="x"), world.settings, at("2026-01-31")
        )


def test_a_draft_of_the_next_version_does_not_make_its_line_one(world: World):
    register_text(world.url, world.root, contract_text(version="1.1.0", status="draft"))
    assert world.state("2026-03-01") == "active"


def test_of_many_that_look_at_once_one_records_the_move(world: World):
    world.consumer()
    world.deprecate()

    def look(_: int) -> str:
        store = open_store(world.url, world.root)
        found = registered(store, ORDERS, world.settings)
        return state(store, ORDERS, 1, at("2026-04-01"), found.first(1)).state

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(look, range(6))) == {"sunset"}
    assert [row["state"] for row in history(world.store, ORDERS)] == ["deprecated", "sunset"]
    assert len(world.messages()) == 2


def test_a_consumer_that_races_with_a_deprecation_is_told_of_it_once(world: World):
    """Who came before it gets the notice, who came after it the warning; nobody both, nobody none."""
    ready = threading.Barrier(7)

    def add(number: int) -> tuple[str, bool]:
        ready.wait()
        return f"team{number}", bool(world.consumer("2026-03-01", f"team{number}").findings)

    def end() -> None:
        ready.wait()
        world.deprecate()

    with ThreadPoolExecutor(7) as pool:
        ending = pool.submit(end)
        warned = {team for team, said in pool.map(add, range(6)) if said}
        ending.result()
    noticed = {one["team"] for message in world.messages() for one in message["consumers"]}
    assert warned | noticed == {f"team{number}" for number in range(6)}
    assert warned & noticed == set()
