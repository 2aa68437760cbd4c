"""`floe compile`, `floe effective`, `floe approve`, as a user runs them."""

import json
import shutil
from pathlib import Path

import jsonschema_rs
import pytest

import floe
from floe.model import Severity
from tests.conftest import ROOT, run_floe_here
from tests.helpers.products import DOCUMENT, HEAD, PRODUCT, compiled, write

SCHEMA = Path(floe.__file__).parent / "contract" / "resolve" / "compiled-artifacts.json"


def said(result: dict, least: str = "warning") -> list[str]:
    order = ["info", "warning", "error", "critical"]
    return [
        f"{one['code']} {one['severity']}: {one['message']}"
        for one in result["findings"]
        if order.index(one["severity"]) >= order.index(least)
    ]


def test_the_architectures_own_cases_come_out_literally(tmp_path: Path):
    parent = HEAD.format(id="base") + (
        "slaProperties: [{property: freshness, value: PT6H}]\n"
        "schema:\n  - name: customers\n    properties:\n      - {name: email, classification: pii}\n"
    )
    child = DOCUMENT % "enterprise.yaml" + (
        "slaProperties: [{property: freshness, value: PT12H}]\n"
        "schema:\n  - name: customers\n    properties:\n      - {name: email, classification: public}\n"
    )
    write(tmp_path, enterprise=parent, floe=PRODUCT, datacontract=child, manifest="")
    done = run_floe_here("compile", cwd=tmp_path)
    assert done.returncode == 1
    lines = [line.split("  datacontract")[0].strip() for line in done.stdout.splitlines()]
    start = lines.index("✗ FLOE-E510: Child contract weakens 'freshness' SLA")
    assert lines[start : start + 6] == [
        "✗ FLOE-E510: Child contract weakens 'freshness' SLA",
        "Parent requires PT6H, child specifies PT12H",
        "Suggestion: Strengthen 'freshness' to at least match parent: PT6H",
        "✗ FLOE-E511: Classification weakening for field 'customers.email'",
        "Parent requires 'pii', child specifies 'public'",
        "Suggestion: Use classification 'pii' or stronger for 'customers.email'",
    ]
    assert "datacontract.yaml:8:46" in done.stdout
    assert "datacontract.yaml:12:39" in done.stdout
    assert "[1/8] Parse floe.yaml" in lines[0]
    assert not (tmp_path / "compiled_artifacts.json").exists()


def test_the_same_in_dialect_a(tmp_path: Path):
    parent = "apiVersion: v3.0.2\nname: base\nversion: 1.0.0\nmodels: {}\nslaProperties: {freshness: {value: PT6H}}\n"
    child = (
        "apiVersion: v3.0.2\nname: sales-customer_360-customers\nversion: 1.0.0\ndomain: sales\nextends: base.yaml\n"
        "models: {customers: {elements: {email: {type: string}}}}\nslaProperties: {freshness: {value: PT12H}}\n"
    )
    write(tmp_path, base=parent, floe=PRODUCT, datacontract=child, manifest="")
    _, result = compiled(tmp_path)
    (finding,) = [one for one in result["findings"] if one["code"] == "FLOE-E510"]
    assert finding["detail"] == "Parent requires PT6H, child specifies PT12H"
    assert finding["suggestion"].endswith("PT6H")


def test_ports_alone_make_a_contract(tmp_path: Path):
    write(tmp_path, floe=PRODUCT)
    code, result = compiled(tmp_path)
    assert (code, said(result)) == (0, [])
    (one,) = json.loads((tmp_path / "compiled_artifacts.json").read_text())["data_contracts"]
    assert (one["id"], one["owner"]) == ("sales.customer_360/customers:1.0.0", "sales@acme.com")
    assert one["datasets"][0]["table_id"] == "gold.sales.customers"
    assert one["schema_hash"].startswith("sha256:")
    assert one["provenance"]["schema[0].properties[1].name"] == ["generated", "floe.yaml:8:7"]


