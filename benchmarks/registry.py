"""How fast the registry is with 10,000 contracts of 10 versions each.

python benchmarks/registry.py [contracts]      (default: 10000)

Each figure is measured in a process of its own, on SQLite; `FIGURES` lists them with the time they may take.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from compile import lay_out

VERSIONS = 10


def seed(root: Path, count: int) -> None:
    """The contracts of `root`, each with its earlier versions, put in by the registry's own functions."""
    import sqlalchemy as sa

    from floe.actions.load.settings import load_settings
    from floe.actions.publish.candidates import FilePublisher, find_candidates
    from floe.actions.publish.entry import entry_of
    from floe.registry import open_store
    from floe.registry.schema import contract_fields, contract_tables, contracts, versions
    from floe.registry.versions import row_hash

    settings = load_settings(start=root)
    store, publisher = open_store(settings.registry.url, root), FilePublisher(settings)
    found = [one for one in find_candidates([root], settings) if not one.name.startswith("default.default/")]
    assert len(found) == count
    for start in range(0, len(found), 500):
        rows: dict[str, list] = {"contracts": [], "versions": [], "fields": [], "tables": []}
        for one in found[start : start + 500]:
            entry, _ = entry_of(one, publisher, settings)
            said = {"created_at": AT, "created_by": "bench", "newest": one.version}
            rows["contracts"].append({**entry.contract, **said})
            rows["versions"] += [_version(entry.version, number, row_hash) for number in range(VERSIONS)]
            rows["fields"] += entry.fields
            rows["tables"] += entry.tables
        with store.begin(writes=True) as connection:
            for table, name in (
                (contracts, "contracts"),
                (versions, "versions"),
                (contract_fields, "fields"),
                (contract_tables, "tables"),
            ):
                connection.execute(sa.insert(table), rows[name])


AT = "2026-11-16T00:00:00.000Z"


def _version(row: dict, number: int, row_hash: Callable) -> dict:
    """One of a contract's versions: the last is the file's own, those before it differ in their number alone."""
    last = number == VERSIONS - 1
    version = row["version"] if last else f"0.{number}.0"
    major, minor, patch = map(int, version.split("."))
    more = {"bump": "MINOR", "changes": {}, "tested": {"outcome": "no_table"}, "effective_from": AT}
    made = {**row, "version": version, "major": major, "minor": minor, "patch": patch, **more}
    made |= {"published_at": AT, "published_by": "bench"}
    if not last:
        made |= {"document_hash": f"{row['document_hash']}-{number}", "effective_hash": f"{number}"}
    return {**made, "row_hash": row_hash(made["document"], made["effective"])}


def publish_unchanged(root: Path) -> str:
    """What `floe publish` does where nothing changed."""
    from floe.actions.load.settings import load_settings
    from floe.actions.publish import PublishOptions, publish_all

    result = publish_all([root], PublishOptions(), load_settings(start=root)).to_dict()["summary"]
    assert result["already_registered"] + result["skipped"] == result["contracts"], result
    return f"{result['already_registered']:,} already registered"


def command(*words: str) -> Callable[[Path], str]:
    """A command as a user types it, from its start to its end."""

    def run(root: Path) -> str:
        floe = str(Path(sys.executable).parent / "floe")
        done = subprocess.run([floe, *words], cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return f"{len(done.stdout.splitlines())} lines"

    return run


# title, what is run, the seconds it may take
FIGURES: tuple[tuple[str, Callable[[Path], str], float], ...] = (
    ("publish unchanged, first run", publish_unchanged, 60.0),
    ("publish unchanged, again", publish_unchanged, 60.0),
    ("floe runs", command("runs"), 1.0),
    ("floe contracts search", command("contracts", "search", "c17"), 1.0),
    ("floe contracts list", command("contracts", "list", "--from", "registry"), 5.0),
)


def measure(root: str, number: str) -> None:
    title, run, most = FIGURES[int(number)]
    start = time.perf_counter()
    said = run(Path(root))
    seconds = time.perf_counter() - start
    print(f"{title:32} {seconds:9.3f} s  (at most {most:g} s)  {said}  {'ok' if seconds <= most else 'TOO SLOW'}")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder), count)
        start = time.perf_counter()
        seed(Path(folder), count)
        size = (Path(folder) / ".floe/registry.db").stat().st_size / 1e6
        print(
            f"{count:,} contracts of {VERSIONS} versions seeded in {time.perf_counter() - start:.0f} s, {size:.0f} MB"
        )
        (Path(folder) / ".floe" / "cache").rename(Path(folder) / ".floe" / "old")  # the first run compiles everything
        for number in range(len(FIGURES)):
            subprocess.run([sys.executable, __file__, "--measure", folder, str(number)], check=True)


if __name__ == "__main__":
    measure(*sys.argv[2:]) if sys.argv[1:2] == ["--measure"] else main()
