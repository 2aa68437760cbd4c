"""A fuzzer of hostile contracts: every text of a contract holds, in turn, what ends quotes, names, paths, pages or lines.

Whatever a command answers, nothing happens beside it: a file that a shell would make is not made, a variable of the environment
is shown and kept nowhere, nobody connects to a listener on this machine, no control character reaches the terminal, and no
traceback does.
"""

import io
import os
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import yaml

from floe.cli import main

SECRET = "hunter2-TOPSECRET"
VARIABLE = "FUZZED_SECRET"
CANARY = "CANARY"
SOAKED = os.environ.get("HYPOTHESIS_PROFILE") == "soak"

CONTRACT: dict[str, Any] = {
    "apiVersion": "v3.1.0",
    "kind": "DataContract",
    "id": "orders",
    "name": "orders",
    "version": "1.0.0",
    "status": "active",
    "domain": "sales",
    "dataProduct": "shop",
    "tags": ["orders"],
    "description": {"purpose": "What was ordered", "usage": "Read it", "limitations": "None"},
    "team": {"name": "shop", "members": [{"username": "ann@example.com", "role": "owner"}]},
    "support": [{"channel": "help", "url": "https://help.example", "tool": "slack"}],
    "servers": [{"server": "lake", "type": "local", "format": "delta", "path": "lake/orders", "environment": "prod"}],
    "schema": [
        {
            "name": "orders",
            "physicalName": "orders",
            "physicalType": "table",
            "description": "Orders",
            "dataGranularityDescription": "One row per order",
            "quality": [
                {"id": "count", "type": "sql", "query": "SELECT count(*) FROM orders WHERE id < 0", "mustBe": 0},
                {"id": "own", "type": "custom", "engine": "floe", "implementation": {"range": "id > 0"}},
            ],
            "properties": [
                {
                    "name": "id",
                    "physicalName": "id",
                    "physicalType": "bigint",
                    "required": True,
                    "primaryKey": True,
                    "description": "Its number",
                    "classification": "internal",
                },
                {
                    "name": "code",
                    "logicalType": "string",
                    "physicalType": "string",
                    "logicalTypeOptions": {"pattern": "^[a-z]+$"},
                    "quality": [
                        {
                            "id": "listed",
                            "metric": "invalidValues",
                            "arguments": {"validValues": ["a", "b"]},
                            "mustBe": 0,
                        }
                    ],
                    "relationships": [{"type": "foreignKey", "to": "codes.code"}],
                },
            ],
        }
    ],
    "slaProperties": [
        {"property": "freshness", "value": "4", "unit": "h", "element": "orders.id", "driver": "regulatory"}
    ],
    "customProperties": [
        {"property": "layer", "value": "silver"},
        {"property": "extends", "value": "base"},
        {"property": "notes", "value": "none"},
    ],
}

PAYLOADS = (
    "`",
    "x` USING delta AS SELECT TRANSFORM(1) USING 'touch {canary}' AS (x STRING) -- ",
    "'); SELECT java_method('java.lang.Runtime', 'exec', 'touch {canary}') --",
    "$(touch {canary})",
    "; touch {canary} #",
    "|touch {canary}",
    '"; touch {canary}; "',
    "${{" + VARIABLE + "}}",
    "x ${{" + VARIABLE + "}} y",
    "${{env:" + VARIABLE + "}}",
    "{{{{" + VARIABLE + "}}}}",
    "http://127.0.0.1:{port}/x",
    "jdbc:postgresql://127.0.0.1:{port}/d",
    "<img src=http://127.0.0.1:{port}/x onerror=alert(1)>",
    "![x](http://127.0.0.1:{port}/x)",
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "a\nb: c",
    "a\r\n::error::b",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202egnp.exe",
    "zero\u200bwidth",
    "/* x */ --",
    "{{object}} {{0}} %s %n",
    "'",
    '"',
    "''; DROP TABLE orders; --",
    "\\",
    "delta.`/etc`",
    "a" * 3000,
    "名前 ñ 🎉",
)


class Listener:
    """A server on loopback that counts who connects."""

    def __init__(self) -> None:
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        try:
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                connection.close()
        except OSError:
            return

    def stop(self) -> None:
        self._socket.close()


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts of a document stand; its apiVersion and kind say what it is, and stay."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in ("apiVersion", "kind"):
                yield from places(value, (*path, key))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from places(value, (*path, number))
    elif isinstance(node, str):
        yield path