def test_explicit_wins_and_each_value_knows_its_file(tmp_path: Path):
    document = HEAD.format(id="customers") + (
        "schema:\n  - name: customers\n    properties:\n      - {name: email, required: true}\n"
        "slaProperties: [{property: freshness, value: 3, unit: h}]\n"
    )
    write(tmp_path, floe=PRODUCT, datacontract=document, manifest="")
    shown = json.loads(run_floe_here("effective", "datacontract.yaml", "--format", "json", cwd=tmp_path).stdout)
    values = {one["name"]: (one["value"], one["tier"], one["file"], one["line"]) for one in shown["values"]}
    assert values["schema.customers.properties.email.required"] == (True, "explicit", "datacontract.yaml", 10)
    assert values["schema.customers.properties.email.logicalType"] == ("string", "generated", "floe.yaml", 8)
    assert values["schema.customers.properties.customer_id.required"] == (True, "generated", "floe.yaml", 7)
    assert values["slaProperties.freshness.value"] == (3, "explicit", "datacontract.yaml", 11)
    assert values["version"] == ("1.0.0", "explicit", "datacontract.yaml", 5)
    text = run_floe_here("effective", "sales.customer_360/customers", cwd=tmp_path).stdout
    assert "generated  floe.yaml:8:14" in text


def test_three_tiers_and_their_policies(tmp_path: Path):
    policies = "customProperties: [{property: policies, value: [{name: owner, require: owner}]}]\n"
    enterprise = HEAD.format(id="acme") + policies + "slaProperties: [{property: freshness, value: P1D}]\n"
    domain = HEAD.format(id="acme-sales") + (
        "domain: sales\nteam: {name: sales}\ncustomProperties: [{property: extends, value: acme}]\n"
        "schema:\n  - name: '*'\n    properties:\n      - {name: updated_at, logicalType: timestamp, required: true}\n"
    )
    child = DOCUMENT % "acme-sales" + (
        "schema:\n  - name: customers\n    properties:\n      - {name: updated_at, physicalType: timestamp}\n"
    )
    product = PRODUCT.replace("owner: sales@acme.com, ", "").replace("    sla: {freshness: PT6H}\n", "")
    write(tmp_path, enterprise__acme=enterprise, domain__sales=domain, p__floe=product, p__datacontract=child)
    write(tmp_path, manifest="")
    code, result = compiled(tmp_path, folder="p")
    assert code == 1
    assert said(result) == [
        "FLOE-E515 error: Policy 'owner' is violated: the contract has no owner",
        "FLOE-E501 critical: Required field 'owner' is missing",
    ]
    shown = json.loads(run_floe_here("effective", "p", "--format", "json", cwd=tmp_path).stdout)
    tiers = {one["name"]: one["tier"] for one in shown["values"]}
    assert tiers["slaProperties.freshness.value"] == "enterprise"
    assert tiers["schema.customers.properties.updated_at.required"] == "domain"
    assert tiers["schema.customers.properties.updated_at.physicalType"] == "explicit"
    assert "schema.*.name" not in tiers
    assert [one["tier"] for one in shown["parents"]] == ["enterprise", "domain"]


def test_a_circle_is_named_whole(tmp_path: Path):
    a = HEAD.format(id="a") + "customProperties: [{property: extends, value: b.yaml}]\n"
    b = HEAD.format(id="b") + "customProperties: [{property: extends, value: datacontract.yaml}]\n"
    write(tmp_path, floe=PRODUCT, datacontract=a, b=b)
    code, result = compiled(tmp_path)
    (finding,) = [one for one in result["findings"] if one["code"] == "FLOE-E512"]
    assert (code, finding["severity"]) == (1, "critical")
    assert finding["detail"] == "datacontract.yaml → b.yaml → datacontract.yaml"
    assert (finding["file"], finding["line"]) == ("b.yaml", 7)


