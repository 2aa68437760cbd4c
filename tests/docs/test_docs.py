"""The pages hold: every contract on them lints, every command on them runs, every field of the standard stands there."""

import json
import re
import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet as pq

import floe
from floe.actions.explain import explanations
from floe.actions.init import Start, init
from floe.actions.lint import lint, write_baseline
from floe.cli.main import COMMANDS
from floe.contract.compat import CHANGES
from floe.contract.formats import read
from floe.contract.formats.odcs.forms import FLOE_NAMES
from floe.contract.lint import RULES
from floe.engine.plan import make_plan as plan
from floe.lang.type_text import parse_type
from floe.model import Severity
from floe.registry import open_store
from tests.conftest import ROOT, run_shell
from tests.helpers.pages import Fence, fences
from tests.helpers.registered import put

DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
REFERENCE = (ROOT / "docs" / "contract-reference.md").read_text()
SCHEMAS = Path(floe.__file__).parent / "contract" / "formats" / "odcs" / "schemas"
# what ODCS cannot say
CUSTOM = (
    *("lifecycleState", "deprecation", "extends", "previousVersion", "layer", "schemaVersion", "schemaEvolution"),
    *("qualityLevel", "qualityThreshold", "measures", "dimensions", "featureSet", "joinKeys", "snapshotKeys"),
    *("default", "renamedFrom", "migration", "effectiveFrom", "onViolation", "costBudget", "masking"),
)


