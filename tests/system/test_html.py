"""HTML of templates: whatever stands in a contract stays text, and a browser may neither run nor fetch anything."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import UndefinedError

import floe
from floe.model import Severity
from floe.model.figures import Figure, FigurePoint
from floe.model.result import FAIL, NOT_EVALUATED, PASS, Outcome, Result
from floe.reports.html.figures import figures_html
from floe.reports.html.result import result_html
from floe.system.html import render, visible, web_address

SOURCE = Path(floe.__file__).parent
TEMPLATES = sorted(SOURCE.rglob("templates/*.html"))
EVIL = (
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}</style>\u202e\n::error::x\n##[command]y\ud800"
)


class Parsed(HTMLParser):
    """The tags and attributes of a page, its text and its style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def outcome(word: str) -> Outcome:
    given = dict.fromkeys(("id", "code", "name", "field", "message", "cause", "actual", "expected"), EVIL)
    return Outcome(**given, severity=Severity.ERROR, outcome=word, violations=1, samples=({EVIL: EVIL},))  # type: ignore[arg-type]


def report() -> str:
    given = dict.fromkeys(("contract", "version", "dataset", "scope", "owner", "location", "snapshot"), EVIL)
    outcomes = tuple(map(outcome, (FAIL, NOT_EVALUATED, PASS)))
    return result_html([Result(**given, support=(EVIL,), checked_at=EVIL, expectations=outcomes, rows=3)], ())  # type: ignore[arg-type]


def figures() -> str:
    shared = {"name": EVIL, "title": EVIL, "value": 1, "unit": EVIL, "target": EVIL, "met": False, "detail": EVIL}
    named = Figure(**shared, points=(FigurePoint(EVIL, 1),), by_day=False, limit=2)  # type: ignore[arg-type]
    daily = Figure(**shared, points=(FigurePoint("2026-01-01", 1),), limit=2)  # type: ignore[arg-type]
    summary = {
        "days": 1,
        "first": "2026-01-01",
        "last": "2026-01-01",
        "figures": [named.to_dict(), daily.to_dict()],
        "summary": {"met": 0, "missed": 2, "unknown": 0},
    }
    return figures_html(summary, [named, daily])


@pytest.mark.parametrize("write", [report, figures])
def test_hostile_text_is_text_everywhere(write):
    page = write()
    page.encode()  # no lone surrogate is left
    parsed = Parsed(page)
    assert not {"script", "img", "a", "iframe", "form", "link"} & set(parsed.tags)
    assert parsed.tags.count("style") == 1
    assert not [name for name, _ in parsed.attributes if name.startswith("on") or name == "style"]
    assert "<script>alert(1)</script>" in parsed.text
    assert "{{ 7*7 }}" in parsed.text
    assert "\u202e" not in page
    assert "\\u202e" in parsed.text
    assert not re.search(r"^\s*(::|##\[)", page, re.MULTILINE)
    assert "\n::error::x" in parsed.text


def test_the_policy_of_a_page_allows_its_own_style_and_nothing_else():
    page = report()
    style = page.split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(value for name, value in Parsed(page).attributes if name == "content" and "default-src" in value)
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not re.search(r"url\(|@import|expression", style)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "//evil.example",
        "/etc/passwd",
        "",
        None,
        7,
    ],
)
def test_only_web_addresses_are_followed(url):
    assert web_address(url) is None


def test_a_web_address_is_an_attribute_and_no_more():
    address = 'https://acme.example/?a="><script>&b=\u202e'
    assert web_address(address) == 'https://acme.example/?a="><script>&b=\\u202e'
    assert web_address("mailto:a@acme.example") == "mailto:a@acme.example"


def test_letters_that_join_stay_and_what_cannot_be_seen_is_shown():
    assert visible("می\u200cخواهم 👩\u200d🔬 a\u00a0b\tc\n") == "می\u200cخواهم 👩\u200d🔬 a\u00a0b\tc\n"
    assert visible("a\x1b\x00\u2066\U000e0041") == "a\\u001b\\u0000\\u2066\\U000e0041"
    assert visible(None) == ""


def test_a_name_that_a_template_misses_is_an_error():
    with pytest.raises(UndefinedError):
        render("floe.system", "table.html", title="x", detail="y", head=())


@pytest.mark.parametrize("path", TEMPLATES, ids=[path.name for path in TEMPLATES])
def test_a_template_escapes_and_quotes_everything(path: Path):
    text = path.read_text()
    assert not re.search(r"\|\s*safe|autoescape|<script|javascript:|\son\w+=|\sstyle=", text)
    assert not re.search(r"=\{\{", text)  # an attribute without quotes
    links = re.findall(r"(?:href|src|action)=\"([^\"]*)\"", text)
    assert all(link.startswith("#") or (path.name == "parts.html" and link == "{{ address }}") for link in links)


def test_templates_are_found_and_go_into_the_package():
    assert {path.name for path in TEMPLATES} == {
        "base.html",
        "parts.html",
        "table.html",
        "contract.html",
        "result.html",
        "figures.html",
    }