def test_twenty_tiers_are_refused_in_clear_words(tmp_path: Path):
    write(tmp_path, floe=PRODUCT, datacontract=DOCUMENT % "t1.yaml")
    for i in range(1, 21):
        extends = f"customProperties: [{{property: extends, value: t{i + 1}.yaml}}]\n" if i < 20 else ""
        write(tmp_path, **{f"t{i}": HEAD.format(id=f"t{i}") + extends})
    code, result = compiled(tmp_path)
    assert code == 0
    assert said(result) == [
        "FLOE-E516 error: Parent 't16.yaml' is not followed: it would be tier 17, and floe follows 16"
    ]


def test_parents_that_cannot_be_had(tmp_path: Path):
    twin = HEAD.format(id="twin")
    for parent, message in (
        ("nowhere", "Parent 'nowhere' is not found"),
        ("broken.yaml", "Parent 'broken.yaml' cannot be read"),
        ("twin", "Parent 'twin' is not found"),
    ):
        write(
            tmp_path, floe=PRODUCT, datacontract=DOCUMENT % parent, broken="a: [", x__one=twin, x__two=twin, manifest=""
        )
        code, result = compiled(tmp_path)
        assert (code, said(result)) == (0, [f"FLOE-E516 error: {message}"])
        assert compiled(tmp_path, "--enforcement", "block")[0] == 1


@pytest.mark.parametrize(
    ("level", "code", "found"), [("off", 0, 0), ("warn", 0, 1), ("alert_only", 0, 1), ("block", 1, 1)]
)
def test_the_level_decides_about_an_error(tmp_path: Path, level: str, code: int, found: int):
    write(tmp_path, floe=PRODUCT, datacontract=DOCUMENT % "nowhere")
    write(tmp_path, manifest=f"data_contracts: {{enforcement: {level}}}\n")
    got, result = compiled(tmp_path)
    assert (got, len(said(result))) == (code, found)
    assert result["summary"]["failed"] is (code == 1)


@pytest.mark.parametrize(("level", "code"), [("off", 0), ("warn", 0), ("alert_only", 1), ("block", 1)])
def test_the_level_decides_about_a_critical_finding(tmp_path: Path, level: str, code: int):
    (tmp_path / "floe.yaml").write_text(PRODUCT.split("output_ports", maxsplit=1)[0])
    got, result = compiled(tmp_path, "--enforcement", level)
    assert got == code
    if level != "off":
        assert said(result) == [
            "FLOE-E500 critical: Product 'sales.customer_360' has no contract: no datacontract.yaml and no output_ports"
        ]