def cells(table: str) -> list[list[str]]:
    """The rows of the table that begins with these words, without head and rule."""
    begin = REFERENCE.index(table)
    lines = REFERENCE[begin:].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def prose(text: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def coded(text: str) -> list[str]:
    """What stands in backticks, fenced blocks apart."""
    return re.findall(r"`([^`]+)`", prose(text))


# ── the contracts on the pages ──────────────────────────────────────────────────────────────────────────────────────

COLUMNS = {"order_id": "bigint", "customer_id": "string", "order_ts": "timestamp"}
EXAMPLES = [fence for page in PAGES for fence in fences(page) if fence.words[:1] == ("yaml",)]


def whole(fence: Fence) -> str:
    """A complete contract: the block itself, or a small contract around a part of one."""
    if len(fence.words) == 1:
        return fence.text
    version = "v3.2.0" if "v3.2" in fence.words else "v3.1.0"
    head = f"apiVersion: {version}\nkind: DataContract\nid: x\nname: x\ndomain: d\ndataProduct: p\nversion: 1.0.0\nstatus: active\n"
    schema = fence.text if fence.words[1] == "schema" else "- name: orders\n  properties:\n"
    if fence.words[1] != "schema":
        part = fence.text if fence.words[1] == "properties" else ""
        named = {entry["name"] for entry in yaml.safe_load(part) or ()}
        rest = [f"- {{name: {name}, physicalType: {type_}}}\n" for name, type_ in COLUMNS.items() if name not in named]
        schema += textwrap.indent("".join(rest) + part, "    ")
    return head + (fence.text if fence.words[1] == "contract" else "") + "schema:\n" + textwrap.indent(schema, "  ")


@pytest.mark.parametrize("fence", EXAMPLES, ids=lambda f: f"{f.page}: {f.text.splitlines()[0]}")
def test_every_contract_on_a_page_lints_without_a_warning(fence, tmp_path):
    assert fence.words[1:2] in ((), ("contract",), ("schema",), ("properties",))
    path = tmp_path / "contract.yaml"
    path.write_text(whole(fence))
    result = lint(path)
    assert len(result.contracts) == 1
    loud = [f for f in result.findings if f.severity > Severity.INFO and not f.ignored]
    assert [f.message for f in loud] == []


def test_there_are_examples():
    assert len(EXAMPLES) > 10


# ── the reference is whole and says nothing that is not ────────────────────────────────────────────────────────────


def names(node: Any) -> set[str]:
    """Every key that a JSON Schema names."""
    if isinstance(node, list):
        return {name for below in node for name in names(below)}
    if not isinstance(node, dict):
        return set()
    own = node.get("properties")
    return {*(own if isinstance(own, dict) else ()), *(name for below in node.values() for name in names(below))}


@pytest.mark.parametrize("version", ["v3.1.0", "v3.2.0"])
def test_every_field_of_the_standard_is_on_the_page(version):
    known = names(json.loads((SCHEMAS / f"odcs-{version}.json").read_text()))
    assert len(known) > 100
    said = {word for text in coded(REFERENCE) for word in re.findall(r"\w+", text)}
    assert sorted(known - said) == []


def test_the_custom_properties_are_those_of_the_specification():
    listed = [coded(row[0])[0] for row in cells("| property | of | meaning |")]
    assert sorted(listed) == sorted(CUSTOM)
    assert sorted(FLOE_NAMES) == sorted(CUSTOM)


@pytest.mark.parametrize("row", cells("| spelling | Spark type |"), ids=lambda row: row[1])
def test_every_spelling_of_a_type_is_read_as_the_page_says(row):
    (meant,) = coded(row[1])
    assert {str(parse_type(text)) for text in coded(row[0])} == {meant}


def test_every_rule_is_named_and_every_name_exists():
    said = {text for text in coded(REFERENCE) if re.fullmatch(r"[a-z]+(-[a-z]+)+", text)}
    known = {name for each in explanations() for name, _ in each.reading} | {change.name for change in CHANGES}
    known |= {rule.name for each in explanations() for rule in each.rules}
    assert sorted({rule.name for rule in RULES} - set(coded(REFERENCE))) == []
    assert sorted(said - known) == []


# what a promise looks like, and on which type it stands
OPTIONS = {
    "minimum": ("number", 1),
    "maximum": ("number", 1),
    "exclusiveMinimum": ("number", 1),
    "exclusiveMaximum": ("number", 1),
    "minLength": ("string", 1),
    "maxLength": ("string", 1),
    "pattern": ("string", "a"),
    "minItems": ("array", 1),
    "maxItems": ("array", 1),
    "format": ("string", "email"),
    "multipleOf": ("number", 2),
    "uniqueItems": ("array", True),
    "minProperties": ("object", 1),
    "maxProperties": ("object", 1),
}
TYPES = {"number": "decimal(9,2)", "string": "string", "array": "array<string>", "object": "struct<a:string>"}
RULES_OF_FLOE = {
    "range": ("column", {"minimum": 1}),
    "pointInTime": ("dataset", {"rule": "a <= b"}),
    "freshness": ("column", {"maxDelay": "4h"}),
    "volume": ("dataset", {"minRowsPerDay": 1, "column": "a"}),
    "referentialIntegrity": ("column", {"to": "orders.a"}),
}
METRICS = {
    "nullValues": {},
    "missingValues": {"missingValues": [""]},
    "invalidValues": {"validValues": ["x"]},
    "duplicateValues": {},
    "rowCount": {},
}


def judged(column: dict[str, Any], rules: list[Any] | None = None) -> dict[str, Any]:
    """The expectations of a dataset with two columns, by name; the first one as given."""
    second = {"name": "b", "physicalType": "timestamp"}
    dataset = {"name": "orders", "quality": rules or [], "properties": [{"name": "a", **column}, second]}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "x", "version": "1.0.0", "status": "active"}
    contract, _ = read(json.dumps({**head, "schema": [dataset]}), "x.yaml")
    assert contract is not None
    return {one.name: one for one in plan(contract, contract.datasets[0]).expectations}


@pytest.mark.parametrize("row", cells("| option | of | gate and test |"), ids=lambda row: row[0])
def test_an_option_is_judged_as_the_page_says(row):
    codes = set(re.findall(r"E5\d\d", row[2]))
    for option in coded(row[0]) if codes else ():
        logical, value = OPTIONS[option]
        column = {"logicalType": logical, "physicalType": TYPES[logical], "logicalTypeOptions": {option: value}}
        assert {one.code for one in judged(column).values()} == codes, option


@pytest.mark.parametrize("row", cells("| metric | on | counts |"), ids=lambda row: row[0])
def test_a_metric_is_judged_as_the_page_says(row):
    (metric,) = coded(row[0])
    rule = {"metric": metric, "arguments": METRICS[metric], "mustBeLessThan": 5}
    on_dataset = row[1] == "dataset"
    found = judged({"physicalType": "string", "quality": [] if on_dataset else [rule]}, [rule] if on_dataset else [])
    assert found[metric].code in re.findall(r"E5\d\d", row[2])
    assert found[metric].gated is not on_dataset


