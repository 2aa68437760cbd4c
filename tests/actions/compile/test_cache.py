"""What compiling keeps is used where nothing changed, and never where something did."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

import floe
from tests.helpers.products import DOCUMENT, HEAD, PRODUCT, write

TODAY = date(2026, 11, 15)
DOCUMENTS = 3


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three contracts that extend a parent by name and one by path, and a port without a document."""
    base = HEAD.format(id="base") + "slaProperties: [{property: freshness, value: 6h}]\n"
    write(tmp_path, base=base, manifest="policies: [{name: owner, require: owner}]\n", p__floe=PRODUCT)
    for i in range(DOCUMENTS):
        text = (DOCUMENT % "base").replace("customers", f"c{i}") + f"schema: [{{name: t{i}}}]\n"
        write(tmp_path, **{f"p__contracts__c{i}": text})
    write(
        tmp_path,
        p__contracts__path=(DOCUMENT % "../../base.yaml").replace("customers", "path") + "schema: [{name: t}]\n",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(result) -> tuple:
    """All that a run says, except how it came to it."""
    shape = result.to_dict()
    return shape["findings"], shape["contracts"], shape["summary"], shape["steps"][:5], result.artifacts


def both(root: Path, today: date = TODAY):
    """A run that may use what is kept, which says the same as one that may not."""
    warm = floe.compile(root, today=today)
    assert told(warm) == told(floe.compile(root, today=today, cache=False, store=False))
    return warm


def test_nothing_is_compiled_again_where_nothing_changed(root: Path):
    assert both(root).run.taken == 0
    first = (root / "compiled_artifacts.json").read_bytes()
    assert both(root).run.taken == DOCUMENTS + 2
    assert (root / "compiled_artifacts.json").read_bytes() == first


def edit(name: str, old: str, new: str) -> Callable[[Path], object]:
    return lambda root: (root / name).write_text((root / name).read_text().replace(old, new))


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        (edit("p/contracts/c1.yaml", "t1", "t9"), DOCUMENTS + 1),
        (edit("base.yaml", "6h", "5h"), 0),
        (edit("manifest.yaml", "require: owner", "require: support"), 0),
        (edit("p/floe.yaml", "PT6H", "PT5H"), 0),
        (lambda root: write(root, p__contracts__new=HEAD.format(id="new") + "schema: [{name: n}]\n"), DOCUMENTS + 2),
        (lambda root: (root / "p/contracts/c1.yaml").unlink(), DOCUMENTS + 1),
        (lambda root: write(root, twin=HEAD.format(id="base")), 2),
        (lambda root: (root / "base.yaml").unlink(), 0),
        (lambda root: (root / "p/contracts/base").write_text(HEAD.format(id="nearer")), 2),
        (lambda root: write(root, q__floe=PRODUCT.replace("customer_360", "q")), DOCUMENTS + 2),
        (lambda root: (root / "base.yaml").rename(root / "moved.yaml"), 0),
        (lambda root: os.utime(root / "p/contracts/c1.yaml"), DOCUMENTS + 2),
    ],
    ids=[
        "contract",
        "parent",
        "policy",
        "floe.yaml",
        "added",
        "removed",
        "namesake",
        "no parent",
        "nearer",
        "product",
        "moved parent",
        "touched",
    ],
)
def test_what_depends_on_a_change_is_compiled_again_and_nothing_else(root: Path, change, taken: int):
    both(root)
    change(root)
    assert both(root).run.taken == taken