def test_no_product_no_folder_no_sense(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    code, result = compiled(tmp_path, folder="empty")
    assert (code, said(result)) == (
        1,
        ["FLOE-E500 critical: Folder empty contains no product: floe.yaml does not exist"],
    )
    gone = run_floe_here("compile", "gone", cwd=tmp_path)
    assert (gone.returncode, "gone is not a folder" in gone.stderr) == (2, True)
    for text, message in (
        ("[1, 2]", "describes no product"),
        ("a: [", "FLOE-E509"),
        ("metadata: {}\noutput_ports: [{name: x, colums: []}]", "Did you mean 'columns'?"),
    ):
        (tmp_path / "floe.yaml").write_text(text)
        done = run_floe_here("compile", cwd=tmp_path)
        assert (done.returncode, message in done.stdout) == (1, True), done.stdout


def test_an_unknown_setting_or_policy_is_refused(tmp_path: Path):
    write(tmp_path, floe=PRODUCT)
    for text, message in (
        ("policy: []\n", "Did you mean 'policies'?"),
        ("policies: [{name: a, requires: owner}]\n", "Did you mean 'require'?"),
        ("policies: [{name: a, require: ownr}]\n", "Did you mean 'owner'?"),
        ("policies: [{name: a}]\n", "has no requirement"),
        ("policies: [{name: a, sla: {freshness: {at_most: soon}}}]\n", "24h"),
        ("waivers: [{code: E999, path: a, reason: b, until: 2026-12-31}]\n", "E999"),
        ("waivers: [{code: E511, path: a, reason: b}]\n", "has no until"),
        ("waivers: [{code: E512, path: a, reason: b, until: 2026-12-31}]\n", "cannot be waived"),
    ):
        (tmp_path / "manifest.yaml").write_text(text)
        done = run_floe_here("compile", cwd=tmp_path)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_two_files_with_two_types_for_one_column(tmp_path: Path):
    document = HEAD.format(id="customers") + (
        "schema:\n  - name: customers\n    properties:\n      - {name: email, physicalType: int}\n"
    )
    write(tmp_path, floe=PRODUCT, datacontract=document)
    code, result = compiled(tmp_path)
    (finding,) = [one for one in result["findings"] if one["code"] == "FLOE-E508"]
    assert (code, finding["message"]) == (0, "Column 'customers.email' has two types")
    assert finding["detail"] == "'int' at datacontract.yaml:10:37, 'string' at floe.yaml:8:14"


def test_two_contracts_with_one_id(tmp_path: Path):
    one = HEAD.format(id="same")
    write(tmp_path, floe=PRODUCT.split("output_ports", maxsplit=1)[0], contracts__a=one, contracts__b=one)
    code, result = compiled(tmp_path, "--enforcement", "block")
    (finding,) = [one for one in result["findings"] if one["name"] == "contract-id-duplicated"]
    assert (code, finding["detail"]) == (1, "contracts/a.yaml and contracts/b.yaml")


def test_a_reference_to_another_contract_must_lead_somewhere(tmp_path: Path):
    document = HEAD.format(id="orders") + (
        "schema:\n  - name: orders\n    properties:\n"
        "      - {name: customer_id, relationships: [{to: %s.customer_id}]}\n"
    )
    write(tmp_path, floe=PRODUCT, contracts__orders=document % "customers")
    assert said(compiled(tmp_path)[1]) == []
    write(tmp_path, contracts__orders=document % "clients")
    assert [line.split(":")[0] for line in said(compiled(tmp_path)[1])] == ["FLOE-E508 error"]


def test_approve_keeps_comments_and_excuses_until_the_day(tmp_path: Path):
    manifest = "# mine\npolicies:\n  - {name: owner, require: support} # why\nwaivers: []   # none yet\nversions: {lead_days: 20}\n"
    write(tmp_path, floe=PRODUCT, manifest=manifest)
    assert said(compiled(tmp_path)[1]) == ["FLOE-E515 error: Policy 'owner' is violated: the contract has no support"]
    for until in ("2099-12-31", "2099-11-30"):
        done = run_floe_here(
            "approve",
            "FLOE-E515",
            "owner",
            "--reason",
            "no desk: yet",
            "--until",
            until,
            cwd=tmp_path,
            FLOE_ACTOR="eve",
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "manifest.yaml").read_text() == (
        "# mine\npolicies:\n  - {name: owner, require: support} # why\nwaivers:   # none yet\n"
        '  - {code: E515, path: owner, reason: "no desk: yet", approver: eve, until: 2099-12-31}\n'
        '  - {code: E515, path: owner, reason: "no desk: yet", approver: eve, until: 2099-11-30}\n'
        "versions: {lead_days: 20}\n"
    )
    _, result = compiled(tmp_path)
    assert said(result) == []
    (finding,) = [one for one in result["findings"] if one["code"] == "FLOE-E515"]
    assert finding["severity"] == "info"
    assert finding["detail"].endswith("Waived until 2099-12-31 by eve: no desk: yet")
    past = run_floe_here("approve", "E515", "owner", "--reason", "x", "--until", "2020-01-01", cwd=tmp_path)
    assert (past.returncode, "before today" in past.stderr) == (2, True)


def test_approve_keeps_line_ends_and_permissions(tmp_path: Path):
    file = tmp_path / "manifest.yaml"
    file.write_bytes(
        b"waivers: [{code: E515, path: a,\r\n  reason: x, until: 2099-01-01}]\r\nversions: {lead_days: 20} # ours\r\n"
    )
    file.chmod(0o640)
    words = ("approve", "E515", "owner", "--reason", "r", "--until", "2099-12-31")
    assert run_floe_here(*words, cwd=tmp_path, FLOE_ACTOR="eve").returncode == 0
    assert file.read_bytes() == (
        b"waivers: [{code: E515, path: owner, reason: r, approver: eve, until: 2099-12-31}, {code: E515, path: a,\r\n"
        b"  reason: x, until: 2099-01-01}]\r\nversions: {lead_days: 20} # ours\r\n"
    )
    assert file.stat().st_mode & 0o777 == 0o640


def test_an_expired_or_unapproved_waiver_is_found(tmp_path: Path):
    policy = "policies: [{name: help, require: support}]\n"
    for entry, message in (
        (", approver: eve, until: 2020-01-01", "The waiver of E515 at 'help' has expired"),
        (", until: 2099-01-01", "The waiver of E515 at 'help' names no approver"),
    ):
        write(tmp_path, floe=PRODUCT, manifest=f"{policy}waivers: [{{code: E515, path: help, reason: r{entry}}}]\n")
        code, result = compiled(tmp_path, "--enforcement", "block")
        assert code == 1
        assert sorted(said(result)) == [
            "FLOE-E515 error: Policy 'help' is violated: the contract has no support",
            f"FLOE-E517 error: {message}",
        ]


def test_dbt_fills_in_and_contradicts(tmp_path: Path):
    columns = "    columns: {customer_id: %s}\n"
    product = PRODUCT.split("    columns", maxsplit=1)[0] + columns
    (tmp_path / "target").mkdir()
    shutil.copy(ROOT / "tests/cases/convert/manifest.json", tmp_path / "target/manifest.json")
    write(tmp_path, floe=product % "bigint")
    assert compiled(tmp_path)[0] == 0
    shown = json.loads(run_floe_here("effective", ".", "--format", "json", cwd=tmp_path).stdout)
    tiers = {one["name"]: (one["value"], one["tier"], one["file"]) for one in shown["values"]}
    assert tiers["schema.customers.properties.email.name"] == ("email", "generated", "target/manifest.json")
    assert tiers["schema.customers.properties.customer_id.required"] == (True, "generated", "target/manifest.json")
    write(tmp_path, floe=product % "date")
    (finding,) = [one for one in compiled(tmp_path)[1]["findings"] if one["name"] == "merge-contradicts"]
    assert "'date' at floe.yaml:6:28, 'bigint' at target/manifest.json" in finding["detail"]


def test_dbt_manifests_that_cannot_be_read(tmp_path: Path):
    write(tmp_path, floe=PRODUCT)
    (tmp_path / "target").mkdir()
    path = tmp_path / "target/manifest.json"
    whole = (ROOT / "tests/cases/convert/manifest.json").read_text()
    for text, code in (
        (whole.replace("manifest/v12.json", "manifest/v3.json"), "FLOE-E502"),
        (whole[: len(whole) // 2], "FLOE-E5"),
        ("{}", "FLOE-E501"),
    ):
        path.write_text(text)
        got, result = compiled(tmp_path)
        assert (got, said(result, "critical")[0].startswith(code)) == (1, True), said(result)
        off = {"FLOE_DATA_CONTRACTS_AUTO_GENERATION_FROM_DBT_MANIFEST": "false"}
        assert compiled(tmp_path, **off)[0] == 0


@pytest.mark.parametrize("key", ["ENABLED", "FROM_PORTS"])
def test_generation_from_ports_can_be_turned_off(tmp_path: Path, key: str):
    write(tmp_path, floe=PRODUCT)
    assert compiled(tmp_path)[1]["summary"]["contracts"] == 1
    off = compiled(tmp_path, **{f"FLOE_DATA_CONTRACTS_AUTO_GENERATION_{key}": "false"})
    assert off[1]["summary"]["contracts"] == 0
    assert said(off[1])[0].startswith("FLOE-E500 critical")


def test_classifications_order_the_labels(tmp_path: Path):
    parent = HEAD.format(id="base") + "schema: [{name: customers, properties: [{name: email, classification: pii}]}]\n"
    child = (
        DOCUMENT % "base.yaml" + "schema: [{name: customers, properties: [{name: email, classification: public}]}]\n"
    )
    write(tmp_path, base=parent, floe=PRODUCT, datacontract=child)
    assert compiled(tmp_path)[0] == 1
    assert compiled(tmp_path, FLOE_CLASSIFICATIONS='["pii", "public"]')[0] == 0


def test_a_table_that_can_be_reached_is_compared(tmp_path: Path):
    import pyarrow as pa
    from deltalake import write_deltalake

    rows = pa.table({"customer_id": pa.array(["1"]), "extra": pa.array([1])})
    (tmp_path / ".floe/warehouse/gold_sales").mkdir(parents=True)
    write_deltalake(str(tmp_path / ".floe/warehouse/gold_sales/customers"), rows)
    write(tmp_path, floe=PRODUCT)
    code, result = compiled(tmp_path)
    drifted = [one for one in result["findings"] if one["code"].startswith("FLOE-E53")]
    assert (code, sorted(one["code"] for one in drifted)) == (1, ["FLOE-E530", "FLOE-E531", "FLOE-E532"])
    (typed,) = [one for one in drifted if one["code"] == "FLOE-E530"]
    assert typed["message"] == "Type mismatch for column 'customer_id'"
    assert typed["detail"] == "Contract: bigint, Table: string"
    assert typed["suggestion"] == "Update contract schema or table definition to match"


def repository(root: Path, count: int) -> Path:
    base = HEAD.format(id="base") + "slaProperties: [{property: availability, value: 99%}]\n"
    write(root, base=base, manifest="")
    for i in range(count):
        product = PRODUCT.replace("customer_360", f"p{i}")
        write(root, **{f"p{i}__floe": product, f"p{i}__datacontract": DOCUMENT.replace("customers", f"c{i}") % "base"})
    return root


def test_a_repository_gives_the_same_artifacts_however_it_is_compiled(tmp_path: Path):
    one, other = repository(tmp_path / "a", 60), repository(tmp_path / "b", 60)
    assert compiled(one, "--processes", "1")[0] == 0
    assert compiled(tmp_path, "--processes", "2", folder="b")[0] == 0
    text = (one / "compiled_artifacts.json").read_text()
    assert text == (other / "compiled_artifacts.json").read_text()
    made = json.loads(text)
    assert jsonschema_rs.validator_for(json.loads(SCHEMA.read_text())).is_valid(made)
    assert len(made["data_contracts"]) == 60
    assert len(made["products"]) == 60
    for each in made["data_contracts"][:3]:
        assert not floe.lint(json.dumps(each["contract"], indent=1)).reaches(Severity.ERROR)


def test_python_says_the_same_as_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, floe=PRODUCT, datacontract=DOCUMENT % "nowhere")
    _, shown = compiled(tmp_path, "--no-store")
    monkeypatch.chdir(tmp_path)
    assert floe.compile(tmp_path, store=False).to_dict() == shown
    assert not (tmp_path / "compiled_artifacts.json").exists()


@pytest.mark.parametrize(("way", "found"), [("lower", True), ("higher", False)])
def test_the_settings_say_which_way_other_service_levels_get_stricter(tmp_path: Path, way: str, found: bool):
    parent = HEAD.format(id="p") + "slaProperties: [{property: responseTime, value: 1s}]\n"
    child = DOCUMENT % "p.yaml" + "slaProperties: [{property: responseTime, value: 2s}]\n"
    manifest = f"compatibility: {{sla_directions: {{responseTime: {way}}}}}\n"
    write(tmp_path, floe=PRODUCT, datacontract=child, p=parent, manifest=manifest)
    weakened = [one for one in compiled(tmp_path)[1]["findings"] if one["name"] == "sla-weakened"]
    assert [one["message"] for one in weakened] == (["Child contract weakens 'responseTime' SLA"] if found else [])


def test_a_waiver_that_names_a_diff_is_left_to_ci(tmp_path: Path):
    waiver = f"{{code: E520, diff: 'sha256:{'0' * 64}', reason: agreed, approver: ann}}"
    write(tmp_path, floe=PRODUCT, manifest=f"waivers: [{waiver}]\n")
    assert compiled(tmp_path)[0] == 0