@pytest.mark.parametrize("row", cells("| implementation | on | passes if |"), ids=lambda row: row[0])
def test_a_rule_of_floe_is_judged_as_the_page_says(row):
    name = coded(row[0])[0].split(":")[0]
    on, arguments = RULES_OF_FLOE[name]
    assert on == row[1]
    rule = {"type": "custom", "engine": "floe", "implementation": {name: arguments}, "name": name}
    column = {"physicalType": "timestamp" if name != "range" else "int", "quality": [rule] if on == "column" else []}
    found = judged(column, [rule] if on == "dataset" else [])
    (one,) = found.values()
    assert one.code == (re.findall(r"E5\d\d", row[3]) or ["E580"])[0]
    assert one.gated is (row[3].startswith("gate") or name == "referentialIntegrity")


def test_links_lead_somewhere():
    for page in PAGES:
        text = page.read_text()
        for target in re.findall(r"\]\(([^)#\s]*)(?:#[^)]*)?\)", text):
            assert not target or "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"
        anchors = {
            re.sub(r"[^\w -]", "", line.lstrip("# ")).lower().replace(" ", "-")
            for line in text.splitlines()
            if line.startswith("#")
        }
        assert set(re.findall(r"\]\(#([^)]*)\)", text)) <= anchors


# ── the commands on the pages ───────────────────────────────────────────────────────────────────────────────────────

# need a Spark session, or a table that one has written
SPARK = ("enforce", "test", "serve", "quarantine", "protect", "unprotect", "migrate")
# need a registered contract; tests/docs/test_registry_page.py runs those of the page
REGISTERED = ("consumers", "impact", "lineage", "deprecate", "sunset", "retire", "revive")
# words that stand for something of the reader's
STANDS_FOR = {
    "SRC": "contract.yaml",
    "TABLE": "orders.parquet",
    "CONTRACT": "contract.yaml",
    "[CONTRACT]": "contract.yaml",
}
PRODUCT = """\
metadata: {name: shop, domain: sales, version: 1.0.0, owner: sales@acme.com, repository: github.com/acme/shop}
output_ports: [{name: orders, table: silver.sales.orders, columns: {order_id: bigint}}]
"""
# commands that cannot run without arguments, so that their name alone is no command line
NEED_ARGUMENTS = (
    "approve",
    "bootstrap",
    "completion",
    "convert",
    "diff",
    "explain",
    "lint",
    "monitor",
    "plan",
    "publish",
)
# exit codes other than 0 that are right here: no table was written yet
CODES = {"doctor": (0, 2), "monitor": (0, 1)}


def commands(page: Path) -> list[str]:
    """What a reader would type: lines after `$`, and words in code that begin with floe."""
    text = page.read_text()
    typed = re.findall(r"^\$ (floe .*)$", text, re.MULTILINE)
    inline = [" ".join(one.split()) for one in coded(text) if one.startswith("floe ")]
    return list(dict.fromkeys([*typed, *inline]))


ALL = [(page.name, command) for page in PAGES for command in commands(page)]
RUN = [one for one in ALL if one[1].split()[1] not in (*SPARK, *REGISTERED)]


