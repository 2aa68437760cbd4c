from pathlib import Path

import pytest

from floe.actions.lint import lint, write_baseline
from floe.contract.formats import read
from floe.model import SettingError, Severity

_GOOD = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:orders
name: orders
version: 1.0.0
status: active
domain: sales
dataProduct: shop
"""
_BAD = (
    _GOOD
    + """\
schema:
  - name: orders
    properties:
      - name: amount
        logicalType: number
        physicalType: double
        logicalTypeOptions: {minimum: 5, maximum: 3}
"""
)
_ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def _write(**files):
    for name, text in files.items():
        path = Path(name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _names(result):
    return [finding.name for finding in result.findings]


def test_text_paths_folders_and_contracts_are_linted_alike():
    _write(a__x=_BAD)
    contract, _ = read(_BAD, "x.yaml")
    assert contract
    for source in (_BAD, "a/x.yaml", Path("a"), contract, ["a"]):
        assert _names(lint(source)) == ["bounds-contradict"]


def test_a_file_named_twice_is_linted_once():
    _write(a__x=_BAD)
    result = lint(["a/x.yaml", "a"])
    assert (result.files, _names(result)) == (1, ["bounds-contradict"])


def test_files_of_a_folder_that_are_no_contracts_are_skipped_and_named():
    _write(
        a__x=_GOOD,
        a__deployment="apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n",
        a__compose="services: {}\n",
        a__broken="a: [\n",
        a__dbt_models="version: 2\nmodels:\n  - name: x\n",
    )
    result = lint("a")
    assert (result.files, _names(result)) == (1, [])
    assert result.skipped == ("a/broken.yaml", "a/compose.yaml", "a/dbt_models.yaml", "a/deployment.yaml")
    assert result.to_dict()["summary"]["skipped"] == 4


@pytest.mark.parametrize(
    "text",
    [
        "kind: DataContract\nversion: 1.0.0\n",
        "apiVersion: v9.9.9\nid: x\n",
        "apiVersion: v3.1.0\nid: [\n",
        "dataContractSpecification: [\n",
        "table_id: [\n",
    ],
)
def test_a_file_that_looks_like_a_contract_is_not_skipped(text):
    _write(a__good=_GOOD, a__x=text)
    result = lint("a")
    assert result.skipped == ()
    assert result.count(Severity.CRITICAL) >= 1


def test_a_broken_file_among_contracts_is_one():
    _write(contracts__silver__sales__orders="columns: [\n", contracts__gold__x=_GOOD)
    assert _names(lint("contracts")) == ["yaml-unreadable"]


def test_a_file_that_is_named_is_never_skipped():
    _write(compose="services: {}\n")
    assert lint("compose.yaml").count(Severity.CRITICAL) == 1


@pytest.mark.parametrize("files", [{}, {"a__compose": "services: {}\n"}])
def test_a_folder_without_contracts_is_said(files):
    Path("a").mkdir()
    _write(**files)
    result = lint("a")
    assert [(f.code, f.name, f.severity) for f in result.findings] == [("E500", "folder-empty", Severity.CRITICAL)]


def test_a_missing_path_is_said():
    assert _names(lint("nowhere.yaml")) == ["contract-not-found"]


def test_a_link_that_leads_out_of_the_folder_is_not_followed():
    _write(secret=_BAD, a__x=_GOOD)
    Path("a/link.yaml").symlink_to(Path("secret.yaml").resolve())
    Path("a/up").symlink_to(Path.cwd())
    result = lint("a")
    assert (result.files, _names(result)) == (1, ["path-outside-root"])


def test_a_reference_may_climb_inside_the_root_and_not_out_of_it():
    extends = "customProperties:\n  - {property: extends, value: [../base.yaml]}\n"
    _write(a__b__x=_GOOD + extends)
    assert _names(lint("a/b/x.yaml")) == []
    Path("a/b/manifest.yaml").write_text("data_contracts: {enforcement: warn}\n", "utf-8")
    assert _names(lint("a/b/x.yaml")) == ["reference-unsafe"]


def test_a_reference_through_a_link_out_of_the_root_is_unsafe(tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    _write(x=_GOOD + "customProperties:\n  - {property: extends, value: [shared/base.yaml]}\n")
    assert _names(lint("x.yaml")) == []
    Path("shared").symlink_to(outside)
    assert _names(lint("x.yaml")) == ["reference-unsafe"]


def test_labels_of_the_manifest_make_an_unknown_one_an_error():
    column = "schema:\n  - name: t\n    properties:\n      - {name: c, logicalType: string, classification: public}\n"
    _write(x=_GOOD + column)
    assert _names(lint("x.yaml")) == []
    Path("manifest.yaml").write_text("classifications: [green, red]\n", "utf-8")
    assert [(f.name, f.severity) for f in lint("x.yaml").findings] == [("classification-unknown", Severity.ERROR)]
    assert _names(lint("x.yaml", labels=["public"])) == []


def test_contracts_of_one_run_are_compared():
    table = "schema:\n  - {name: t, physicalName: silver.sales.orders}\n"
    _write(a__x=_GOOD + table, a__y=_GOOD.replace("urn:acme:orders", "urn:acme:more") + table)
    result = lint("a")
    assert [(f.name, str(f.place)) for f in result.findings] == [("table-promised-twice", "a/y.yaml:10:29")]


def test_an_ignored_finding_is_listed_with_its_reason_and_does_not_count():
    _write(x=_BAD.replace("maximum: 3}", "maximum: 3}  # floe: ignore E508 bounds-contradict -- to be corrected"))
    result = lint("x.yaml")
    shape = result.to_dict()
    assert [finding.get("ignored") for finding in shape["findings"]] == ["to be corrected"]
    assert (shape["summary"]["error"], shape["summary"]["ignored"]) == (0, 1)
    assert not result.reaches(Severity.INFO)


def test_a_finding_between_contracts_can_be_ignored_in_its_file():
    table = "schema:\n  - {name: t, physicalName: silver.sales.orders}"
    other = _GOOD.replace("urn:acme:orders", "urn:acme:more")
    _write(a__x=f"{_GOOD}{table}\n", a__y=f"{other}{table} # floe: ignore table-promised-twice -- we move\n")
    assert [finding.ignored for finding in lint("a").findings] == ["we move"]


def test_a_baseline_holds_from_every_folder_and_new_findings_count(monkeypatch):
    _write(a__x=_BAD)
    write_baseline(lint("a", every=True), "known.json")
    result = lint("a", known="known.json")
    assert [finding.known for finding in result.findings] == [True]
    assert result.to_dict()["summary"]["known"] == 1
    assert not result.reaches(Severity.INFO)
    monkeypatch.chdir("a")
    assert [finding.known for finding in lint("x.yaml", known="../known.json").findings] == [True]
    _write(x=_BAD.replace("minimum: 5", "minimum: 5, exclusiveMinimum: 9"))
    assert [f.known for f in lint("x.yaml", known="../known.json").findings] == [True, False]


def test_a_baseline_knows_what_is_said_once_for_many():
    keys = "".join(
        f"      - {{name: k{i}, logicalType: string, primaryKey: true, required: false}}\n" for i in range(9)
    )
    _write(x=f"{_GOOD}schema:\n  - name: t\n    properties:\n{keys}")
    assert _names(lint("x.yaml")) == ["key-optional"]
    write_baseline(lint("x.yaml", every=True), "known.json")
    assert not lint("x.yaml", known="known.json").reaches(Severity.INFO)


@pytest.mark.parametrize("text", [None, "nonsense"])
def test_a_baseline_that_cannot_be_used_is_an_error(text):
    _write(x=_GOOD)
    if text:
        Path("known.json").write_text(text, "utf-8")
    with pytest.raises(SettingError):
        lint("x.yaml", known="known.json")


def test_a_secret_is_never_echoed_even_where_the_schema_or_another_rule_quotes_the_value():
    server = "servers:\n  - {server: a, type: postgres, host: x, port: 'postgresql://etl:hunter2xyz@db/s', password: s3cr3tpw}\n"
    sla = "slaProperties:\n  - {property: freshness, value: 'https://u:hunter2xyz@h/'}\n"
    result = lint(f"{_GOOD}{server}{sla}status: {{x: 'https://u:hunter2xyz@h/'}}\n".replace("status: active\n", ""))
    said = str(result.to_dict())
    assert result.findings
    assert "hunter2" not in said
    assert "s3cr3tpw" not in said


def test_the_shape_of_the_specification():
    shape = lint(_BAD).to_dict()
    assert shape["findings"] == [
        {
            "code": "FLOE-E508",
            "name": "bounds-contradict",
            "severity": "error",
            "message": "'minimum' and 'maximum' of 'amount' contradict each other",
            "detail": "minimum is 5, maximum is 3",
            "suggestion": "Give 'minimum' a value of at most 3, or raise 'maximum'",
            "file": "<text>",
            "line": 15,
            "column": 39,
            "path": "schema[0].properties[0].logicalTypeOptions.minimum",
        }
    ]
    expected = {"files": 1, "contracts": 1, "critical": 0, "error": 1, "warning": 0, "info": 0}
    assert {key: shape["summary"][key] for key in expected} == expected


def test_sql_is_parsed_only_where_a_rule_has_some():
    import subprocess
    import sys

    code = "import sys; from floe.actions.lint import lint; lint(sys.argv[1]); print('sqlglot' in sys.modules)"
    sql = "schema:\n  - name: t\n    quality:\n      - {type: sql, query: select 1, mustBe: 1}\n"
    said = [
        subprocess.run(
            [sys.executable, "-c", code, text],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": f"{_ROOT}/src"},
        ).stdout.strip()
        for text in (_BAD, _GOOD + sql)
    ]
    assert said == ["False", "True"]


_CUSTOMERS = _GOOD.replace("orders", "customers") + (
    "schema:\n  - name: customers\n    properties:\n      - {name: id, logicalType: string, physicalType: string}\n"
)
_REFERS = _GOOD + (
    "schema:\n  - name: orders\n    properties:\n      - name: customer\n        logicalType: string\n"
    "        physicalType: string\n        relationships: [{to: customers.id}]\n"
)


def test_a_reference_to_a_contract_of_the_same_run_is_no_question():
    _write(a__customers=_CUSTOMERS, b__orders=_REFERS)
    assert _names(lint("b")) == ["reference-unknown-dataset"]
    assert _names(lint(["a", "b"])) == []
    assert _names(lint(".")) == []


def test_a_reference_to_a_column_that_the_other_contract_lacks_is_said():
    _write(a__customers=_CUSTOMERS, b__orders=_REFERS.replace("customers.id", "customers.key"))
    (found,) = lint(".").findings
    assert (found.name, found.detail) == (
        "reference-unknown-dataset",
        "The dataset in a/customers.yaml has no column 'key'",
    )


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("version: 1.0.0\n", "", "missing-field"),
        (
            "      - name: customer\n",
            "      - name: customer\n        quality: [{metric: nulls, mustBe: 0}]\n",
            "invalid-value",
        ),
        (
            "      - name: customer\n",
            "      - name: customer\n        quality: [{type: sql, query: SELECT 1}]\n",
            "missing-field",
        ),
        ("logicalType: string\n        physicalType: string", "logicalType: text", "invalid-value"),
        ("to: customers.id", "to: 'no/good!'", "invalid-value"),
    ],
)
def test_what_the_standard_refuses_is_not_said_again_by_a_rule(old, new, name):
    assert old in _REFERS
    _write(customers=_CUSTOMERS, orders=_REFERS.replace(old, new))
    assert _names(lint(".")) == [name]
