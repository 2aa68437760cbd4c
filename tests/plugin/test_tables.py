"""The architecture's names that need a table, on real tables and frames, beside what the commands say in JSON."""

import datetime
import hashlib
import json
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

import floe
from floe.cli import main
from floe.plugin import (
    ContractEnforcer,
    ODCSDataContractPlugin,
    load_contract,
    schema_hash,
    validate_keys,
    validate_schema,
)
from tests.conftest import CONTRACT
from tests.helpers.orders import frame, order
from tests.helpers.tables import DAY, HEAD, table

PLUGIN = ODCSDataContractPlugin()
SLA = "slaProperties:\n  - {property: freshness, value: 2, unit: d}\n  - {property: availability, value: 99.9, unit: percent}\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.yaml").write_text(HEAD + SLA)
    table(tmp_path / "t", (1, Decimal("1.50"), DAY), (None, None, datetime.date(2026, 1, 1)))
    return tmp_path


def judged(capsys, *words: str) -> dict:
    main(["test", "prices.yaml", "--table", "./t", "--format", "json", *words])
    (result,) = json.loads(capsys.readouterr().out)["results"]
    return {one["id"]: one for one in result["expectations"]}


@pytest.mark.parametrize("connection", ["./t", "t", Path("t")])
def test_check_freshness_is_what_the_command_says(home, capsys, connection):
    check = PLUGIN.check_freshness(PLUGIN.parse_contract("prices.yaml"), connection)
    said = judged(capsys)["prices:sla.freshness"]
    assert (check.passed, check.outcome, check.expected, check.id) == (
        True,
        said["outcome"],
        said["expected"],
        said["id"],
    )


@pytest.mark.spark
def test_check_freshness_by_another_column(home, spark):
    contract = PLUGIN.parse_contract("prices.yaml")
    check = PLUGIN.check_freshness(contract, "./t", timestamp_column="day")
    assert check.violation is not None
    assert (check.outcome, check.violation.code, check.violation.violation_type, check.violation.column) == (
        "fail",
        "FLOE-E560",
        "freshness_violation",
        "day",
    )
    lost = PLUGIN.check_freshness(contract, "./t", timestamp_column="gone")
    assert (lost.outcome, lost.passed) == ("not_evaluated", False)


def test_a_promise_that_is_not_made_or_a_table_that_is_not_there_is_not_evaluated(home):
    (home / "plain.yaml").write_text(HEAD)
    assert PLUGIN.check_freshness(load_contract("plain.yaml"), "./t").outcome == "not_evaluated"
    assert PLUGIN.check_freshness(load_contract("prices.yaml"), "./nothing").outcome == "not_evaluated"
    assert {one.outcome for one in PLUGIN.check_quality(load_contract("prices.yaml"), "./nothing")} == {"not_evaluated"}
    (violation,) = PLUGIN.check_breaking_changes(load_contract("prices.yaml"), "./nothing")
    assert (violation.code, violation.violation_type) == ("FLOE-E580", "not_evaluated")
    with pytest.raises(floe.TableError, match="does not exist"):
        PLUGIN.detect_schema_drift(load_contract("prices.yaml"), "./nothing")


@pytest.mark.spark
def test_check_availability_reads_a_row(home, spark):
    contract = load_contract("prices.yaml")
    assert PLUGIN.check_availability(contract, "./t").passed
    for file in (home / "t").glob("*.parquet"):
        file.unlink()
    gone = PLUGIN.check_availability(contract, "./t")
    assert gone.violation is not None
    assert (gone.passed, gone.violation.code, gone.violation.severity) == (False, "FLOE-E561", "error")
    shutil.rmtree(home / "t")
    assert PLUGIN.check_availability(contract, "./t").outcome == "fail"


def test_check_quality_is_what_the_command_says(home, capsys):
    checks = {
        one.id: (one.outcome, one.actual, one.expected)
        for one in PLUGIN.check_quality(load_contract("prices.yaml"), "./t")
    }
    said = {id_: (one["outcome"], one["actual"], one["expected"]) for id_, one in judged(capsys).items()}
    assert checks == {id_: one for id_, one in said.items() if id_ != "prices:schema" and ":sla." not in id_}
    assert checks["prices.id:null-value"] == ("fail", 1, 0)


