"""What exact uniqueness of a key costs on top of reading its columns: whole numbers, texts, decimal and date.

    python benchmarks/keys.py [--sf 1] [--rounds 3] [--only NAME ...] [--write docs/performance.md]

One table made of TPC-H's line items holds a key of each kind, once clean and once with five rows copied; floe is asked
as `floe test` asks it, beside a plain groupBy. Task CPU against a scan of the key's columns in the same session, the
median of the rounds. Exits 1 where a way finds something else than was planted, or floe misses its bar.
"""

import argparse
import json
import shutil
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from measure import race, session
from page import fill, section, table
from tpch_data import generate, uncopied
from tpch_rules import COPIED

BAR = 3.0
HEAD = (
    "key",
    "copied",
    "scan CPU s",
    "floe CPU s",
    "x scan",
    "x hash scan",
    "wall x scan",
    "queries",
    "groupBy x scan",
    "found",
)
COPIES = COPIED["lineitem"]
ORDER, LINE = "CAST(l_orderkey AS STRING)", "CAST(l_linenumber AS STRING)"
# column -> its type and how it is made of a line item's order and line; each key below is unique where those are
COLUMNS = {
    "k_order": ("bigint", "l_orderkey"),
    "k_line": ("int", "l_linenumber"),
    "k_number": ("string", f"concat(lpad({ORDER}, 12, '0'), '-', {LINE})"),
    "k_hash": ("string", f"md5(concat({ORDER}, '-', {LINE}))"),
    "k_customer": ("string", "concat('C', lpad(CAST(l_orderkey % 100000 AS STRING), 8, '0'))"),
    "k_document": ("string", f"concat('DOC-', CAST(l_orderkey div 100000 AS STRING), '-', {LINE})"),
    "k_amount": ("decimal(15,2)", "CAST(((l_orderkey div 2000) * 10 + l_linenumber) / 100 AS DECIMAL(15,2))"),
    "k_day": ("date", "date_add(DATE'1992-01-01', CAST(l_orderkey % 2000 AS INT))"),
}
KEYS = {
    "two whole numbers": ("k_order", "k_line"),
    "text, in order": ("k_number",),
    "text, a hash": ("k_hash",),
    "two texts": ("k_customer", "k_document"),
    "decimal and date": ("k_amount", "k_day"),
}


class Case(NamedTuple):
    """A key of one kind, in a table with or without rows copied."""

    name: str
    folder: Path
    copied: int


def tables(spark: Any, lineitem: Path) -> dict[int, Path]:
    """The folder of the table with the copied rows and of the one without, made once."""
    made = {COPIES: lineitem.parent / "keys", 0: lineitem.parent / "keys-clean"}
    for copied, folder in made.items():
        if (folder / "_SUCCESS").exists():
            continue
        shutil.rmtree(folder, ignore_errors=True)
        frame = spark.read.parquet(str(lineitem)).where("true" if copied else uncopied(lineitem, COPIES))
        frame.selectExpr(*(f"{text} AS {name}" for name, (_, text) in COLUMNS.items())).write.parquet(str(folder))
    return made


def contract_of(key: tuple[str, ...]) -> str:
    """A contract that promises the key, and nothing else that needs a scan."""
    fields = "\n".join(
        f'      - {{name: {name}, physicalType: "{type_}"'
        + (f", primaryKey: true, primaryKeyPosition: {key.index(name) + 1}}}" if name in key else "}")
        for name, (type_, _) in COLUMNS.items()
    )
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: urn:keys\nname: keys\nversion: 1.0.0\nstatus: active\n"
    return f"{head}schema:\n  - name: keys\n    properties:\n{fields}\n"


def with_floe(case: Case) -> int:
    """The rows beyond the first of their key, as `floe test` counts them."""
    from floe.actions.load.settings import load_settings
    from floe.actions.verify import verify_some
    from floe.contract.formats import read
    from floe.tables.locate import TableSelector

    contract, said = read(contract_of(KEYS[case.name]), "keys.yaml")
    assert contract is not None, said
    settings = load_settings(start=case.folder)
    result = verify_some(contract, contract.datasets[0], TableSelector(str(case.folder), None, {}), settings)
    (found,) = [one for one in result.expectations if one.id.endswith(":key-duplicated")]
    assert found.outcome == ("fail" if found.violations else "pass"), found
    return int(found.violations or 0)


def grouped(spark: Any, case: Case) -> int:
    """The same, by hand."""
    groups = spark.read.parquet(str(case.folder)).groupBy(*KEYS[case.name]).count().where("count > 1")
    return int(groups.selectExpr("coalesce(sum(count - 1), 0)").collect()[0][0])


def scanned(spark: Any, case: Case) -> None:
    """The floor: every value of the key's columns is read."""
    counts = [f"count({column})" for column in KEYS[case.name]]
    spark.read.parquet(str(case.folder)).selectExpr("count(*)", *counts).collect()


def hashed(spark: Any, case: Case) -> None:
    """A floor that looks at every value: a scan that counts leaves texts in their dictionary."""
    spark.read.parquet(str(case.folder)).selectExpr(f"bit_xor(xxhash64({', '.join(KEYS[case.name])}))").collect()


def compare(spark: Any, case: Case, rounds: int) -> tuple[list[str], bool]:
    """The cells of a key, and whether both ways find what was planted and floe keeps its bar."""
    calls = {
        "scan": lambda: scanned(spark, case),
        "hash": lambda: hashed(spark, case),
        "floe": lambda: with_floe(case),
        "groupBy": lambda: grouped(spark, case),
    }
    done = race(spark, calls, rounds)
    floor, (found, floe), (wanted, group) = done["scan"][1], done["floe"], done["groupBy"]
    ratio = floe.cpu / floor.cpu
    right = found == wanted == case.copied
    said = str(found) if right else f"WRONG: floe {found}, groupBy {wanted}, planted {case.copied}"
    cells = [case.name, str(case.copied), f"{floor.cpu:.2f}", f"{floe.cpu:.2f}", f"{ratio:.2f}"]
    cells += [f"{floe.cpu / done['hash'][1].cpu:.2f}"]
    cells += [f"{floe.wall / floor.wall:.2f}", f"{floe.queries:.0f}", f"{group.cpu / floor.cpu:.2f}"]
    return [*cells, said if ratio <= BAR else f"{said}, bar of {BAR:g} missed"], right and ratio <= BAR


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-bench-tpch")
    parser.add_argument("--only", nargs="*", default=list(KEYS), choices=list(KEYS), metavar="NAME")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    given = parser.parse_args()
    folder = generate(given.sf, given.data)
    rows = json.loads((folder / "rows.json").read_text())["lineitem"]
    spark = session()
    made = tables(spark, folder / "lineitem")
    print(f"keys of {rows:,} rows (TPC-H SF{given.sf:g}); {given.rounds} rounds; bar {BAR:g} x the CPU of a scan")
    cases = [Case(name, made[copied], copied) for name in given.only for copied in (0, COPIES)]
    lines = []
    for case in cases:
        lines.append(compare(spark, case, given.rounds))
        print(f"· {' | '.join(lines[-1][0])}", file=sys.stderr, flush=True)
    shown = table(HEAD, [cells for cells, _ in lines])
    print(shown)
    if given.write:
        command = f"python benchmarks/keys.py --sf {given.sf:g} --rounds {given.rounds}"
        said = f"{rows:,} rows, {date.today()}"
        fill(given.write, "keys", section(command, said, shown))
    spark.stop()
    return 0 if all(kept for _, kept in lines) else 1


if __name__ == "__main__":
    raise SystemExit(main())
