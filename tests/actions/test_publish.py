"""What is refused, what is noted, and what is told when a version is published; on SQLite and on PostgreSQL."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy as sa
import yaml
from deltalake import write_deltalake

import floe
from floe.actions.contracts.transfer import transfer
from floe.actions.lifecycle import Line, deprecate, retire
from floe.actions.load.settings import load_settings
from floe.actions.outbox import send_waiting
from floe.actions.publish import PublishOptions, publish_all
from floe.model.lifecycle import Announcement
from floe.registry import open_store
from floe.registry.catalogs import listed
from floe.registry.schema import consumers, outbox, sign_offs, versions
from floe.registry.store import trail
from tests.helpers.repositories import contract, git, write
from tests.helpers.tables import DAY, HEAD, SCHEMA, table

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
ORDERS = "sales.shop/orders"
CUT = ("order_id:string!",)
MORE = ("order_id:string!", "legacy_status:string", "note:string")
PLAN = "breaking_changes:\n  - {type: field_removed, field: legacy_status, migration: Use order_status}\n"
SILVER = HEAD.replace("  - name: prices\n", "  - name: prices\n    physicalName: silver.shop.prices\n")


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch, registry_url):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOE_REGISTRY_URL", registry_url)
    monkeypatch.setenv("FLOE_ACTOR", "ada")


@pytest.fixture
def store(registry_url):
    return open_store(registry_url, Path())


def publish(*paths, now=NOW, given=None, **how):
    return publish_all(paths or ["orders.yaml"], PublishOptions(**how), load_settings(given), now=now)


def one(*paths, **how):
    (result,) = publish(*paths, **how).results
    return result


def put(version="1.0.0", *columns, custom="", name="orders", folder="."):
    """Write a contract, with custom properties."""
    text = contract(version, *columns, name=name)
    entries = f"customProperties: [{custom}]\nschema:" if custom else "schema:"
    return write(f"{folder}/{name}.yaml", text.replace("schema:", entries))


def said(result):
    return result.outcome, [finding.code for finding in result.findings]


def kept(store, table, *columns):
    with store.begin() as connection:
        rows = connection.execute(sa.select(*[table.c[column] for column in columns]))
        return [tuple(row) if len(columns) > 1 else row[0] for row in rows]


def relies(store, team, major=1):
    row = {"consumer_id": team, "contract_id": ORDERS, "major": major, "version_range": "1.x", "team": team}
    more = {"contact": f"{team}@acme.com", "columns": None, "source": "registered", "added_at": "t", "added_by": "x"}
    with store.begin(writes=True) as connection:
        connection.execute(sa.insert(consumers).values(**row, **more))


def signs(store, team, hashed, decision="signed"):
    row = {"contract_id": ORDERS, "version": "2.0.0", "team": team, "diff_hash": hashed, "decision": decision}
    with store.begin(writes=True) as connection:
        connection.execute(sa.insert(sign_offs).values(**row, at="t", by="x", reason="r"))


@pytest.mark.parametrize(
    ("version", "columns", "outcome", "codes", "bump"),
    [
        ("1.1.0", CUT, "refused", ["E520"], None),
        ("1.0.1", MORE, "refused", ["E522"], None),
        ("0.9.0", MORE, "refused", ["E527"], None),
        ("2.0.0", CUT, "refused", ["E528"], None),
        ("1.1.0", MORE, "created", [], "MINOR"),
        ("1.1", MORE, "refused", ["E521"], None),
    ],
)
def test_the_registered_version_decides_which_one_comes_next(store, version, columns, outcome, codes, bump):
    put()
    assert one().outcome == "created"
    put(version, *columns)
    result = one()
    assert (said(result), result.bump) == ((outcome, codes), bump)
    expected = ["1.0.0", version] if outcome == "created" else ["1.0.0"]
    assert sorted(kept(store, versions, "version")) == expected


@pytest.mark.parametrize("level", ["off", "warn", "alert_only", "block"])
def test_versions_are_judged_at_every_level_of_enforcement(level):
    put()
    one()
    put("1.0.1", *MORE)
    assert said(one(given={"data_contracts.enforcement": level})) == ("refused", ["E522"])


def test_a_waiver_excuses_a_comment_does_not(tmp_path):
    put()
    one()
    path = put("1.1.0", *CUT)
    path.write_text("# floe: ignore E520 major-bump-missing -- we know\n" + path.read_text())
    assert said(one()) == ("refused", ["E520"])
    waiver = "{code: E520, path: '*', reason: nobody reads it, approver: steward@acme.com, until: 2099-01-01}"
    write("manifest.yaml", f"waivers: [{waiver}]\n")
    assert one().outcome == "created"


@pytest.mark.parametrize("code", ["E520", "E517"])
def test_what_was_approved_in_ci_under_e520_may_be_published(code):
    """approvals.yaml names the hash of the two documents, as `floe ci` and `floe diff` say it."""
    old = put().read_text()
    assert one().outcome == "created"
    put("1.1.0", *CUT)
    assert said(one()) == ("refused", ["E520"])
    entry = {"code": code, "diff": floe.diff(old, Path("orders.yaml").read_text()).hash, "reason": "nobody reads it"}
    write("approvals.yaml", yaml.safe_dump({"approvals": [{**entry, "approver": "steward@acme.com"}]}))
    if code == "E517":  # approves a MAJOR, not one that hides
        assert said(one()) == ("refused", ["E520"])
        return
    result = one()
    assert said(result) == ("created", [])
    assert result.notes[0] == "E520 was approved by steward@acme.com: nobody reads it"
    assert str(result.effective_from)[:10] == "2026-11-30"  # it breaks readers all the same, after 14 days


def test_an_approval_that_makes_no_sense_is_said():
    put()
    write("approvals.yaml", "approvals: [{code: E520}]\n")
    heard: list[str] = []
    settings = load_settings(say=heard.append)
    assert publish_all(["orders.yaml"], PublishOptions(), settings, now=NOW).exit_code == 0
    assert "An approval has no diff, reason, approver. It has no effect" in heard[0]


def test_an_older_major_line_goes_on_beside_a_newer_one():
    write("changes.yaml", PLAN)
    for version, columns in (("1.0.0", ()), ("2.0.0", CUT), ("1.1.0", MORE)):
        put(version, *columns)
        assert one().outcome == "created", version
    put("1.0.5")
    assert said(one()) == ("refused", ["E527"])


def test_another_id_under_the_same_name_is_another_contract():
    put()
    one()
    path = put("1.0.1")
    path.write_text(path.read_text().replace("urn:acme:orders", "urn:acme:other"))
    assert said(one()) == ("refused", ["E524"])


def test_a_file_whose_contract_changes_its_name_is_another_contract():
    put()
    one()
    path = Path("orders.yaml")
    path.write_text(path.read_text().replace("dataProduct: shop", "dataProduct: store"))
    assert said(one()) == ("refused", ["E524"])
    write("other.yaml", path.read_text().replace("urn:acme:orders", "urn:acme:store"))
    assert one("other.yaml").outcome == "created"


def test_a_contract_is_named_by_its_id_or_given_as_it_was_loaded():
    put(folder="contracts")
    assert one(ORDERS).outcome == "created"
    assert one("urn:acme:orders").outcome == "already registered"
    assert floe.publish(floe.load("contracts/orders.yaml")).outcome == "already registered"
    with pytest.raises(floe.ContractError, match="Unknown contract 'nothing'"):
        one("nothing")
    with pytest.raises(floe.ContractError, match="has no file"):
        floe.publish(contract())


def test_the_ports_of_a_product_are_published_too():
    metadata = "{name: shop, domain: sales, version: 1.0.0, owner: a@b.c, repository: 'https://github.com/acme/shop'}"
    ports = "[{name: sold, table: silver.sales.sold, columns: {order_id: bigint}}]"
    write("shop/floe.yaml", f"metadata: {metadata}\noutput_ports: {ports}\n")
    write("shop/contracts/orders.yaml", contract())
    write("loose.yaml", contract(name="loose"))
    first, second = publish(".").results, publish(".").results
    found = [(each.id, each.outcome) for each in sorted(first, key=lambda each: each.id)]
    assert found == [(f"sales.shop/{name}:1.0.0", "created") for name in ("loose", "orders", "sold")]
    assert {each.outcome for each in second} == {"already registered"}
    assert [each.outcome for each in publish("shop").results] == ["already registered"] * 2


def test_a_contract_that_belongs_to_nobody_is_refused():
    path = put()
    path.write_text(path.read_text().replace("domain: sales\ndataProduct: shop\n", ""))
    result = one()
    assert (said(result), result.contract) == (("refused", ["E501"]), "default.default/orders")


def test_a_breaking_change_takes_effect_after_its_lead_time():
    put()
    one()
    write("changes.yaml", PLAN)
    put("2.0.0", *CUT, custom="{property: effectiveFrom, value: 2026-11-29}")
    assert said(one()) == ("refused", ["E526"])
    assert one(dry_run=True, given={"versions.lead_days": 3}).outcome == "refused"  # only upwards
    put("2.0.0", *CUT, custom="{property: effectiveFrom, value: 2026-11-30}")
    assert one(dry_run=True).outcome == "would be created"
    assert said(one(given={"versions.lead_days": 20})) == ("refused", ["E526"])
    put("2.0.0", *CUT)
    result = one()
    assert (result.outcome, result.effective_from) == ("created", "2026-11-30T00:00:00.000Z")


def test_a_waiver_shortens_the_lead_time():
    put()
    one()
    write("changes.yaml", PLAN)
    waiver = "{code: E526, path: versions.lead_days, reason: incident, approver: steward@acme.com, until: 2099-01-01}"
    write("manifest.yaml", f"versions: {{lead_days: 3}}\nwaivers: [{waiver}]\n")
    put("2.0.0", *CUT)
    assert one().effective_from == "2026-11-19T00:00:00.000Z"


def test_consumers_are_told_of_a_breaking_change_and_must_sign_it_off(store):
    put()
    one()
    relies(store, "growth"), relies(store, "finance")
    write("changes.yaml", PLAN)
    put("2.0.0", *CUT)
    dry = one(dry_run=True)
    assert (said(dry), [row[0] for row in notices(store)]) == (("refused", ["E525"]), [])
    refused = one()
    assert "finance, growth" in refused.findings[0].message
    one(now=NOW + timedelta(days=3))  # asked again: told once
    ((kind, deadline, teams),) = notices(store)
    assert (kind, deadline, teams) == ("breaking-change-ahead", "2026-12-16", ["finance", "growth"])
    signs(store, "growth", refused.diff_hash)
    assert said(one()) == ("refused", ["E525"])
    signs(store, "finance", "sha256:another change")
    assert said(one()) == ("refused", ["E525"])
    signs(store, "finance", refused.diff_hash)
    assert one().outcome == "created"
    assert [row[0] for row in notices(store)] == ["breaking-change-ahead", "version-published"]


def notices(store):
    found = [payload for sink, payload in kept(store, outbox, "sink", "payload") if sink == "notification"]
    return [(one["kind"], one.get("deadline"), [who["team"] for who in one["consumers"]]) for one in found]


def test_the_notice_period_ends_and_an_owner_may_override(store):
    put()
    one()
    relies(store, "growth")
    write("changes.yaml", PLAN)
    put("2.0.0", *CUT)
    assert said(one()) == ("refused", ["E525"])
    assert said(one(now=NOW + timedelta(days=29), dry_run=True)) == ("refused", ["E525"])
    assert one(now=NOW + timedelta(days=30), dry_run=True).outcome == "would be created"
    hashed = one(dry_run=True).diff_hash
    signs(store, "owner", hashed, "override")
    assert one().outcome == "created"


def test_a_compatible_version_asks_nobody_but_is_told(store):
    put()
    one()
    relies(store, "growth")
    put("1.1.0", *MORE)
    assert one().outcome == "created"
    assert [(kind, teams) for kind, _, teams in notices(store)] == [("version-published", ["growth"])]
    catalog = [one for sink, one in kept(store, outbox, "sink", "payload") if sink == "catalog"]
    assert [one["contract_version"] for one in catalog] == ["1.0.0", "1.1.0"]


def test_another_repository_does_not_publish_it(store):
    git("init", "--quiet")
    git("remote", "add", "origin", "https://ada:token@github.com/acme/shop.git")
    put()
    assert one().outcome == "created"
    git("remote", "set-url", "origin", "git@github.com:acme/shop")
    put("1.1.0", *MORE)
    assert one().outcome == "created"
    git("remote", "set-url", "origin", "git@github.com:other/shop")
    put("1.2.0", *MORE, "more:string")
    result = one()
    assert said(result) == ("refused", ["E541"])
    assert "'github.com/acme/shop', published from 'github.com/other/shop'" in result.findings[0].detail
    git("remote", "remove", "origin")
    assert said(one()) == ("refused", ["E541"])


def family(hours, version="1.0.0", child_version="1.0.0", child=""):
    parent = contract(version, "order_id:string!", name="base")
    write("base.yaml", parent + f"slaProperties: [{{property: freshness, value: {hours}, unit: h}}]\n")
    put(child_version, custom="{property: extends, value: base}")
    path = Path("orders.yaml")
    path.write_text(path.read_text() + child)


FRESH = "slaProperties: [{property: freshness, value: 20, unit: h}]\n"


def test_a_parent_that_tightens_lists_the_children_that_no_longer_comply(store):
    family(24, child=FRESH)
    assert [(each.contract, each.outcome) for each in publish(".").results] == [
        ("sales.shop/base", "created"),
        (ORDERS, "created"),
    ]
    family(12, "1.1.0", child=FRESH)
    result = one("base.yaml")
    ((name, causes),) = result.weaker
    assert (result.outcome, name) == ("created", f"{ORDERS}:1.0.0")
    assert causes[0].startswith("FLOE-E510 ")
    assert [payload["child"] for payload in kept(store, outbox, "payload") if payload.get("child")] == [name]


def test_a_child_is_registered_beside_the_newest_parent_alone():
    family(24)
    publish(".")
    family(12, "1.1.0", "1.1.0")
    result = one("orders.yaml")
    assert (said(result), result.findings[0].suggestion) == (("refused", ["E516"]), "Publish sales.shop/base first")
    assert [each.outcome for each in publish(".").results] == ["created", "created"]
    family(24, "1.0.0", "1.2.0")  # as an old clone would do it
    result = one("orders.yaml")
    assert (said(result), result.findings[0].suggestion) == (
        ("refused", ["E516", "E520"]),
        "Inherit from sales.shop/base:1.1.0",
    )


def test_the_same_document_under_a_changed_parent_needs_a_version():
    family(24)
    publish(".")
    family(12, "1.1.0")
    results = {each.contract: said(each) for each in publish(".").results}
    assert results == {"sales.shop/base": ("created", []), ORDERS: ("refused", ["E523"])}


def test_a_child_that_weakens_its_parent_is_refused():
    family(24, child="slaProperties: [{property: freshness, value: 30, unit: h}]\n")
    results = {each.contract: said(each) for each in publish(".").results}
    assert results == {"sales.shop/base": ("created", []), ORDERS: ("refused", ["E510"])}


def test_a_nameless_parent_is_left_to_its_children(store):
    family(24)
    base = Path("base.yaml")
    base.write_text(base.read_text().replace("domain: sales\ndataProduct: shop\n", ""))
    assert {each.contract: each.outcome for each in publish(".").results} == {
        "default.default/base": "skipped",
        ORDERS: "created",
    }


def home(*rows, text=SILVER):
    write("prices.yaml", text)
    if rows:
        table(Path(".floe/warehouse/silver_shop/prices"), *rows)


def test_a_table_that_keeps_its_contract_lets_it_be_published(store):
    home((1, Decimal("1.50"), DAY), (2, None, None))
    result = one("prices.yaml")
    assert (result.outcome, result.tested["outcome"], result.tested["tables"][0]["rows"]) == ("created", "pass", 2)
    assert [run["outcome"] for run in store.runs(5)] == ["pass"]


def test_a_contract_that_its_table_does_not_keep_is_not_published(store):
    home((1, Decimal("1.50"), DAY), (None, None, None))
    result = publish("prices.yaml")
    assert (said(result.results[0]), result.exit_code) == (("refused", ["E550"]), 1)
    assert kept(store, versions, "version") == []
    result = one("prices.yaml", skip_test="backfill runs tonight")
    assert (result.outcome, result.tested) == ("created", {"outcome": "skipped", "skipped": "backfill runs tonight"})
    (row,) = trail(store, "shop.p/prices")
    assert row["detail"]["tested"]["skipped"] == "backfill runs tonight"


def test_skipping_the_test_needs_a_reason():
    put()
    with pytest.raises(floe.SettingError, match="no reason"):
        publish(skip_test="  ")


def test_what_cannot_be_checked_is_an_outcome_of_its_own(store):
    home((1, Decimal("1.50"), DAY), text=SILVER.replace("rowCount, mustBeGreaterThan: 1", "rowCount, mustBe: 1"))
    odd = "      - {id: odd, type: custom, engine: soda, implementation: x}\n"
    path = Path("prices.yaml")
    path.write_text(path.read_text() + odd)
    result = publish("prices.yaml")
    assert (said(result.results[0]), result.exit_code) == (("not checked", ["E580"]), 2)
    assert kept(store, versions, "version") == []
    assert one("prices.yaml", accept=("prices:quality.odd",)).outcome == "created"


def test_a_breaking_change_is_not_held_against_the_old_table():
    home((1, Decimal("1.50"), DAY), (2, None, None))
    assert one("prices.yaml").outcome == "created"
    new = SILVER.replace("1.0.0", "2.0.0").replace("id, physicalType: bigint", "id, physicalType: string")
    write("changes.yaml", "breaking_changes: [{type: field_retyped, field: id, migration: cast it}]\n")
    write("prices.yaml", new)
    result = one("prices.yaml")
    assert (result.outcome, result.tested["outcome"]) == ("created", "no_table")
    data = pa.table({"id": ["1", None], **{name: pa.nulls(2, SCHEMA.field(name).type) for name in ("price", "day")}})
    write_deltalake(".floe/warehouse/silver_shop/prices_v2", data)
    write("prices.yaml", new.replace("2.0.0", "2.0.1") + "description: {purpose: x}\n")
    assert said(one("prices.yaml")) == ("refused", ["E550"])


def test_a_dry_run_leaves_no_trace(store):
    put()
    result = publish(dry_run=True)
    assert (said(result.results[0]), result.exit_code) == (("would be created", []), 0)
    assert kept(store, versions, "version") == []
    assert json.dumps(result.to_dict())


def test_a_secret_is_never_registered(store):
    path = put()
    path.write_text(
        path.read_text() + "servers: [{server: s, type: custom, location: 'https://a:hunter22@b.example'}]\n"
    )
    assert said(one()) == ("refused", ["E507"])
    assert "hunter22" not in str(one().to_dict())


def test_two_registered_versions_are_compared_with_what_consumers_were_told():
    """changes.yaml does not stand beside what is registered; what it said does."""
    put()
    publish()
    put("2.0.0", *CUT)
    changes = write("changes.yaml", PLAN)
    assert one().outcome == "created"
    changes.unlink()
    made = floe.diff(f"registry:{ORDERS}:1.0.0", f"registry:{ORDERS}:2.0.0")
    assert (made.ok, made.findings, str(made.bump)) == (True, (), "MAJOR")
    assert made.breaking_changes[0]["migration"] == "Use order_status"


def in_catalog(settings):
    send_waiting(settings, 20, everything=True)  # by this test's clock some of it is to be sent later
    return [(each.contract_id, each.version, each.repository) for each in listed(settings)]


def test_the_catalog_follows_a_transfer_and_lets_go_of_what_is_retired():
    put()
    put(name="other")
    publish("orders.yaml", "other.yaml")
    settings, other = load_settings(), ("sales.shop/other", "1.0.0", "")
    assert in_catalog(settings) == [(ORDERS, "1.0.0", ""), other]
    assert transfer(ORDERS, "github.com/acme/orders", settings)["moved"] is True
    assert in_catalog(settings) == [(ORDERS, "1.0.0", "github.com/acme/orders"), other]
    said = Announcement(
        sunset_date=(NOW + timedelta(days=40)).date(), replacement="sales.shop/other", reason="one less"
    )
    deprecate(Line(ORDERS, None, settings, NOW), said)
    retire(Line(ORDERS, None, settings, NOW + timedelta(days=60)))
    assert in_catalog(settings) == [other]
    git("init", "--quiet")
    git("remote", "add", "origin", "https://github.com/acme/orders.git")
    assert transfer(ORDERS, "github.com/acme/shop", settings)["moved"] is True  # a retired one does not come back
    assert in_catalog(settings) == [other]