def test_drift_and_breaking_changes_are_what_the_commands_say(home, capsys):
    text = HEAD.replace("physicalType: bigint, required: true", "physicalType: string")
    (home / "prices.yaml").write_text(
        text.replace("- {name: day,", "- {name: gone, physicalType: int}\n      - {name: day,")
    )
    contract = load_contract("prices.yaml")
    drift = PLUGIN.detect_schema_drift(contract, "./t")
    assert (drift.compatible, sorted(drift.breaking_changes)) == (
        False,
        ["Removed column: gone", "Type change: id (string → bigint)"],
    )
    main(["diff", "prices.yaml", "table:./t", "--format", "json"])
    (said,) = json.loads(capsys.readouterr().out)["results"]
    assert len(said["breaking_changes"]) == len(drift.breaking_changes)
    found = PLUGIN.check_breaking_changes(contract, "./t")
    broken = [one for one in judged(capsys).values() if one["code"].startswith("FLOE-E53") and one["outcome"] == "fail"]
    assert sorted((one.code, one.message, one.expected_value, one.actual_value) for one in found) == sorted(
        (one["code"], one["message"], one["expected"], one["actual"]) for one in broken
    )
    assert sorted((one.code, one.column, one.violation_type) for one in found) == [
        ("FLOE-E530", "id", "schema_drift"),
        ("FLOE-E531", "gone", "schema_drift"),
    ]


@pytest.mark.spark
def test_a_session_finds_the_table_by_the_contract(home, spark):
    (home / "prices.yaml").write_text(
        (HEAD + SLA).replace(
            "schema:", "servers: [{server: s, type: local, path: './{model}', format: delta}]\nschema:", 1
        )
    )
    shutil.copytree(home / "t", home / "prices")
    assert PLUGIN.check_freshness(load_contract("prices.yaml"), spark).passed
    assert PLUGIN.check_availability(load_contract("prices.yaml"), spark).passed


@pytest.mark.spark
def test_frames(home, spark):
    rows = frame(spark, order(1), order(1, status="lost"), order(2, customer_id=None))
    result = ContractEnforcer(CONTRACT).validate(rows)
    said = floe.verify(rows, CONTRACT)
    assert (result.contract_name, result.contract_version) == ("commerce.orders/orders_clean", "1.0.0")
    assert (result.passed, result.data_sample_size) == (False, 3)
    assert [(one.code, one.message) for one in result.violations] == [
        (f"FLOE-{one.code}", one.message) for one in (*said.failed, *said.not_evaluated)
    ]
    assert {one.code for one in result.violations} == {"FLOE-E550", "FLOE-E551", "FLOE-E552"}
    unclean = ContractEnforcer(CONTRACT).validate(frame(spark, order(1, status="lost")))
    assert (unclean.passed, len(unclean.violations)) == (True, 1)  # nothing critical

    validate_schema(rows.withColumn("more", rows.status), CONTRACT, strict=False)
    with pytest.raises(floe.ViolationError, match="Column 'more'") as caught:
        validate_schema(rows.withColumn("more", rows.status), CONTRACT, strict=True)
    assert caught.value.code == "E532"
    with pytest.raises(floe.ViolationError, match=r"'amount' \(decimal\(14,2\)\) is missing"):
        validate_schema(rows.drop("amount"), CONTRACT, strict=False)
    with pytest.raises(floe.ViolationError, match="is duplicated in 1 row"):
        validate_keys(rows, CONTRACT)
    with pytest.raises(floe.ViolationError, match="Null in"):
        validate_keys(frame(spark, order(None)), CONTRACT)
    with pytest.raises(floe.ViolationError, match="was not evaluated"):
        validate_keys(rows.drop("order_id"), CONTRACT)
    with pytest.raises(floe.ContractError, match="has no key"):
        validate_keys(spark.createDataFrame([(1,)], "id bigint"), "prices.yaml")
    validate_keys(frame(spark, order(1, status="lost"), order(2)).drop("amount"), CONTRACT)
    # by hand: canonical JSON of the schema, keys sorted, no blanks
    text = '{"fields":[{"name":"a","nullable":true,"type":"integer"}],"type":"struct"}'
    assert (
        schema_hash(spark.createDataFrame([(1,)], "a int").schema)
        == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    )
