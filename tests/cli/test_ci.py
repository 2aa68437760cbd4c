import json
import os
import subprocess
from pathlib import Path

import pytest

from floe.cli import main
from tests.conftest import FLOE, ROOT
from tests.helpers.repositories import commit, contract, git, write

REMOVED = "order_id:string!"
ADDED = ("order_id:string!", "legacy_status:string", "note:string")


@pytest.fixture(autouse=True)
def _stand_in_a_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("contracts/orders.yaml", contract())
    write("contracts/returns.yaml", contract(name="returns").replace("status: active", "status: actve"))
    write("compose.yaml", "services: {}\n")
    commit()
    git("switch", "--quiet", "--create", "work")


def answer(capsys, *words):
    code = main(["ci", "--changed-since", "main", *words, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def codes(shape):
    return {
        step["name"]: [finding["code"].removeprefix("FLOE-") for finding in step["findings"]]
        for step in shape["steps"]
        if step["findings"]
    }


def test_nothing_changed(capsys):
    code, shape = answer(capsys)
    assert (code, shape["files"], codes(shape)) == (0, [], {})
    write("compose.yaml", "services: {a: b}\n")
    assert answer(capsys)[0] == 0


def test_only_what_changed_is_judged(capsys):
    write("contracts/orders.yaml", contract("1.1.0", *ADDED))
    write("compose.yaml", "services: {a: b}\n")
    code, shape = answer(capsys)
    assert (code, shape["files"], codes(shape)) == (0, ["contracts/orders.yaml"], {})
    assert [one["contract"] for one in shape["diff"]["results"]] == ["sales.shop/orders"]
    assert shape["lint"]["summary"]["contracts"] == 1


def test_committed_staged_and_new_files_count_and_what_main_did_since_does_not(capsys):
    write("contracts/orders.yaml", contract("1.1.0", *ADDED))
    commit()
    write("contracts/fresh.yaml", contract(name="fresh"))
    git("switch", "--quiet", "main")
    write("contracts/returns.yaml", contract("2.0.0", REMOVED, name="returns"))
    git("add", "contracts/returns.yaml")
    git("commit", "--quiet", "--message", "main moves on")
    git("switch", "--quiet", "work")
    _, shape = answer(capsys)
    assert [one["contract"] for one in shape["diff"]["results"]] == ["sales.shop/fresh", "sales.shop/orders"]


def test_lint_errors_fail_and_a_broken_contract_is_not_said_to_be_gone(capsys):
    write("contracts/orders.yaml", contract().replace("schema:", "schema: [", 1))
    code, shape = answer(capsys)
    assert (code, codes(shape)) == (1, {"lint": ["E509"]})
    assert shape["diff"]["results"] == []


def test_too_small_a_bump_fails(capsys):
    write("contracts/orders.yaml", contract("1.0.1", *ADDED))
    code, shape = answer(capsys)
    assert (code, codes(shape)) == (1, {"diff": ["E522"]})


def test_a_moved_file_is_the_same_contract(capsys):
    Path("contracts/orders.yaml").rename("contracts/renamed.yaml")
    code, shape = answer(capsys)
    assert (code, [one["bump"] for one in shape["diff"]["results"]]) == (0, ["NONE"])


def test_a_new_file_beside_the_old_version_is_compared_with_it(capsys):
    write("contracts/orders_v2.yaml", contract("1.1.0", REMOVED))
    code, shape = answer(capsys)
    (result,) = shape["diff"]["results"]
    assert (code, result["from"], result["bump"]) == (1, "1.0.0", "MAJOR")


def test_a_repository_without_products_is_held_to_its_parents_and_policies_too(capsys):
    level = "slaProperties: [{property: freshness, value: %s}]\n"
    write("manifest.yaml", "policies: [{name: owner, require: owner}]\n")
    write("base.yaml", contract(name="base") + level % "6h")
    child = contract("1.1.0", *ADDED) + "customProperties: [{property: extends, value: base}]\n"
    write("contracts/orders.yaml", child + level % "12h")
    code, shape = answer(capsys)
    assert (code, codes(shape)) == (1, {"compile": ["E515", "E510"]})
    write("contracts/orders.yaml", child + "team: {members: [{username: a, role: owner}]}\n")
    assert (answer(capsys)[0], codes(answer(capsys)[1])) == (0, {})
    commit()
    git("switch", "--quiet", "main")
    git("merge", "--quiet", "work")
    git("switch", "--quiet", "--create", "more")
    write("base.yaml", contract("1.0.1", name="base") + level % "12h")
    code, shape = answer(capsys)
    named = {finding["file"] for step in shape["steps"] for finding in step["findings"] if step["name"] == "compile"}
    assert (code, named) == (1, {"contracts/orders.yaml"})
    assert "E523" in codes(shape)["compile"]


def approve(diff, code="E517", until="2999-01-01"):
    write(
        "approvals.yaml",
        f"approvals:\n  - {{code: {code}, diff: '{diff}', reason: agreed, approver: a@acme.com, until: {until}}}\n",
    )


def test_a_major_waits_for_an_approval_that_names_it_and_an_edit_voids_it(capsys):
    write("manifest.yaml", "tables: {format: delta}\n")
    write("contracts/orders.yaml", contract("2.0.0", REMOVED))
    code, shape = answer(capsys)
    assert (code, codes(shape)) == (1, {"diff": ["E528"], "approvals": ["E517"]})
    diff = shape["diff"]["results"][0]["hash"]
    approve(diff)
    code, shape = answer(capsys)
    assert (code, codes(shape)) == (0, {"diff": ["E528"]})
    assert shape["approved"] == [
        {"contract": "sales.shop/orders", "diff": diff, "approver": "a@acme.com", "reason": "agreed"}
    ]
    write("contracts/orders.yaml", "# only a comment\n" + contract("2.0.0", REMOVED))
    assert answer(capsys)[0] == 0
    write("contracts/orders.yaml", contract("2.0.0", "order_id:string!", "b:int!"))
    assert answer(capsys)[0] == 1


def test_a_deleted_contract_waits_too(capsys):
    Path("contracts/orders.yaml").unlink()
    code, shape = answer(capsys)
    assert (code, codes(shape)) == (1, {"diff": ["E520"], "approvals": ["E517"]})
    approve(shape["diff"]["results"][0]["hash"], "E520")
    code, shape = answer(capsys)
    assert (code, codes(shape)["diff"]) == (0, ["E520"])


def test_an_approval_under_e520_lets_a_small_bump_pass_and_one_under_e517_does_not(capsys):
    write("contracts/orders.yaml", contract("1.1.0", REMOVED))
    _, shape = answer(capsys)
    diff = shape["diff"]["results"][0]["hash"]
    approve(diff, "E517")
    assert answer(capsys)[0] == 1
    approve(diff, "E520")
    assert answer(capsys)[0] == 0


def test_a_waiver_of_the_manifest_may_name_a_diff(capsys):
    write("contracts/orders.yaml", contract("2.0.0", REMOVED))
    _, shape = answer(capsys)
    diff = shape["diff"]["results"][0]["hash"]
    write("manifest.yaml", f"waivers:\n  - {{code: E517, diff: '{diff}', reason: r, approver: a, until: 2999-01-01}}\n")
    assert answer(capsys)[0] == 0


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{code: E517}", "An approval has no diff, reason, approver"),
        ("3", "An approval has no code, diff, reason, approver"),
        ("{code: E510, diff: x, reason: r, approver: a}", "An approval has the code E510"),
        ("{code: E517, diff: x, reason: r, approver: a}", "'x' is not the hash of a diff"),
        ("{code: E517, diff: HASH, reason: r, approver: a, until: soon}", "'soon' is not a date"),
        (
            "{code: E517, diff: HASH, reason: r, approver: a, until: 2020-01-01}",
            "The approval of a expired on 2020-01-01",
        ),
    ],
)
def test_an_approval_that_is_none_has_no_effect_and_is_said(capsys, entry, said):
    write("contracts/orders.yaml", contract("2.0.0", REMOVED))
    _, shape = answer(capsys)
    write("approvals.yaml", f"approvals:\n  - {entry}\n".replace("HASH", f"'{shape['diff']['results'][0]['hash']}'"))
    code, shape = answer(capsys)
    (step,) = [step for step in shape["steps"] if step["name"] == "approvals"]
    assert (code, [finding["message"] for finding in step["findings"]][:1]) == (1, [said])