PLACES = list(places(CONTRACT))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "manifest.yaml").write_text('spark: {master: "local[2]"}\ndata_contracts: {enforcement: warn}\n')
    base = {
        key: value for key, value in CONTRACT.items() if key not in ("servers", "slaProperties", "customProperties")
    }
    (tmp_path / "base.yaml").write_text(yaml.safe_dump({**base, "id": "base", "name": "base"}))
    rows = {"id": pyarrow.array([1, 2], pyarrow.int64()), "code": ["a", "b"]}
    pyarrow.parquet.write_table(pyarrow.table(rows), tmp_path / "batch.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, SECRET)
    return tmp_path


@pytest.fixture
def listener() -> Iterator[Listener]:
    found = Listener()
    yield found
    found.stop()


def hostile(home: Path, listener: Listener, at: tuple[Any, ...], payload: str) -> str:
    """A contract with a payload at one place; the file's name."""
    document = deepcopy(CONTRACT)
    node: Any = document
    for step in at[:-1]:
        node = node[step]
    text = payload.format(canary=home / CANARY, port=listener.port)
    node[at[-1]] = text if len(text) % 2 else f"{node[at[-1]]}{text}"
    (home / "c.yaml").write_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), "utf-8")
    return "c.yaml"


def run(*words: str) -> str:
    """What a command prints, all of it."""
    bytes_ = io.BytesIO()
    both = io.TextIOWrapper(bytes_, "utf-8", write_through=True)
    with redirect_stdout(both), redirect_stderr(both):
        code = main(list(words))
    text = bytes_.getvalue().decode("utf-8")
    assert code in (0, 1, 2), (words, code, text)
    return text


def untouched(home: Path, listener: Listener, text: str, story: str) -> None:
    """Nothing happened beside the answer."""
    assert not list(home.rglob(f"*{CANARY}*")), story
    assert listener.connections == 0, story
    assert SECRET not in text, story
    assert "Traceback" not in text, story
    assert "internal error" not in text, f"{story}\n{text[-2000:]}"
    assert not {sign for sign in text if ord(sign) < 32} - {"\n", "\t"}, story
    assert not {"\u202e", "\u200b"} & set(text), story
    document = story.startswith("('convert'")  # what it prints is a file
    assert document or "\n::error::b" not in text, f"{story}: a line of its own is a command to GitHub"


def kept(home: Path) -> list[str]:
    """Files that hold the variable's value."""
    return [str(path) for path in home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


COMMANDS = (
    ("lint", "c.yaml"),
    ("plan", "c.yaml"),
    ("effective", "c.yaml"),
    ("convert", "c.yaml", "--to", "markdown"),
    ("convert", "c.yaml", "--to", "html"),
    ("diff", "base.yaml", "c.yaml"),
    ("doctor", "c.yaml"),
    ("lint", "c.yaml", "--format", "github"),
    ("lint", "c.yaml", "--format", "sarif"),
)


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_reading_a_hostile_contract_does_nothing_else(home: Path, listener: Listener, payload: str):
    draw = random.Random(payload)
    for at in PLACES:
        hostile(home, listener, at, payload)
        for command in [COMMANDS[0], *draw.sample(COMMANDS[1:], len(COMMANDS) - 1 if SOAKED else 1)]:
            untouched(home, listener, run(*command), f"{command} with {payload!r} at {at}")
    assert kept(home) == []


WRITES = (
    ("enforce", "batch.parquet", "c.yaml", "--layer", "silver"),
    ("test", "c.yaml", "--format", "html"),
    ("test", "c.yaml", "--format", "junit"),
    ("protect", "c.yaml"),
    ("migrate", "c.yaml", "--from", "base.yaml"),
    ("publish", "c.yaml"),
    ("monitor", "check", "c.yaml"),
)


@pytest.mark.spark
@pytest.mark.parametrize("share", range(4))
def test_writing_by_a_hostile_contract_does_nothing_else(spark, home: Path, listener: Listener, share: int):
    """On Spark, a share of all pairs of payload and place, drawn anew for `make soak`."""
    draw = random.Random(None if SOAKED else share)
    for _ in range(200 if SOAKED else 6):
        at, payload = draw.choice(PLACES), draw.choice(PAYLOADS)
        hostile(home, listener, at, payload)
        story = f"{payload!r} at {at}"
        untouched(home, listener, run(*WRITES[0]), f"enforce with {story}")
        for command in draw.sample(WRITES[1:], 2):
            untouched(home, listener, run(*command), f"{command} with {story}")
    assert kept(home) == []
