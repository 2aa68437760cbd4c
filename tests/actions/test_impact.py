"""Whom a change reaches: cases by hand, each with who must be listed and who must not."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from floe.actions.consumers import ConsumerRequest, add_consumer
from floe.actions.impact import impact
from floe.actions.lineage import import_lineage
from floe.actions.load.settings import load_settings
from floe.model import FloeError
from floe.model.impact import ImpactOf
from tests.helpers.consumers import FIELDS, contract_text, register_text

ORDERS, REPORT, BOARD = "sales.shop/orders", "fin.books/report", "fin.books/board"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FLAT = """
      - {name: revenue, logicalType: number, physicalType: "decimal(12,2)"}
      - {name: region, logicalType: string, physicalType: string}
"""


class World:
    """Orders, a report made of it, a board made of the report."""

    def __init__(self, url: str, root: Path) -> None:
        self.url, self.root = url, root
        self.settings = load_settings({"registry.url": url}, start=root)
        register_text(url, root, contract_text(ORDERS))
        register_text(url, root, contract_text(REPORT, fields=FLAT))
        register_text(url, root, contract_text(BOARD, fields=FLAT))

    def rely(self, contract: str, team: str, columns: str | None = None, **said: str) -> None:
        names = columns.split(",") if columns else None
        wish = ConsumerRequest(contract=contract, team=team, contact=f"{team}@acme.com", columns=names, **said)
        add_consumer(wish, self.settings, NOW)

    def change(self, *pairs: tuple[str, str], version: str = "2.0.0") -> str:
        fields = FIELDS
        for old, new in pairs:
            assert old in fields
            fields = fields.replace(old, new)
        path = self.root / "new.yaml"
        path.write_text(contract_text(ORDERS, version, fields=fields))
        return str(path)

    def events(self, *events: tuple[str, str, dict | None], job: str = "job") -> None:
        lines = []
        for source, target, fields in events:
            column = {
                name: {"inputFields": [{"namespace": "", "name": source, "field": one} for one in made]}
                for name, made in (fields or {}).items()
            }
            facets = {"columnLineage": {"fields": column}} if fields else {}
            output = {"namespace": "", "name": target, "facets": facets}
            inputs = [{"namespace": "", "name": source}]
            lines.append(json.dumps({"job": {"name": job}, "inputs": inputs, "outputs": [output]}))
        (self.root / "events.jsonl").write_text("\n".join(lines))
        made = import_lineage([str(self.root / "events.jsonl")], self.settings, NOW)
        assert made.wrong == ()

    def impact(self, new: str, old: str = ORDERS, **said: Any) -> ImpactOf:
        (one,) = impact(old, new, self.settings, **said).results
        return one


@pytest.fixture
def world(registry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    return World(registry_url, tmp_path)


def teams(reached: tuple) -> list[str]:
    return [one.use.team for one in reached]


TYPE = (
    '{name: total, logicalType: number, physicalType: "decimal(12,2)"}',
    "{name: total, logicalType: string, physicalType: string}",
)
NO_CITY = ("          - {name: city, logicalType: string, physicalType: string}\n", "")
RENAME = ("name: email", "name: mail")


def test_only_those_who_use_the_changed_column_are_listed_and_unknown_use_stands_apart(world: World):
    world.rely(ORDERS, "bi", "total")
    world.rely(ORDERS, "crm", "email")
    world.rely(ORDERS, "ops", "order_id,address")
    world.rely(ORDERS, "lab")
    made = world.impact(world.change(TYPE))
    assert (teams(made.affected), teams(made.may_break)) == (["bi"], ["lab"])
    (one,) = made.affected
    assert (one.columns, one.way, str(one.impact)) == (("orders.total",), (ORDERS,), "break")
    assert [change.change for change in one.changes] == ["type-changed"]


def test_a_nested_change_reaches_the_part_and_the_whole_but_no_sibling(world: World):
    for team, column in (("part", "address.city"), ("whole", "address"), ("sibling", "address.zip"), ("far", "total")):
        world.rely(ORDERS, team, column)
    made = world.impact(world.change(NO_CITY))
    assert (teams(made.affected), teams(made.may_break)) == (["part", "whole"], [])


def test_a_column_in_a_list_is_known_by_its_path(world: World):
    world.rely(ORDERS, "sku", "items.sku")
    world.rely(ORDERS, "total", "total")
    changed = world.change(
        (
            "{name: sku, logicalType: string, physicalType: string}",
            "{name: code, logicalType: string, physicalType: string}",
        )
    )
    assert teams(world.impact(changed).affected) == ["sku"]


def test_a_renamed_column_reaches_who_knows_it_by_its_old_name(world: World):
    world.rely(ORDERS, "crm", "email")
    world.rely(ORDERS, "bi", "total")
    made = world.impact(world.change(RENAME))
    assert (teams(made.affected), made.affected[0].columns) == (["crm"], ("orders.email",))


def test_a_compatible_change_reaches_nobody(world: World):
    world.rely(ORDERS, "bi", "total")
    world.rely(ORDERS, "lab")
    made = world.impact(
        world.change(
            (FIELDS, FIELDS.rstrip() + "\n      - {name: note, logicalType: string, physicalType: string}\n"),
            version="1.1.0",
        )
    )
    assert (made.affected, made.may_break) == ((), ())


def test_consumers_of_another_major_are_not_reached(world: World):
    world.rely(ORDERS, "one", "total")
    register_text(world.url, world.root, contract_text(ORDERS, "2.0.0"))
    world.rely(ORDERS, "two", "total", version="2.x")
    changed = world.change(TYPE, version="3.0.0")
    assert teams(world.impact(changed, f"{ORDERS}:1.0.0").affected) == ["one"]
    assert teams(world.impact(changed).affected) == ["two"]


def test_through_other_contracts_to_any_depth_the_columns_are_unknown_without_lineage(world: World):
    world.rely(ORDERS, "books", "total", through=REPORT)
    world.rely(REPORT, "board", "revenue", through=BOARD)
    world.rely(BOARD, "ceo", "revenue")
    world.rely(BOARD, "cfo")
    made = world.impact(world.change(TYPE))
    assert teams(made.affected) == ["books"]
    assert [(one.use.team, one.way) for one in made.may_break] == [
        ("board", (ORDERS, REPORT)),
        ("ceo", (ORDERS, REPORT, BOARD)),
        ("cfo", (ORDERS, REPORT, BOARD)),
    ]


def test_who_passes_on_other_columns_passes_on_nothing(world: World):
    world.rely(ORDERS, "books", "email", through=REPORT)
    world.rely(REPORT, "board")
    made = world.impact(world.change(TYPE))
    assert (made.affected, made.may_break) == ((), ())


def test_column_lineage_says_which_columns_of_the_next_contract_are_reached(world: World):
    world.rely(ORDERS, "books", "total,email", through=REPORT)
    world.rely(REPORT, "money", "revenue")
    world.rely(REPORT, "maps", "region")
    world.events(("silver.sales.orders", "silver.fin.report", {"revenue": ["total"], "region": ["address"]}))
    made = world.impact(world.change(TYPE))
    assert (teams(made.affected), teams(made.may_break)) == (["books", "money"], [])
    assert made.affected[1].columns == ("report.revenue",)
    assert teams(world.impact(world.change(NO_CITY)).affected) == ["maps"]


def test_lineage_goes_through_tables_that_have_no_contract(world: World):
    world.rely(BOARD, "ceo", "revenue")
    world.rely(BOARD, "maps", "region")
    world.events(
        ("spark_catalog.silver_sales.orders", "file:/lake/tmp", {"t": ["total"]}),
        ("/lake/tmp", "silver.fin.board", {"revenue": ["t"]}),
    )
    made = world.impact(world.change(TYPE))
    people = [one for one in made.affected if one.use.source == "registered"]
    assert teams(tuple(people)) == ["ceo"]
    assert people[0].way == (ORDERS, "table /lake/tmp", BOARD)
    assert made.may_break == ()


def test_a_job_that_reads_a_changed_column_is_itself_a_consumer(world: World):
    world.events(("silver.sales.orders", "/lake/tmp", {"t": ["total"]}), job="nightly")
    world.events(("silver.sales.orders", "/lake/other", {"m": ["email"]}), job="mail")
    world.events(("silver.sales.orders", "/lake/all", None), job="copy")
    made = world.impact(world.change(TYPE))
    assert (teams(made.affected), teams(made.may_break)) == (["default/nightly"], ["default/copy"])


def test_a_circle_of_contracts_comes_to_an_end(world: World):
    world.rely(ORDERS, "a", through=REPORT)
    world.rely(REPORT, "b", through=ORDERS)
    made = world.impact(world.change(TYPE))
    assert sorted(teams(made.may_break)) == ["a", "b"]


def product(root: Path, name: str, contract: str) -> None:
    folder = root / name
    folder.mkdir()
    (folder / "floe.yaml").write_text(
        f"""metadata: {{name: {name}, domain: fin, version: 1.0.0, owner: {name}@acme.com, repository: r}}
