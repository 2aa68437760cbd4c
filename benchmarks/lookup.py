"""How long looking contracts up takes in a registry of 10,000 contracts with 10 versions each.

python benchmarks/lookup.py [contracts] [database URL]      (default: 10000, a SQLite file)
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from floe.actions.contracts import history, search, show
from floe.actions.contracts.exporting import export
from floe.actions.contracts.importing import import_registry
from floe.actions.load.find import load_contract
from floe.actions.load.settings import load_settings
from floe.contract.formats import read
from floe.contract.formats.odcs.fit import write
from floe.registry import Store, open_store
from floe.registry.schema import audit, contract_fields, contract_tables, contracts, versions
from floe.registry.versions import row_hash
from floe.settings import Settings

VERSIONS, BAR = 10, 0.05
AT = "2026-01-05T08:00:00.000Z"
COLUMNS = "".join(
    f"      - {{name: c{i}, physicalType: string, description: The {i}th of many columns.}}\n" for i in range(14)
)
WORDS = "What the shop sold and to whom. " + " ".join(f"c{i} The {i}th of many columns." for i in range(14))
TEXT = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:t00000
name: t00000
version: 1.0.0
status: active
domain: d00
dataProduct: shop
description: {purpose: What the shop t00000 sold and to whom.}
schema:
  - name: t00000
    physicalName: silver.d00.t00000
    properties:
      - {name: email_00000, physicalType: string, classification: pii, description: Whom to write to.}
"""


def rows(count: int) -> Iterator[tuple[sa.Table, list[dict[str, Any]]]]:
    contract, _ = read(TEXT + COLUMNS, "t.yaml")
    assert contract is not None
    effective = write(contract, None)
    for number in range(count):
        name, domain = f"t{number:05}", f"d{number % 50:02}"

        def own(text: str, name: str = name, domain: str = domain) -> str:
            return text.replace("t00000", name).replace("d00", domain).replace("email_00000", f"email_{name[1:]}")

        contract_id = f"{domain}.shop/{name}"
        document, whole = own(TEXT + COLUMNS), own(effective)
        yield (
            contracts,
            [
                {
                    "contract_id": contract_id,
                    "odcs_id": f"urn:acme:{name}",
                    "domain": domain,
                    "product": "shop",
                    "name": name,
                    "repository": f"github.com/acme/{domain}",
                    "owner": f"owner{number % 100}@acme.com",
                    "newest": f"1.{VERSIONS - 1}.0",
                    "tags": ["golden"] if number % 1000 == 0 else ["rare"] if number == count - 1 else [],
                    "found_by": f"{contract_id} urn:acme:{name} silver.{domain}.{name} {WORDS}".lower(),
                    "created_at": AT,
                    "created_by": "ann",
                }
            ],
        )
        yield versions, [_version(contract_id, minor, document, whole) for minor in range(VERSIONS)]
        fields = [f"email_{name[1:]}", *(f"c{i}" for i in range(14))]
        yield (
            contract_fields,
            [
                {
                    "contract_id": contract_id,
                    "path": f"{name}.{field}",
                    "name": field,
                    "type": "string",
                    "classification": "phi" if number % 1000 == 0 and place == 0 else "pii" if place == 0 else None,
                    "tags": ["rare"] if number == count - 1 and place == 0 else [],
                }
                for place, field in enumerate(fields)
            ],
        )
        table = {"major": 1, "dataset": name, "table_id": f"silver.{domain}.{name}"}
        yield contract_tables, [{"contract_id": contract_id, **table}]
        said = {"actor": "ann", "verb": "publish", "subject": contract_id}
        yield audit, [{"at": AT, **said, "detail": {"version": f"1.{minor}.0"}} for minor in range(VERSIONS)]


