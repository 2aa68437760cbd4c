"""`floe plan`, as a user runs it."""

import json
from pathlib import Path

from tests.conftest import run_floe_here

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:x
name: orders
version: 1.0.0
status: active
domain: shop
dataProduct: p
schema:
  - name: orders
    properties:
      - {name: id, physicalType: bigint, primaryKey: true, required: true}
      - {name: email, physicalType: string, logicalType: string, logicalTypeOptions: {format: phone}}
    quality:
      - {type: sql, query: "select count(*) from ${table} where email = '$'", mustBe: 0}
slaProperties:
  - {property: availability, value: 99.9%}
"""


def test_every_promise_with_its_way_or_the_reason_why_not(tmp_path: Path):
    (tmp_path / "orders.yaml").write_text(CONTRACT)
    done = run_floe_here("plan", "orders.yaml", "--format", "json", cwd=tmp_path)
    (plan,) = json.loads(done.stdout)["plans"]
    found = {one["id"]: one for one in plan["expectations"]}
    assert {id_: (one["ways"], one["gate"]) for id_, one in found.items()} == {
        "orders.id:key-duplicated": (["shuffle"], True),
        "orders.id:null-value": (["metadata", "row pass"], True),
        "orders.email:format-mismatch": ([], True),
        "orders:quality.sql": (["query"], False),
        "orders:sla.availability": ([], False),
    }
    sql = "SELECT count(*) FROM {floe_table_0} AS `floe object` WHERE `email` = '\\u0024'"
    assert found["orders:quality.sql"]["sql"] == sql
    text = run_floe_here("plan", "orders.yaml", cwd=tmp_path).stdout
    assert "5 expectations, 1 checked by the monitor only, 1 not evaluated" in text
    assert "not evaluated: the format 'phone' of text is unknown; use a pattern" in text


def test_a_contract_that_is_not_there(tmp_path: Path):
    done = run_floe_here("plan", "lost.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "E500" in done.stderr
