"""How the cost of floe grows: with rows, rules, files, and with the share of bad rows.

    python benchmarks/growth.py [--only rows rules files bad] [--sf 1] [--rounds 2] [--write docs/performance.md]

Each line is one race in a session of two cores: bare scan and floe, warmed up once, medians; ratios are to the bare
scan of the same table. Everything found is checked against what was planted. --rows, --rules, --files and --bad say how
far to go; files and rules are measured on --small. Exits 1 where floe finds something else.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
from measure import Round, race, session
from page import fill, section, table
from tpch import Tables, bare, ideal, with_floe
from tpch_data import generate, uncopied
from tpch_rules import COPIED, EXPECTED, PLANTED, ROW_RULES

ASKED = 100  # more rules than this are not put into one aggregation by hand
FLOE_COLUMNS = ("bare CPU s", "floe CPU s", "x bare", "floe wall s", "x bare", "queries", "finds")
# of the rules that are many: column, how one of them is written, how many rows of the data break it
MANY = (
    ("l_quantity", "{{id: r{n}, type: custom, engine: floe, implementation: {{range: {{maximum: 50.{n:04d}}}}}}}", 17),
    ("l_discount", "{{id: r{n}, type: custom, engine: floe, implementation: {{range: {{maximum: 0.1{n:04d}}}}}}}", 9),
    ("l_tax", "{{id: r{n}, type: custom, engine: floe, implementation: {{range: {{minimum: -0.00{n:04d}}}}}}}", 4),
    ("l_returnflag", "{{id: r{n}, metric: invalidValues, arguments: {{validValues: [R, A, N, x{n}]}}, mustBe: 0}}", 21),
    ("l_linestatus", "{{id: r{n}, metric: invalidValues, arguments: {{validValues: [O, F, x{n}]}}, mustBe: 0}}", 8),
)
BY_HAND = (
    *("l_quantity > 50.{n:04d}", "l_discount > 0.1{n:04d}", "l_tax < -0.00{n:04d}"),
    *("l_returnflag NOT IN ('R', 'A', 'N', 'x{n}')", "l_linestatus NOT IN ('O', 'F', 'x{n}')"),
)


class Line(NamedTuple):
    """A line of a table: its first cells, what was taken, and whether what was found is right."""

    cells: tuple[str, ...]
    right: bool


def tables_of(spark: Any, folder: Path) -> Tables:
    lineitem, orders = (spark.read.parquet(str(folder / name)) for name in ("lineitem", "orders"))
    return Tables(lineitem, orders, json.loads((folder / "rows.json").read_text())["lineitem"], folder)


def line(first: tuple[str, ...], floor: Round, floe: Round, right: bool, *more: str) -> Line:
    numbers = (f"{floor.cpu:.2f}", f"{floe.cpu:.2f}", f"{floe.cpu / floor.cpu:.2f}", f"{floe.wall:.1f}")
    last = (f"{floe.wall / floor.wall:.2f}", f"{floe.queries:.0f}", *more, "as planted" if right else "WRONG")
    return Line((*first, *numbers, *last), right)


def rows(spark: Any, given: argparse.Namespace) -> Iterator[Line]:
    """The same contract on more rows."""
    for scale in given.rows:
        tables = tables_of(spark, generate(scale, given.data))
        calls = {"bare": lambda tables=tables: bare(tables), "floe": lambda tables=tables: with_floe(tables)}
        done = race(spark, calls, given.rounds)
        found, floe = done["floe"]
        yield line((f"{tables.rows:,}",), done["bare"][1], floe, found == EXPECTED)


def rules(spark: Any, given: argparse.Namespace) -> Iterator[Line]:
    """More rules of five columns, none provable, beside one aggregation by hand."""
    tables = tables_of(spark, generate(given.small, given.data))
    for count in given.rules:
        calls: dict[str, Callable[[], Any]] = {
            "bare": lambda: tables.lineitem.selectExpr(*(f"count({name})" for name, _, _ in MANY)).collect(),
            "floe": lambda count=count: many(tables, count),
        }
        if count <= ASKED:
            calls["hand"] = lambda count=count: by_hand(tables, count)
        done = race(spark, calls, given.rounds)
        floor, (found, floe) = done["bare"][1], done["floe"]
        hand = f"{done['hand'][1].cpu / floor.cpu:.2f}" if "hand" in done else "-"
        right = found == sorted(MANY[n % len(MANY)][2] for n in range(count))
        yield line((str(count),), floor, floe, right, hand)


def many(tables: Tables, count: int) -> list[int]:
    """What so many rules find, as `floe test` asks them."""
    from floe.actions.find_table import Way
    from floe.actions.settings import load_settings
    from floe.actions.verify import verify_some
    from floe.contract.formats import read

    contract, said = read(many_rules(count), "many.yaml")
    assert contract is not None, said
    way = Way(str(tables.folder / "lineitem"), None, {})
    result = verify_some(contract, contract.datasets[0], way, load_settings(start=tables.folder))
    return sorted(int(one.violations or 0) for one in result.expectations if ":quality." in one.id)


def many_rules(count: int) -> str:
    fields = []
    for at, (name, written, _) in enumerate(MANY):
        mine = ", ".join(written.format(n=n) for n in range(at, count, len(MANY)))
        type_ = "string" if "Values" in written else "decimal(15,2)"
        fields.append(f'      - {{name: {name}, physicalType: "{type_}", quality: [{mine}]}}')
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: urn:many\nname: many\nversion: 1.0.0\nstatus: active\n"
    return f"{head}schema:\n  - name: lineitem\n    properties:\n" + "\n".join(fields) + "\n"


def by_hand(tables: Tables, count: int) -> None:
    wanted = (f"count_if({BY_HAND[n % len(BY_HAND)].format(n=n)})" for n in range(count))
    tables.lineitem.selectExpr(*wanted).collect()


def files(spark: Any, given: argparse.Namespace) -> Iterator[Line]:
    """The same rows in more files."""
    for count in given.files:
        tables = tables_of(spark, split(generate(given.small, given.data), count))
        calls = {"bare": lambda tables=tables: bare(tables), "floe": lambda tables=tables: with_floe(tables)}
        done = race(spark, calls, given.rounds if count < 10_000 else 1)
        found, floe = done["floe"]
        yield line((f"{count:,}",), done["bare"][1], floe, found == EXPECTED)


def split(source: Path, count: int) -> Path:
    """The folder of a scale factor with its line items in so many files, made once."""
    out = source.with_name(f"{source.name}-files{count}")
    if (out / "rows.json").exists():
        return out
    shutil.rmtree(out, ignore_errors=True)
    (out / "lineitem").mkdir(parents=True)
    whole = pq.read_table(source / "lineitem")
    edges = [len(whole) * n // count for n in range(count + 1)]
    for n, (begin, end) in enumerate(pairwise(edges)):
        pq.write_table(whole.slice(begin, end - begin), out / "lineitem" / f"part-{n:05d}.parquet")
    shutil.copytree(source / "orders", out / "orders")
    shutil.copy(source / "rows.json", out)
    return out


def bad(spark: Any, given: argparse.Namespace) -> Iterator[Line]:
    """More bad rows, of three kinds, beside the plan by hand."""
    source = generate(given.sf, given.data)
    for share in given.bad:
        tables = tables_of(spark, spoiled(spark, source, share))
        counted = tables.lineitem.selectExpr(*(f"count_if({one})" for one in ROW_RULES.values())).collect()[0]
        planted = dict.fromkeys(EXPECTED, 0) | dict(zip(ROW_RULES, counted, strict=True))
        calls = {
            "bare": lambda tables=tables: bare(tables),
            "floe": lambda tables=tables: with_floe(tables),
            "hand": lambda tables=tables: ideal(tables),
        }
        done = race(spark, calls, given.rounds)
        floor, (found, floe) = done["bare"][1], done["floe"]
        hand = f"{done['hand'][1].cpu / floor.cpu:.2f}"
        yield line((f"{share:.1%}", f"{sum(counted):,}"), floor, floe, found == planted == done["hand"][0], hand)


def spoiled(spark: Any, source: Path, share: float) -> Path:
    """The folder of a scale factor with its line items clean but for a share of them, made once."""
    out = source.with_name(f"{source.name}-bad{share:g}")
    if (out / "rows.json").exists():
        return out
    shutil.rmtree(out, ignore_errors=True)
    clean = [f"NOT coalesce({one}, false)" for one in ROW_RULES.values()]
    clean += ["l_orderkey % 32 < 8", uncopied(source / "lineitem", COPIED["lineitem"])]  # TPC-H's keys leave gaps
    lines = spark.read.parquet(str(source / "lineitem")).where(" AND ".join(f"({one})" for one in clean))
    spoil = f"pmod(xxhash64(l_orderkey, l_linenumber), 100000) < {round(share * 100_000)}"
    kind = "pmod(l_orderkey, 3)"
    for n, rule in enumerate(("quantity range", "returnflag listed", "comment pattern")):
        column, value, _ = PLANTED[rule]
        text = f"CAST('{value}' AS {lines.schema[column].dataType.simpleString()})"
        lines = lines.selectExpr(
            *(
                f"if({spoil} AND {kind} = {n}, {text}, {name}) AS {name}" if name == column else name
                for name in lines.columns
            )
        )
    lines.write.parquet(str(out / "lineitem"))
    orders = spark.read.parquet(str(source / "orders")).where(uncopied(source / "orders", COPIED["orders"]))
    orders.write.parquet(str(out / "orders"))
    count = spark.read.parquet(str(out / "lineitem")).count()
    (out / "rows.json").write_text(json.dumps({"lineitem": count}))
    return out


class Growth(NamedTuple):
    """A table: what grows, its first and its further columns, and who makes the lines."""

    heads: tuple[str, ...]
    more: tuple[str, ...]
    lines: Callable[[Any, argparse.Namespace], Iterator[Line]]
    scale: str = ""  # the option that says how many rows the table has

    def where(self, given: argparse.Namespace) -> str:
        """The table it was measured on."""
        return f"TPC-H SF{getattr(given, self.scale):g}, " if self.scale else ""


GROWTHS = {
    "rows": Growth(("rows",), (), rows),
    "rules": Growth(("rules",), ("by hand x bare",), rules, "small"),
    "files": Growth(("files",), (), files, "small"),
    "bad": Growth(("share", "bad rows"), ("by hand x bare",), bad, "sf"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=list(GROWTHS), choices=list(GROWTHS))
    parser.add_argument("--sf", type=float, default=1.0)
    parser.add_argument("--small", type=float, default=0.1)
    parser.add_argument("--rows", type=float, nargs="+", default=[1, 3, 10])
    parser.add_argument("--rules", type=int, nargs="+", default=[10, 20, 60, 100, 300])
    parser.add_argument("--files", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--bad", type=float, nargs="+", default=[0, 0.001, 0.05])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-bench-tpch")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    given = parser.parse_args()
    spark, fine = session(), True
    for name in given.only:
        kind = GROWTHS[name]
        lines = list(kind.lines(spark, given))
        fine &= all(one.right for one in lines)
        said = table((*kind.heads, *FLOE_COLUMNS[:-1], *kind.more, FLOE_COLUMNS[-1]), [one.cells for one in lines])
        print(f"{said}\n", flush=True)
        if given.write:
            command = f"python benchmarks/growth.py --only {name}"
            fill(given.write, name, section(command, f"{kind.where(given)}{date.today()}", said))
    spark.stop()
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
