"""Settings: where each value comes from, and what is refused."""

from pathlib import Path

import pytest

from floe.actions.load.settings import merged_settings
from floe.model import SettingError, yaml_text
from floe.settings import KEYS, Settings


def settings(text: str = "", environment: dict[str, str] | None = None, given: dict | None = None) -> Settings:
    tree = yaml_text.parse(text, "manifest.yaml") if text else None
    return merged_settings(Path("/root"), tree, environment or {}, given or {})


def test_no_manifest_is_needed():
    found = settings()
    assert found.values() == {key.name: key.default for key in KEYS}
    assert found.origin("tables.format") == "default"


def test_the_later_source_wins_and_is_named():
    text = "tables:\n  format: iceberg\n  warehouse: w\nspark: {master: 'local[1]'}\n"
    found = settings(
        text, {"FLOE_TABLES_WAREHOUSE": "e", "FLOE_ACTOR": "me", "PATH": "x"}, {"spark.master": "local[3]"}
    )
    assert (found.tables.format, found.origin("tables.format")) == ("iceberg", "manifest.yaml:2:3")
    assert (found.tables.warehouse, found.origin("tables.warehouse")) == ("e", "environment FLOE_TABLES_WAREHOUSE")
    assert (found.spark.master, found.origin("spark.master")) == ("local[3]", "command")


def test_the_older_flat_spelling_is_read():
    found = settings("data_contracts: {monitoring: {freshness_check_interval: 5m}}")
    assert found.data_contracts.monitoring.freshness.check_interval == "5m"


def test_the_specification_s_own_manifest_is_accepted():
    text = (Path(__file__).parent.parent.parent / "cases" / "manifest.yaml").read_text()
    found = settings(text)
    assert (found.versions.notice_days, found.waivers[0]["code"]) == (30, "E511")


def test_values_from_the_environment_are_json_where_the_setting_is_not_text():
    found = settings(environment={"FLOE_VERSIONS_LEAD_DAYS": "21", "FLOE_SPARK_CONF": '{"a": "b"}'})
    assert (found.versions.lead_days, found.spark.conf) == (21, {"a": "b"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tables: {formats: delta}", "manifest.yaml:1:10: Unknown manifest key 'tables.formats'"),
        ("table: {format: delta}", "Unknown manifest key 'table'"),
        ("tables: delta", "'tables' is a group of settings, not the value 'delta'"),
        ("tables: {format: orc}", "which is not one of delta, iceberg, parquet"),
        ("versions: {lead_days: many}", "'versions.lead_days' is \"many\", which is not of type int"),
        ("data_contracts: {standard: odcs_v2}", "which is not one of odcs_v3"),
        ("data_contracts: {plugin: {type: soda}}", "which is not one of odcs"),
        ("[1, 2]", "not a mapping of settings"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str):
    with pytest.raises(SettingError) as caught:
        settings(text)
    assert message in str(caught.value)
    assert "Suggestion:" in str(caught.value)
