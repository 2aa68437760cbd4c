"""What `floe test` prints: every form says what broke, how much, whom to ask, and that a part is a part."""

import json
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from floe.engine.plan.where import scope_of
from floe.model import SettingError
from tests.conftest import Run, run_floe, run_floe_here
from tests.helpers.tables import DAY, HEAD, table

HOSTILE = "<script>alert(1)</script>\x1b[31m&\"'|"
ODD = "      - {id: odd, type: custom, engine: soda, implementation: x}\n"
ASK = f"team: {{name: {json.dumps(HOSTILE)}}}\nsupport: [{{channel: help, url: 'https://help.example'}}]\n"
NO_JAVA: dict[str, Any] = {"PATH": "/nowhere", "JAVA_HOME": ""}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "prices.yaml").write_text(HEAD.replace("dataProduct: p\n", "dataProduct: p\n" + ASK) + ODD)
    table(tmp_path / "t", (1, Decimal("1.50"), DAY), (None, None, None))
    return tmp_path


def said(home: Path, form: str, *words: str, code: int = 1, run: Run = run_floe, **environment: str) -> str:
    done = run("test", "prices.yaml", "--table", "./t", "--format", form, *words, cwd=home, **environment)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    return done.stdout


def test_junit_has_a_case_for_each_promise_and_errors_for_what_nobody_judged(home: Path):
    root = ElementTree.fromstring(said(home, "junit", **NO_JAVA))
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {
        "prices:schema": [],
        "prices.id:null-value": ["failure"],
        "prices.price:below-minimum": [],
        "prices.price:above-maximum": [],
        "prices.day:below-minimum": [],
        "prices:quality.rowCount": [],
        "prices:quality.odd": ["error"],
    }
    assert [root.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["7", "1", "1", "0"]
    again = ElementTree.fromstring(said(home, "junit", "--accept", "prices:quality.odd", **NO_JAVA))
    assert [again.get(key) for key in ("failures", "errors", "skipped")] == ["1", "0", "1"]


class _Page(HTMLParser):
    """The tags of a page, what they point to, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for key, value in attrs if key in ("src", "href", "action", "data")]

    def handle_data(self, data):
        self.text += f" {data}"


def test_html_says_the_verdict_first_and_holds_no_strange_markup(home: Path):
    page = _Page(said(home, "html", **NO_JAVA))
    text = " ".join(page.text.split())
    assert not page.tags & {"script", "img", "link", "iframe", "object", "form", "a"}
    assert page.links == []
    places = [
        text.index(part)
        for part in ("1 dataset: 1 failed", "✗ failed prices", "'prices.id' is null in", "2 rows", "<script>alert(1)")
    ]
    assert places == sorted(places)
    assert "help https://help.example" in text
    assert "prices:quality.odd" in text
    assert "\x1b" not in page.text


def test_github_and_markdown(home: Path):
    lines = said(home, "github", **NO_JAVA).splitlines()
    assert [line.split("::")[1].split(" ")[0] for line in lines] == ["error", "error"]
    assert lines[0].startswith("::error title=prices%3A FLOE-E550 null-value::'prices.id' is null in")
    page = said(home, "markdown", **NO_JAVA)
    assert page.startswith("### ✗ failed: prices\n")
    assert "\\<script\\>" in page
    assert "| error | FLOE-E550 null-value | 1 |" in page


def test_json_says_whom_to_ask_and_the_run_is_recorded(home: Path):
    (result,) = json.loads(said(home, "json", **NO_JAVA))["results"]
    assert (result["owner"], result["support"]) == (HOSTILE, ["help https://help.example"])
    assert (result["scope"], result["partial"]) == (None, True)
    runs = json.loads(run_floe("runs", "--format", "json", cwd=home).stdout)["runs"]
    assert [(run["mode"], run["outcome"]) for run in runs] == [("test", "fail")]


def test_several_datasets_stand_worst_first(home: Path):
    (home / "good.yaml").write_text(HEAD.replace("required: true", "required: false").replace("urn:x", "urn:y"))
    done = run_floe("test", "good.yaml", "prices.yaml", "--table", "./t", "--format", "json", cwd=home, **NO_JAVA)
    assert [result["outcome"] for result in json.loads(done.stdout)["results"]] == ["fail", "pass"]


@pytest.mark.spark
def test_a_part_is_labelled_in_every_form_and_only_row_rules_are_judged_on_it(spark, home: Path):
    (home / "prices.yaml").write_text(HEAD.replace("physicalType: bigint,", "physicalType: bigint, primaryKey: true,"))
    answer = json.loads(
        said(home, "json", "--where", "price is not null and day = DATE '2026-05-01'", run=run_floe_here, code=2)
    )
    (result,) = answer["results"]
    assert (result["rows"], result["partial"], result["passed"]) == (1, True, True)
    assert result["scope"] == "where price is not null and day = DATE '2026-05-01'"
    outcomes = {one["id"]: one["outcome"] for one in result["expectations"]}
    assert outcomes == {
        "prices:schema": "pass",
        "prices.id:key-duplicated": "not_evaluated",
        "prices.id:null-value": "pass",
        "prices.price:below-minimum": "pass",
        "prices.price:above-maximum": "pass",
        "prices.day:below-minimum": "pass",
        "prices:quality.rowCount": "not_evaluated",
    }
    runs = run_floe_here("runs", cwd=home).stdout
    assert "not evaluated (partial)" in runs


@pytest.mark.spark
def test_a_part_without_a_fault_is_never_plain_green(spark, home: Path):
    (home / "prices.yaml").write_text(HEAD.split("    quality:")[0])
    text = said(home, "text", "--where", "id = 1", run=run_floe_here, code=0)
    assert text.startswith("~ PARTIAL, no violation in the rows that were read prices")
    assert "1 row of a part (where id = 1)" in text.splitlines()[0]
    text = said(home, "html", "--where", "id is null", "--sample", "0.999999", run=run_floe_here, code=1)
    assert "PARTIAL" in text.split("</h1>")[0]
    assert "where id is null, sample 0.999999" in text


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("1 = 1) UNION SELECT * FROM secrets WHERE (true", "it reads the table 'secrets'"),
        ("reflect('java.lang.Runtime', 'x')", "function reflect reads more than the data"),
        ("id IN (SELECT 1)", "not a condition"),
        ("a) OR (b", "not a condition"),
        ("a) GROUP BY (a", "not a condition"),
        ("${x} > 1", "no value"),
        ("", "not a condition"),
        ("a; drop table t", "cannot be run"),
    ],
)
def test_a_condition_is_held_to_the_list_of_what_is_allowed(where, why):
    with pytest.raises(SettingError, match="--where") as caught:
        scope_of(where, None)
    assert why in caught.value.message


def test_a_condition_is_written_again_as_it_was_read():
    scope = scope_of("`odd name` = 'it''s $x' -- mine", 0.5)
    assert scope is not None
    assert (scope.where, scope.sample) == ("(`odd name` = 'it\\u0027s \\u0024x')", 0.5)
    assert scope_of(None, None) is None


@pytest.mark.parametrize("share", ["0", "1", "2", "-0.1", "nan", "many"])
def test_a_share_is_between_0_and_1(home: Path, share: str):
    done = run_floe("test", "prices.yaml", f"--sample={share}", cwd=home)
    assert (done.returncode, "is not a fraction between 0 and 1" in done.stderr) == (2, True)


def test_a_registry_that_is_down_is_said_and_the_run_is_recorded_later(home: Path):
    """Fault 21: the contract is a file, and its table needs no registry to be judged."""
    words = ("test", "prices.yaml", "--table", "./t", "--format", "json")
    down = run_floe(*words, cwd=home, **NO_JAVA, FLOE_REGISTRY_URL="postgresql://nobody@127.0.0.1:1/none")
    (first,) = json.loads(down.stdout)["results"]
    assert (down.returncode, first["outcome"], "FLOE-E542 warning" in down.stderr) == (1, "fail", True), down.stderr
    assert "whether the table was replaced since it was last judged is not known" in down.stderr
    up = run_floe(*words, cwd=home, **NO_JAVA)
    (second,) = json.loads(up.stdout)["results"]
    assert [one["outcome"] for one in first["expectations"]] == [one["outcome"] for one in second["expectations"]]
    runs = json.loads(run_floe("runs", "--format", "json", cwd=home).stdout)
    assert len(runs["runs"] if isinstance(runs, dict) else runs) == 2
