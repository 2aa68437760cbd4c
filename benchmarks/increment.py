"""What a re-check costs after one added file in a hundred, beside the first check: TPC-H lineitem in 100 files on Delta.

    python benchmarks/increment.py [--sf 1] [--rounds 7] [--data FOLDER]

The rules are those of benchmarks/tpch.py on lineitem: with its key and its reference to orders, and without. The files
added hold keys of their own (as a day's load does); a second table gets keys from all over (spread), shown without a
bar. CPU is that of Spark's tasks. Exits 1 where a verdict differs from that of a full check, or a bar is missed.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
from measure import Round, timed
from tpch import CONTRACT
from tpch_data import generate

FILES = 100
BARS = {"keys": 1 / 10, "no keys": 1 / 50, "keys, spread": None}


def contract_of(keys: bool, rows: int) -> str:
    text = CONTRACT.replace("LOW", str(rows // 2)).replace("HIGH", str(rows * 2))
    head, orders = text.split("  - name: orders")
    if not keys:
        head = head.replace("\n         relationships: [{to: orders.o_orderkey}]", "")
        for place in (1, 2):
            head = head.replace(f", primaryKey: true, primaryKeyPosition: {place}", "")
        return head.replace("required: true,}", "required: true}")
    del orders
    return head


def make(source: pa.Table, folder: Path, rounds: int, spread: bool) -> list[pa.Table]:
    """A Delta table of a hundred files, and what is added to it afterwards."""
    from deltalake import write_deltalake

    pieces = FILES + rounds
    each = -(-len(source) // pieces)
    if spread:
        parts = [source.take(pa.array(range(n, len(source), pieces))) for n in range(rounds)]
        numbers = [n for n in range(len(source)) if n % pieces >= rounds]
        rest = source.take(pa.array(numbers))
    else:
        starts = [(n + 1) * (pieces // (rounds + 1)) * each for n in range(rounds)]
        parts = [source.slice(start, each) for start in starts]
        cuts = [0, *(edge for start in starts for edge in (start, start + each)), len(source)]
        rest = pa.concat_tables(source.slice(a, b - a) for a, b in zip(cuts[::2], cuts[1::2], strict=True))
    shutil.rmtree(folder, ignore_errors=True)
    size = -(-len(rest) // FILES)
    for start in range(0, len(rest), size):
        write_deltalake(str(folder), rest.slice(start, size), mode="append")
    return parts


def check(root: Path, orders: str, full: bool) -> Any:
    from floe.actions.load.find import find_contract
    from floe.actions.load.settings import load_settings
    from floe.actions.verify import verify_some
    from floe.tables.locate import TableSelector

    settings = load_settings(start=root)
    contract, dataset = find_contract(root / "lineitem.yaml", settings)
    return verify_some(
        contract, dataset, TableSelector(str(root / "lineitem"), None, {"orders": orders}, full=full), settings
    )


def facts(result: Any) -> dict[str, Any]:
    return {one.id: (one.outcome, one.violations, one.actual) for one in result.expectations}


def middle(rounds: list[Round]) -> tuple[float, float]:
    return statistics.median(one.cpu for one in rounds), statistics.median(one.wall for one in rounds)


def compare(spark: Any, source: pa.Table, root: Path, orders: str, name: str, rounds: int) -> bool:
    from deltalake import write_deltalake

    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    (root / "lineitem.yaml").write_text(contract_of(name != "no keys", len(source)))
    added = make(source, root / "lineitem", rounds + 1, "spread" in name)
    check(root, orders, full=True)
    first = [timed(spark, lambda: check(root, orders, full=True))[1] for _ in range(rounds)]
    later, said = [], None
    for part in added:
        write_deltalake(str(root / "lineitem"), part, mode="append")
        said, taken = timed(spark, lambda: check(root, orders, full=False))
        later.append(taken)
    right = facts(said) == facts(check(root, orders, full=True))
    (cpu, wall), (again, wall_again) = middle(first), middle(later[1:])  # both warmed up once
    bar, ratio = BARS[name], again / cpu
    kept = bar is None or ratio <= bar
    print(
        f"{name:<14}{cpu:>8.2f}{again:>9.3f}{ratio:>8.3f}{wall:>8.2f}{wall_again:>8.2f}{wall_again / wall:>7.2f}  "
        f"read {said.read['files']} of {said.read['of']} files; {'same verdict' if right else 'OTHER VERDICT'}; "
        + ("no bar" if bar is None else f"bar {bar:g}: {'holds' if kept else 'MISSED'}")
    )
    return right and kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-bench-tpch")
    given = parser.parse_args()
    data = generate(given.sf, given.data)
    source = pq.read_table(data / "lineitem")
    root = Path(tempfile.mkdtemp(prefix="floe-increment-"))
    orders = root / "orders"
    from deltalake import write_deltalake

    from floe.actions.load.settings import load_settings
    from floe.engine.spark.session import own_session

    write_deltalake(str(orders), pq.read_table(data / "orders"))
    conf = {"spark.driver.memory": "4g", "spark.sql.files.maxPartitionBytes": "32m"}
    spark = own_session(load_settings({"spark.master": "local[2]", "spark.conf": conf}, start=root))
    print(f"TPC-H SF{given.sf:g}: {len(source):,} line items in {FILES} files, one more each of {given.rounds} rounds")
    print(f"{'':<14}{'CPU s':>8}{'again':>9}{'ratio':>8}{'wall s':>8}{'again':>8}{'ratio':>7}")
    fine = [
        compare(spark, source, root / name.replace(", ", "-").replace(" ", "-"), str(orders), name, given.rounds)
        for name in BARS
    ]
    spark.stop()
    shutil.rmtree(root)
    return 0 if all(fine) else 1


if __name__ == "__main__":
    raise SystemExit(main())