@pytest.fixture
def lakehouse(tmp_path: Path) -> Path:
    """The demo's folder, with the files that the pages name."""
    shutil.copytree(ROOT / "examples" / "lakehouse", tmp_path, dirs_exist_ok=True)
    contract = tmp_path / "contracts" / "silver" / "commerce" / "orders_clean.yaml"
    for name in ("contract.yaml", "orders.yaml", "old.yaml", "new.yaml"):
        shutil.copy(contract, tmp_path / name)
    shutil.copy(ROOT / "tests" / "cases" / "odcs" / "dialects" / "b-orders.yaml", tmp_path / "b.yaml")
    pq.write_table(pa.table({"order_id": [1, 2]}), tmp_path / "orders.parquet")
    write_baseline(lint(contract), str(tmp_path / "known.json"))
    (tmp_path / "docs").mkdir()
    init(Start(tmp_path / "products" / "sales", "sales", "sales", "sold"))
    shutil.copy(tmp_path / "products" / "sales" / "floe.yaml", tmp_path / "floe.yaml")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=me", "-c", "user.email=me@example.com"]
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["commit", "-qm", "all"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run([*git, *words], check=True)
    return tmp_path


def _register(folder: Path) -> None:
    """Let the registry know what the pages look up."""
    put(open_store("sqlite:///.floe/registry.db", folder), (folder / "contract.yaml").read_text(), repository=None)


def _commit(folder: Path) -> None:
    """Make a repository of a folder, with everything committed here and at its origin."""
    who = "-c user.name=Test -c user.email=test@example.com"
    done = run_shell(
        f"git init --quiet --initial-branch main && git add --all && git {who} commit --quiet --message first"
        " && git update-ref refs/remotes/origin/main HEAD",
        folder,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("page", "command"), ALL, ids=str)
def test_every_command_on_a_page_exists(page, command):
    word = shlex.split(command)[1]
    assert word in COMMANDS or word.startswith("--"), page


@pytest.mark.parametrize(("page", "command"), RUN, ids=str)
def test_every_command_that_needs_no_spark_runs(page, command, lakehouse):
    words = [STANDS_FOR.get(word, word) for word in command.split()]
    if len(words) == 2 and words[1] in NEED_ARGUMENTS:
        return  # the name of a command, not a line to type
    if words[:3] == ["floe", "monitor", "run"]:
        return  # goes on until it is told to stop; tests/monitor/test_service.py runs it
    if words == ["floe", "init"]:
        words += ["fresh"]
    if words[1] == "contracts" or "registry:" in command:
        _register(lakehouse)
    done = run_shell(" ".join(words), lakehouse)
    assert done.returncode in CODES.get(words[1], (0,)), done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    "fence",
    [f for page in DOCS for f in fences(page) if f.words[:1] == ("console",)],
    ids=lambda f: f.text.splitlines()[0],
)
def test_what_a_page_shows_is_what_a_command_says(fence, lakehouse):
    for shown in re.split(r"^\$ ", fence.text, flags=re.MULTILINE)[1:]:
        command, _, said = shown.partition("\n")
        done = run_shell(command, lakehouse)
        assert done.stdout + done.stderr == said.rstrip("\n") + "\n"


def test_the_readme_tells_every_command_with_its_own_words():
    listed = {command.split()[1] for command in commands(ROOT / "README.md")}
    assert sorted(set(COMMANDS) - listed) == []


def test_every_option_that_a_page_names_is_in_a_help(lakehouse):
    helps = run_shell("floe completion bash", lakehouse).stdout  # asked from every parser, of verbs below commands too
    known = set(re.findall(r"--[a-z][a-z-]+", helps)) | {"--help", "--version"}
    for page in PAGES:
        named = {option for text in coded(page.read_text()) for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)}
        assert sorted(named - known) == [], page.name


def test_the_demo_is_in_the_readme_as_it_runs():
    """The README's first block are lines of demo.py."""
    demo = (ROOT / "examples" / "lakehouse" / "demo.py").read_text()
    typed = re.findall(r"^\$ (floe .*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert typed
    assert [line for line in typed if line not in demo] == []


@pytest.mark.parametrize("page", [*sorted((ROOT / "docs" / "design").glob("*.md")), ROOT / "CONTRIBUTING.md"], ids=str)
def test_the_files_that_a_page_of_the_design_names_exist(page: Path):
    """A page names a file by the end of its path; `<name>.py` is one to be made."""
    tops = ("src", "tests", "benchmarks", "docs", "tools")
    files = {f"/{file.relative_to(ROOT)}" for top in tops for file in (ROOT / top).rglob("*.*")}
    texts = [text for text in coded(page.read_text()) if "<" not in text]
    named = {word for text in texts for word in re.findall(r"[\w./-]+\.(?:py|md)\b", text)}
    assert [word for word in sorted(named) if not any(file.endswith(f"/{word}") for file in files)] == []