def test_the_comment_says_the_verdict_first(capsys):
    write("contracts/orders.yaml", contract("1.1.0", REMOVED))
    assert main(["ci", "--changed-since", "main", "--format", "markdown"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "<!-- floe ci -->"
    assert lines[2] == "## floe: ✗ not ready, 1 contract changed, MAJOR"
    assert "### ✗ sales.shop/orders 1.0.0 → 1.1.0" in lines
    assert "### approvals" in lines


def test_a_hostile_name_makes_no_markup(capsys):
    write("contracts/orders.yaml", contract("1.1.0", *ADDED, "'<img src=x>|**b**':string"))
    main(["ci", "--changed-since", "main", "--format", "markdown"])
    out = capsys.readouterr().out
    assert "\\<img src=x\\>\\|" in out
    assert "\\*\\*b\\*\\*" in out


def test_text_github_and_sarif(capsys):
    write("contracts/orders.yaml", contract("1.1.0", REMOVED))
    assert main(["ci", "--changed-since", "main"]) == 1
    assert capsys.readouterr().out.startswith("✗ 1 contract file changed since main: MAJOR\n")
    assert main(["ci", "--changed-since", "main", "--format", "github"]) == 1
    assert "::error file=contracts/orders.yaml,line=5,col=10,title=FLOE-E520" in capsys.readouterr().out
    assert main(["ci", "--changed-since", "main", "--format", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["FLOE-E520", "FLOE-E517"]


def test_a_revision_that_does_not_exist_exits_2(capsys):
    assert main(["ci", "--changed-since", "nowhere"]) == 2
    assert "FLOE-E500: Revision 'nowhere' does not exist" in capsys.readouterr().err


def test_no_repository_exits_2(capsys, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("bare"))
    assert main(["ci", "--changed-since", "main"]) == 2
    assert "is not in a git repository" in capsys.readouterr().err


def steps():
    import yaml

    return yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]


def run_step(step, **environment):
    given = {name: environment.get(name, "") for name in step.get("env", {})}
    kept = {key: value for key, value in os.environ.items() if not key.startswith("FLOE_")}
    path = f"{FLOE.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**kept, "PATH": path, **environment, **given},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("version", "columns", "code"), [("1.1.0", ADDED, 0), ("1.1.0", (REMOVED,), 1)])
def test_the_steps_of_the_github_action(tmp_path_factory, version, columns, code):
    write("contracts/orders.yaml", contract(version, *columns))
    out = tmp_path_factory.mktemp("runner")
    (out / "gh").write_text(f'#!/bin/sh\necho "$@" >> {out}/gh.log\n')
    (out / "gh").chmod(0o755)
    _, judge, comment, verdict = steps()
    environment = {
        "SINCE": "main",
        "WHERE": ".",
        "FAIL_ON": "error",
        "UNTRUSTED": "--untrusted",
        "RUNNER_TEMP": str(out),
        "GITHUB_STEP_SUMMARY": str(out / "summary"),
        "GITHUB_OUTPUT": str(out / "output"),
    }
    judged = run_step(judge, **environment)
    assert judged.returncode == 0, judged.stderr
    told = dict(line.split("=", 1) for line in (out / "output").read_text().splitlines())
    assert told == {"comment": str(out / "floe-comment.md"), "code": str(code)}
    assert (out / "summary").read_text() == Path(told["comment"]).read_text()
    path = f"{out}{os.pathsep}{os.environ['PATH']}"
    assert run_step(comment, COMMENT=told["comment"], NUMBER="7", GH_TOKEN="t", PATH=path).returncode == 0
    assert "pr comment 7" in (out / "gh.log").read_text()
    assert run_step(verdict, CODE=told["code"]).returncode == code


def pinned(name):
    """The pins of a file with their hashes."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    return {line.split()[0]: sorted(line.split()[1:]) for line in text.splitlines() if line and line[0] != "#"}


def test_every_pin_has_hashes_and_no_file_names_an_index():
    for name in ("requirements.txt", "requirements-action.txt"):
        assert [pin for pin, hashes in pinned(name).items() if not hashes or "==" not in pin] == []
        assert "://" not in (ROOT / name).read_text()
    assert "--require-hashes -r requirements.txt" in (ROOT / "Makefile").read_text()


def test_the_action_installs_the_floe_of_its_own_tag_on_pinned_packages():
    """Its packages are those of `make install`, and all that floe without extras needs."""
    whole, some = pinned("requirements.txt"), pinned("requirements-action.txt")
    assert {pin: whole.get(pin) for pin in some} == some
    from importlib.metadata import distribution

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    names = {canonicalize_name(pin.split("==")[0]) for pin in some}
    left, needed = ["floe-contracts", "hatchling"], set()
    while left:
        for text in distribution(left.pop()).requires or ():
            one = Requirement(text)
            name = canonicalize_name(one.name)
            if (one.marker is None or one.marker.evaluate({"extra": ""})) and name not in needed:
                needed.add(name)
                left.append(name)
    assert needed <= names
    install = steps()[0]
    assert install["env"] == {"ACTION": "${{ github.action_path }}"}
    assert "floe-contracts" not in install["run"]


def test_the_pre_commit_hooks_run(capsys):
    import re

    import yaml

    lint, ci = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    files = [path for path in git("ls-files").splitlines() if re.search(lint["files"], path)]
    assert files == ["contracts/orders.yaml", "contracts/returns.yaml"]
    assert not re.search(lint["exclude"], files[0])
    assert re.search(lint["exclude"], "contracts/changes.yaml")
    assert main([*lint["entry"].split()[1:], *files]) == 0
    git("update-ref", "refs/remotes/origin/main", "main")
    assert main([*ci["entry"].split()[1:], *ci["args"]]) == 0


PRODUCT = (
    "metadata: {name: shop, domain: sales, version: 1.0.0, owner: sales@acme.com, repository: github.com/acme/s}\n"
)
LEVEL = "slaProperties: [{property: freshness, value: %s}]\n"


def _product(parent_freshness):
    write("manifest.yaml", "data_contracts: {enforcement: alert_only}\n")
    write("product/floe.yaml", PRODUCT)
    extends = "customProperties: [{property: extends, value: ../parents/domain.yaml}]\n"
    write("product/datacontract.yaml", contract(name="parcels") + LEVEL % "PT12H" + extends)
    write("parents/domain.yaml", contract(name="domain") + LEVEL % parent_freshness)


def test_what_changed_is_compiled_and_so_is_what_inherits_from_it(capsys):
    _product("PT24H")
    git("switch", "--quiet", "main")
    commit()
    git("switch", "--quiet", "--create", "stricter")
    write("contracts/orders.yaml", contract("1.1.0", *ADDED))
    assert codes(answer(capsys)[1]) == {}
    _product("PT6H")
    code, shape = answer(capsys)
    (found,) = [one for step in shape["steps"] if step["name"] == "compile" for one in step["findings"]]
    assert (code, found["code"], found["file"]) == (1, "FLOE-E510", "product/datacontract.yaml")
    assert found["suggestion"] == "Strengthen 'freshness' to at least match parent: PT6H"


INVALID = ("apiVersion: v3.1.0\n", "apiVersion: v3.1.0\ncolour: red\n")
WORSE = ("status: active\n", "status: 5\n")


@pytest.mark.parametrize("fault", [INVALID, WORSE])
def test_a_base_that_is_not_valid_does_not_make_a_breaking_change_pass(capsys, fault):
    git("switch", "--quiet", "main")
    write("contracts/fresh.yaml", contract("1.0.0", *ADDED, name="fresh").replace(*fault))
    commit()
    git("switch", "--quiet", "work")
    git("merge", "--quiet", "main")
    write("contracts/fresh.yaml", contract("1.0.0", REMOVED, name="fresh"))
    code, shape = answer(capsys)
    assert code == 1
    if fault is INVALID:  # what is known to floe is compared
        assert codes(shape)["diff"] == ["E520", "E523"]
        assert [one["bump"] for one in shape["diff"]["results"]] == ["MAJOR"]
    else:
        assert "E580" in codes(shape)["base"]


def test_an_older_version_stands_for_a_base_that_is_not_valid(capsys):
    git("switch", "--quiet", "main")
    write("contracts/fresh.yaml", contract("1.0.0", *ADDED, name="fresh"))
    commit()
    write("contracts/fresh.yaml", contract("1.0.0", *ADDED, name="fresh").replace(*WORSE))
    commit()
    git("switch", "--quiet", "work")
    git("merge", "--quiet", "main")
    write("contracts/fresh.yaml", contract("1.0.0", *ADDED, name="fresh"))
    code, shape = answer(capsys)
    assert (code, "E580" in codes(shape)["base"]) == (0, False)
    write("contracts/fresh.yaml", contract("1.0.0", REMOVED, name="fresh"))
    code, shape = answer(capsys)
    assert (code, codes(shape)["diff"]) == (1, ["E520", "E523"])
