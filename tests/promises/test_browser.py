"""Pages of hostile contracts and hostile data in a real browser: nothing runs, nothing is fetched, no link leads to a script."""

import io
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import floe
from floe.cli import main
from tests.helpers.visited import Visited, visited

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(not BROWSER, reason="no Chromium is installed")

RAN = "document.documentElement.setAttribute('data-ran', '1')"
ATTACKS = (
    "<script>{ran};fetch('{url}')</script>",
    "</title></style></textarea></code><script>{ran}</script>",
    "<img src='{url}' onerror=\"{ran}\">",
    "\"'><svg onload=\"{ran}\"><image href='{url}'/></svg>",
    "<iframe src='{url}'></iframe><object data='{url}'></object>",
    "</style><style>@import '{url}'; body {{background: url({url})}}</style>",
    "<meta http-equiv=refresh content='0;url={url}'><base href='{url}'><link rel=stylesheet href='{url}'>",
    "![a]({url}) [b](javascript:{ran}) <{url}>",
    "{{{{ 7*7 }}}}<script src='{url}'></script>",
    "javascript:{ran}",
    "data:text/html,<script>{ran}</script>",
)
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: TEXT
name: TEXT
version: 1.0.0
status: active
domain: sales
dataProduct: shop
tags: [TEXT]
description: {purpose: TEXT, usage: TEXT, limitations: TEXT, authoritativeDefinitions: [{type: TEXT, url: TEXT}]}
team: {name: TEXT, description: TEXT, members: [{username: TEXT, role: owner, description: TEXT}]}
support: [{channel: TEXT, tool: slack, url: TEXT}]
price: {priceAmount: 1, priceCurrency: TEXT, priceUnit: TEXT}
roles: [{role: TEXT, access: TEXT, description: TEXT}]
schema:
  - name: orders
    businessName: TEXT
    description: TEXT
    dataGranularityDescription: TEXT
    quality:
      - {id: said, type: text, description: TEXT}
    properties:
      - name: code
        physicalType: string
        description: TEXT
        businessName: TEXT
        examples: [TEXT]
        tags: [TEXT]
        quality: [{id: listed, description: TEXT, metric: invalidValues, arguments: {validValues: [a, TEXT]}, mustBe: 0}]
      - {name: TEXT, physicalType: string, required: true, description: TEXT}
customProperties:
  - {property: layer, value: silver}
  - {property: notes, value: TEXT}
"""


@pytest.fixture
def server() -> Iterator[Visited]:
    with visited() as found:
        yield found


def shown(address: str, folder: Path) -> str:
    """The page as the browser holds it after its scripts ran and its images came."""
    profile = folder / "profile"
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--virtual-time-budget=2000"]
    done = subprocess.run(
        [str(BROWSER), *words, "--dump-dom", address], capture_output=True, text=True, timeout=60, check=False
    )
    assert "<html" in done.stdout, done.stderr
    return done.stdout


def run(*words: str) -> str:
    out, error = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        main(list(words))
    assert "✗" not in error.getvalue(), error.getvalue()
    return out.buffer.getvalue().decode()


class Links(HTMLParser):
    """Where the links of a page lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {value for name, value in attrs if name in ("href", "src", "action", "data") and value}


def attacks(port: int) -> list[str]:
    return [text.format(ran=RAN, url=f"http://127.0.0.1:{port}/stolen{n}") for n, text in enumerate(ATTACKS)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Visited) -> Path:
    """A contract whose every text holds all attacks, and a table with a column of that name."""
    hostile = " ".join(attacks(server.port))
    (tmp_path / "c.yaml").write_text(CONTRACT.replace("TEXT", json.dumps(hostile)))
    (tmp_path / "lake").mkdir()
    table = pa.table({"code": ["a", "b"], hostile: pa.array([None, "x"])})
    parquet.write_table(table, tmp_path / "lake" / "part.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")  # no Java
    return tmp_path


def harmless(dom: str, server: Visited) -> None:
    """Nothing ran, nobody came, and every link may be followed."""
    assert "data-ran" not in dom[: dom.index("<head")]
    assert server.visits == []
    assert all(link.startswith(("#", "http://127.0.0.1:", "https://acme.example")) for link in Links(dom).found)


def test_the_browser_shows_what_it_runs_and_fetches(tmp_path: Path, server: Visited):
    """The other tests mean something: where nothing is escaped, the attacks succeed."""
    page = tmp_path / "page.html"
    texts = [text for text in attacks(server.port) if "refresh" not in text]  # which would leave the page
    page.write_text(f"<html><head></head><body>{''.join(texts)}</body></html>")
    dom = shown(page.as_uri(), tmp_path)
    assert "data-ran" in dom[: dom.index("<head")]
    assert {f"/stolen{number}" for number in (0, 2, 3, 4, 5, 8)} <= set(server.visits)


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "c.yaml", "--to", "html"),
        ("test", "c.yaml", "--table", "lake", "--format", "html"),
        ("figures", "--format", "html"),
    ],
    ids=["convert", "test", "figures"],
)
def test_a_page_of_a_hostile_contract_does_nothing(home: Path, server: Visited, words: tuple[str, ...]):
    if words[0] == "figures":
        run("publish", "c.yaml", "--skip-test", "hostile")
        run("test", "c.yaml", "--table", "lake")
    page = home / "page.html"
    page.write_text(run(*words))
    dom = shown(page.as_uri(), home)
    assert words[0] == "figures" or "stolen0" in dom, "the attacks are there, as text"
    harmless(dom, server)


def test_a_result_in_a_notebook_does_nothing(home: Path, server: Visited):
    page = home / "page.html"
    shown_by_notebooks = (floe.load("c.yaml"), floe.verify("lake", "c.yaml"))
    parts = [value._repr_html_() for value in shown_by_notebooks]
    page.write_text(f"<html><head></head><body>{''.join(parts)}</body></html>")
    dom = shown(page.as_uri(), home)
    assert "stolen0" in dom
    harmless(dom, server)
