"""Addresses in contracts are text: no command follows them, whatever their scheme and wherever they stand."""

import io
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from floe.cli import main
from tests.helpers.visited import Visited, visited

SECRET = "KEPT-ON-THIS-MACHINE"
# every place where ODCS has an address, and those where somebody may try one
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:orders
name: orders
version: {version}
status: active
domain: sales
dataProduct: shop
description:
  purpose: "![a](URL) <URL>"
  authoritativeDefinitions: [{{type: canonicalUrl, url: "URL"}}]
authoritativeDefinitions: [{{type: businessDefinition, url: "URL"}}]
team: {{name: "URL", members: [{{username: ann, role: owner}}]}}
support: [{{channel: help, tool: other, url: "URL", invitationUrl: "URL"}}]
servers: [{{server: lake, type: custom, format: parquet, location: lake, description: "URL"}}]
schema:
  - name: orders
    authoritativeDefinitions: [{{type: implementation, url: "URL"}}]
    quality:
      - {{id: said, type: text, description: "URL"}}
    properties:
      - name: id
        physicalType: bigint
        required: true
        authoritativeDefinitions: [{{type: businessDefinition, url: "URL"}}]
        customProperties: [{{property: migration, value: "URL"}}]
customProperties:
  - {{property: layer, value: silver}}
  - {{property: documentation, value: "URL"}}
"""
ADDRESSES = (
    "http://127.0.0.1:{port}/contract.yaml",
    "http://localhost:{port}/redirect",
    "https://127.0.0.1:{port}/contract.yaml",
    "//127.0.0.1:{port}/contract.yaml",
    "ftp://127.0.0.1:{port}/contract.yaml",
    "gopher://127.0.0.1:{port}/contract.yaml",
    "jdbc:postgresql://127.0.0.1:{port}/d",
    "file://{root}/secret.yaml",
)
COMMANDS = (
    ("lint", "c.yaml"),
    ("compile", "."),
    ("effective", "c.yaml"),
    ("plan", "c.yaml"),
    ("diff", "old.yaml", "c.yaml"),
    ("convert", "c.yaml", "--to", "html", "--out", "c.html"),
    ("doctor", "c.yaml"),
    ("test", "c.yaml", "--format", "html"),
    ("publish", "c.yaml"),
    ("contracts", "show", "sales.shop/orders"),
    ("outbox", "send"),
    ("monitor", "check", "c.yaml"),
)


@pytest.fixture
def server() -> Iterator[Visited]:
    with visited() as found:
        yield found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "secret.yaml").write_text(f"name: {SECRET}\n")
    (tmp_path / "lake").mkdir()
    parquet.write_table(pa.table({"id": pa.array([1, 2], pa.int64())}), tmp_path / "lake" / "part.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")  # no Java
    return tmp_path


def write(address: str, more: str = "") -> None:
    Path("old.yaml").write_text(CONTRACT.format(version="0.9.0").replace("URL", "https://acme.example"))
    Path("c.yaml").write_text(CONTRACT.format(version="1.0.0").replace("URL", address) + more)


def run(*words: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(list(words))
    said = out.getvalue()
    assert code in (0, 1, 2), said
    assert "internal error" not in said
    return said


@pytest.mark.parametrize("address", ADDRESSES, ids=[address.split(":")[0] or "no scheme" for address in ADDRESSES])
def test_no_command_follows_an_address_of_a_contract(home: Path, server: Visited, address: str):
    write(address.format(port=server.port, root=home))
    for words in COMMANDS:
        said = run(*words)
        assert server.visits == [], words
        assert SECRET not in said, words
        assert "table passes" in said or words[0] != "publish"  # the contract is one that all commands take
    assert SECRET not in Path("c.html").read_text()


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_a_contract_extends_or_a_command_names_is_no_address(home: Path, server: Visited, address: str):
    address = address.format(port=server.port, root=home)
    write("x", f'  - {{property: extends, value: "{address}"}}\n')
    for words in (("lint", address), ("diff", "c.yaml", address), ("effective", "c.yaml"), ("test", "c.yaml")):
        said = run(*words)
        assert "FLOE-E5" in said or "✗" in said, words
        assert SECRET not in said
        assert server.visits == [], words


@pytest.mark.parametrize("form", ["delta", "iceberg", "parquet"])
@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:{port}/lake",
        "ftp://127.0.0.1:{port}/lake",
        "s3://lake/orders?endpoint_override=127.0.0.1:{port}&scheme=http&region=x",
    ],
    ids=["http", "ftp", "s3"],
)
def test_no_table_of_a_contract_chooses_the_server_that_keys_are_sent_to(
    home: Path, server: Visited, monkeypatch: pytest.MonkeyPatch, form: str, location: str
):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-the-user")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-the-user")
    write("x")
    place = f'type: custom, format: {form}, location: "{location.format(port=server.port)}"'
    Path("c.yaml").write_text(
        Path("c.yaml").read_text().replace("type: custom, format: parquet, location: lake", place)
    )
    enforce = ("enforce", "lake/part.parquet", "c.yaml")
    for words in (("doctor", "c.yaml"), ("test", "c.yaml"), ("monitor", "check", "c.yaml"), enforce):
        said = run(*words)
        assert f"of a table contains {'a query' if '?' in location else 'a web address'}" in said, words
        assert server.visits == [], words