def test_a_change_that_keeps_size_and_time_is_seen(root: Path):
    path = root / "p/contracts/c1.yaml"
    both(root)
    stat = path.stat()
    path.write_text(path.read_text().replace("t1", "t9"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert "t9" in json.dumps(both(root).artifacts)


def test_settings_of_the_environment_are_part_of_the_question(root: Path, monkeypatch: pytest.MonkeyPatch):
    both(root)
    monkeypatch.setenv("FLOE_DATA_CONTRACTS_AUTO_GENERATION_FROM_PORTS", "false")
    assert both(root).run.taken == 0


def test_a_dbt_manifest_that_appears_and_changes_is_seen(root: Path):
    both(root)
    (root / "p/target").mkdir()
    manifest = root / "p/target/manifest.json"
    for text in ("{", '{"metadata": {"dbt_schema_version": "https://x/manifest/v3.json"}, "nodes": {}}'):
        manifest.write_text(text)
        assert both(root).run.taken == 0
    manifest.unlink()
    assert both(root).run.taken == 0


def test_a_waiver_ends_on_its_day_without_anything_being_compiled_again(root: Path):
    write(root, manifest="policies: [{name: desk, require: support}]\n")
    assert both(root).to_dict()["summary"]["error"] == DOCUMENTS + 2
    waiver = "{code: E515, path: desk, reason: r, approver: a, until: 2026-11-15}"
    write(root, manifest=f"policies: [{{name: desk, require: support}}]\nwaivers: [{waiver}]\n")
    assert both(root).to_dict()["summary"]["error"] == 0
    after = both(root, date(2026, 11, 16))
    assert after.run.taken == DOCUMENTS + 2
    assert {one.name for one in after.findings if one.severity >= 3} == {"policy-broken", "waiver-expired"}


def test_tables_are_asked_every_time(root: Path):
    import pyarrow as pa
    from deltalake import write_deltalake

    both(root)
    table = root / ".floe/warehouse/gold_sales/customers"
    table.parent.mkdir(parents=True)
    for columns, codes in (({"customer_id": [1], "email": ["a"]}, set()), ({"customer_id": [1]}, {"E531"})):
        write_deltalake(str(table), pa.table(columns), mode="overwrite", schema_mode="overwrite")
        result = both(root)
        assert result.run.taken == DOCUMENTS + 1
        assert {one.code for one in result.findings if one.code.startswith("E53")} == codes


@pytest.mark.parametrize("suffix", ["index", "lines"])
@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\x00" * 50_000])
def test_a_damaged_cache_is_made_anew(root: Path, suffix: str, damage: bytes):
    both(root)
    (kept,) = (root / ".floe/cache").glob(f"*.{suffix}")
    kept.write_bytes(damage)
    both(root)
    assert both(root).run.taken == DOCUMENTS + 2


def test_what_is_kept_does_not_grow_for_ever(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("floe.actions.compile.cache._WASTE", 0)
    monkeypatch.setattr("floe.actions.compile.cache._SPARE", 0)
    both(root)
    (lines,), (index,) = ((root / ".floe/cache").glob(f"*.{suffix}") for suffix in ("lines", "index"))
    most = 3 * lines.stat().st_size, 4 * index.stat().st_size
    for number in range(20):
        write(
            root, p__contracts__c1=(DOCUMENT % "base").replace("customers", "c1") + f"schema: [{{name: n{number}}}]\n"
        )
        assert both(root).run.taken == DOCUMENTS + 1
    assert lines.stat().st_size < most[0]
    assert index.stat().st_size < most[1]


def test_a_cache_that_cannot_be_written_is_done_without(root: Path):
    (root / ".floe").mkdir()
    (root / ".floe/cache").write_text("in the way")
    assert both(root).run.taken == 0
    assert both(root).run.taken == 0


def test_two_runs_at_once_do_not_disturb_one_another(root: Path):
    words = [sys.executable, "-m", "floe", "compile", str(root)]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    assert [one.wait() for one in running] == [0, 0, 0], [one.stderr.read() for one in running if one.stderr]
    for one in running:
        one.communicate()
    both(root)


def test_git_does_not_see_what_is_kept(root: Path):
    subprocess.run(["git", "init", "--quiet"], check=True)
    both(root)
    done = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"], capture_output=True, text=True, check=True
    )
    assert ".floe/cache" not in done.stdout
