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
from decimal import Decimal
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
RANGE = "type: custom, engine: floe, implementation: {{range: {{minimum: {low}, maximum: {high}}}}}"
LIST = "metric: invalidValues, arguments: {{validValues: [{values}]}}, mustBe: 0"
TOLD = ("COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN")


class Many(NamedTuple):
    """Rules of one column that differ a little, and the rows of the data that break each."""

    column: str
    bad: int
    values: tuple[str, ...] = ()
    low: str = "0"
    high: str = "0"

    def rule(self, n: int) -> str:
        """The nth one, as a contract says it."""
        words = (
            LIST.format(values=", ".join((*self.values, f"x{n}"))) if self.values else RANGE.format(**self._edges(n))
        )
        return f"{{id: r{n}, {words}}}"

    def sql(self, n: int) -> str:
        """The same by hand."""
        if self.values:
            return f"{self.column} NOT IN ({', '.join(repr(value) for value in (*self.values, f'x{n}'))})"
        return "{0} < {low} OR {0} > {high}".format(self.column, **self._edges(n))

    def _edges(self, n: int) -> dict[str, Decimal]:
        """Bounds that all good values keep and no bad one."""
        turn, step = divmod(n // len(MANY), 39)
        return {"low": Decimal(self.low) - turn, "high": Decimal(self.high) + Decimal(step) / 100}


MANY = (
    Many("l_quantity", 17, low="1", high="50.00"),
    Many("l_discount", 9, low="0", high="0.10"),
    Many("l_returnflag", 21, ("R", "A", "N")),
    Many("l_linestatus", 8, ("O", "F")),
    Many("l_shipinstruct", 6, TOLD),
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
            "bare": lambda: tables.lineitem.selectExpr(*(f"count({kind.column})" for kind in MANY)).collect(),
            "floe": lambda count=count: many(tables, count),
        }
        if count <= ASKED:
            calls["hand"] = lambda count=count: by_hand(tables, count)
        done = race(spark, calls, given.rounds)
        floor, (found, floe) = done["bare"][1], done["floe"]
        hand = f"{done['hand'][1].cpu / floor.cpu:.2f}" if "hand" in done else "-"
        right = found == sorted(MANY[n % len(MANY)].bad for n in range(count))
        yield line((str(count),), floor, floe, right, hand)


def many(tables: Tables, count: int) -> list[int]:
    """What so many rules find, as `floe test` asks them."""
    from floe.actions.load.settings import load_settings
    from floe.actions.verify import verify_some
    from floe.contract.formats import read
    from floe.tables.locate import TableSelector

    contract, said = read(many_rules(count), "many.yaml")
    assert contract is not None, said
    way = TableSelector(str(tables.folder / "lineitem"), None, {})
    result = verify_some(contract, contract.datasets[0], way, load_settings(start=tables.folder))
    return sorted(int(one.violations) for one in result.expectations if one.violations and one.how == "scan")


def many_rules(count: int) -> str:
    fields = []
    for at, kind in enumerate(MANY):
        rules = ", ".join(kind.rule(n) for n in range(at, count, len(MANY)))
        type_ = "string" if kind.values else "decimal(15,2)"
        fields.append(f'      - {{name: {kind.column}, physicalType: "{type_}", quality: [{rules}]}}')
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: urn:many\nname: many\nversion: 1.0.0\nstatus: active\n"
    return f"{head}schema:\n  - name: lineitem\n    properties:\n" + "\n".join(fields) + "\n"


def by_hand(tables: Tables, count: int) -> None:
    wanted = (f"count_if({MANY[n % len(MANY)].sql(n)})" for n in range(count))
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

    def command(self, name: str, given: argparse.Namespace) -> str:
        """What makes the table again."""
        far = " ".join(f"{value:g}" for value in getattr(given, name))
        scale = f" --{self.scale} {getattr(given, self.scale):g}" if self.scale else ""
        return f"python benchmarks/growth.py --only {name} --{name} {far}{scale} --rounds {given.rounds}"


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
            fill(given.write, name, section(kind.command(name, given), str(date.today()), said))
    spark.stop()
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