input_ports: [{{name: in, contract: "{contract}"}}]
output_ports: [{{name: out, table: silver.fin.{name}, format: delta, columns: [{{name: x, type: int}}]}}]
"""
    )


def test_input_ports_of_products_are_reached_and_what_they_give(world: World):
    product(world.root, "ledger", ORDERS)
    product(world.root, "other", "sales.shop/else")
    product(world.root, "late", f"{ORDERS}:9.0.0")
    product(world.root, "after", "fin.ledger/out")
    made = world.impact(world.change(TYPE))
    assert [(one.use.name, one.use.contact, one.way) for one in made.may_break] == [
        ("fin.ledger: in", "ledger@acme.com", (ORDERS,)),
        ("fin.after: in", "after@acme.com", (ORDERS, "fin.ledger/out")),
    ]


def test_compiled_artifacts_of_another_repository_have_input_ports_too(world: World):
    entry = {"name": "far", "domain": "fin", "owner": "far@acme.com"}
    ports = {"input_ports": [{"name": "in", "contract": ORDERS}], "output_ports": [{"name": "out"}]}
    (world.root / "far.json").write_text(json.dumps({"products": [{**entry, **ports}]}))
    made = world.impact(world.change(TYPE), artifacts=[str(world.root / "far.json")])
    assert [one.use.name for one in made.may_break] == ["fin.far: in"]


def test_dbt_exposures_are_reached_through_models(world: World):
    manifest = {
        "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"},
        "sources": {
            "source.p.s.orders": {"resource_type": "source", "name": "orders", "relation_name": '"db"."silver"."x"'}
        },
        "nodes": {
            "model.p.mart": {"resource_type": "model", "name": "mart", "depends_on": {"nodes": ["source.p.s.orders"]}},
            "model.p.side": {"resource_type": "model", "name": "side", "depends_on": {"nodes": []}},
        },
        "exposures": {
            "exposure.p.weekly": {
                "name": "weekly",
                "type": "dashboard",
                "owner": {"name": "Ann", "email": "ann@acme.com"},
                "depends_on": {"nodes": ["model.p.mart"]},
            },
            "exposure.p.none": {"name": "none", "type": "ml", "owner": {}, "depends_on": {"nodes": ["model.p.side"]}},
        },
    }
    (world.root / "manifest.json").write_text(json.dumps(manifest))
    made = world.impact(world.change(TYPE), dbt=[str(world.root / "manifest.json")])
    assert [(one.use.team, one.use.contact, one.use.name, one.way) for one in made.may_break] == [
        ("Ann", "ann@acme.com", "dashboard weekly", (ORDERS, "dbt model.p.mart"))
    ]
    (world.root / "manifest.json").write_text("{}")
    with pytest.raises(FloeError, match="is not a dbt manifest"):
        world.impact(world.change(TYPE), dbt=[str(world.root / "manifest.json")])


def test_two_files_are_a_change_too(world: World):
    world.rely(ORDERS, "bi", "total")
    (world.root / "old.yaml").write_text(contract_text(ORDERS))
    assert teams(world.impact(world.change(TYPE), str(world.root / "old.yaml")).affected) == ["bi"]


def test_a_promise_about_the_whole_contract_reaches_its_own_consumers_alone(world: World):
    world.rely(ORDERS, "bi", "total", through=REPORT)
    world.rely(REPORT, "money", "revenue")
    old, new = world.root / "old.yaml", world.root / "new.yaml"
    sla = "slaProperties: [{property: freshness, value: %s, unit: h}]\n"
    old.write_text(contract_text(ORDERS) + sla % 1)
    new.write_text(contract_text(ORDERS, "1.1.0") + sla % 24)
    made = world.impact(str(new), str(old))
    assert (teams(made.affected), teams(made.may_break)) == (["bi"], [])


def test_without_a_registry_nobody_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(contract_text(ORDERS))
    Path("new.yaml").write_text(contract_text(ORDERS, "2.0.0", fields=FIELDS.replace(*TYPE)))
    (one,) = impact("old.yaml", "new.yaml", load_settings()).results
    assert (one.affected, one.may_break, one.changed) == ((), (), ("orders.total",))
    assert not Path(".floe").exists()


def test_the_version_right_below_the_new_one_is_the_old_one(world: World):
    world.rely(ORDERS, "bi", "total")
    register_text(world.url, world.root, contract_text(ORDERS, "2.0.0", fields=FLAT))
    made = world.impact(world.change(RENAME, version="1.1.0"))
    assert (made.old, made.changed) == ("1.0.0", ("orders.email", "orders.mail"))