def _version(contract_id: str, minor: int, document: str, effective: str) -> dict[str, Any]:
    texts = {
        key: text.replace("1.0.0", f"1.{minor}.0") for key, text in (("document", document), ("effective", effective))
    }
    hashed = row_hash(texts["document"], texts["effective"])
    return {
        **texts,
        "contract_id": contract_id,
        "version": f"1.{minor}.0",
        "major": 1,
        "minor": minor,
        "patch": 0,
        "document_hash": hashed,
        "effective_hash": hashed,
        "row_hash": hashed,
        "parents": [],
        "bump": "MINOR",
        "changes": {},
        "tested": {"outcome": "pass"},
        "effective_from": AT,
        "published_at": AT,
        "published_by": "ann",
    }


def seed(store: Store, count: int) -> None:
    waiting: dict[sa.Table, list[dict[str, Any]]] = {}
    with store.begin(writes=True) as connection:
        for number, (table, some) in enumerate(rows(count)):
            waiting.setdefault(table, []).extend(some)
            if number % 2500 == 2499:
                _put(connection, waiting)
        _put(connection, waiting)
    if store.postgresql:
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text("ANALYZE"))


def _put(connection: sa.Connection, waiting: dict[sa.Table, list[dict[str, Any]]]) -> None:
    for table, some in waiting.items():
        connection.execute(sa.insert(table), some)
    waiting.clear()


def timed(ask: Callable[[], Any], times: int = 15) -> float:
    """The middle of several, after one to warm up."""
    ask()
    took = []
    for _ in range(times):
        start = time.perf_counter()
        ask()
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def questions(settings: Settings, count: int) -> dict[str, Callable[[], Any]]:
    last = f"t{count - 1:05}"
    middle = f"d{count // 2 % 50:02}.shop/t{count // 2:05}"
    return {
        "search: first page of all": lambda: search(settings),
        "search: a page from the middle": lambda: search(settings, after=middle),
        "search: a word all have": lambda: search(settings, text="shop"),
        "search: a word one has": lambda: search(settings, text=last),
        "search: words none has": lambda: search(settings, text="nowhere to be found"),
        "search: a column all have": lambda: search(settings, column="c7"),
        "search: a column one has": lambda: search(settings, column=f"email_{last[1:]}"),
        "search: columns by pattern": lambda: search(settings, column=f"*_{last[1:]}"),
        "search: a rare tag": lambda: search(settings, tag="rare"),
        "search: an owner": lambda: search(settings, owner="owner7@acme.com"),
        "search: a rare classification": lambda: search(settings, classification="phi"),
        "search: a domain": lambda: search(settings, domain="d07"),
        "show": lambda: show(middle, settings),
        "show by table_id, a version": lambda: show(
            f"silver.{middle.split('.', maxsplit=1)[0]}.t{count // 2:05}:1.3.0", settings
        ),
        "history": lambda: history(middle, settings),
        "load a contract": lambda: load_contract(middle, settings),
    }


def main() -> int:
    words = sys.argv[1:]
    count = int(words[0]) if words else 10_000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        url = words[1] if len(words) > 1 else f"sqlite:///{root}/registry.db"
        settings = load_settings({"registry.url": url}, start=root)
        start = time.perf_counter()
        seed(open_store(url, root), count)
        print(f"{count:,} contracts with {VERSIONS} versions each, written in {time.perf_counter() - start:.0f} s")
        slow = 0
        for title, ask in questions(settings, count).items():
            took = timed(ask)
            slow += took > BAR
            print(f"{title:<32} {took * 1000:8.1f} ms{'   over 50 ms' if took > BAR else ''}")
        start = time.perf_counter()
        export(root / "saved", settings)
        print(f"{'export':<32} {time.perf_counter() - start:8.1f} s")
        other = load_settings({"registry.url": f"sqlite:///{root}/other.db"}, start=root)
        start = time.perf_counter()
        import_registry(root / "saved", other)
        print(f"{'import':<32} {time.perf_counter() - start:8.1f} s")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
