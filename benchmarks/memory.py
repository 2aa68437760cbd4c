"""Whether the driver's memory grows with rows: floe test on TPC-H at two scales, each in a driver of its own.

    python benchmarks/memory.py [--sf 1 10] [--data FOLDER] [--gate]

With --gate the same of floe.enforce: an append with rules of rows and the key, in shadow, since bad rows are planted.

A cluster of one worker (local-cluster) keeps tasks out of the driver's JVM; its heap is sampled after a collection,
while floe runs and at the end, beside the peak of the Python process. Exits 1 where the driver grew by more than half.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from gates import batch_of, contract
from tpch import Tables, with_floe
from tpch_data import generate
from tpch_rules import COPIED, EXPECTED

from floe.actions.load.settings import load_settings
from floe.engine.spark.session import own_session

CONF = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "3g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.host": "127.0.0.1",
}


def judge(folder: Path, rows: int) -> bool:
    """Test the tables; whether floe finds what was planted."""
    found = with_floe(Tables(None, None, rows, folder))
    return all(found.get(rule) == count for rule, count in EXPECTED.items())


def write(spark: Any, settings: Any, folder: Path, rows: int) -> bool:
    """Write the line items through a gate; whether all arrived, and what was planted was found."""
    import floe

    batch, text = batch_of(spark, folder / "lineitem"), contract(rows=True, keys=True, quarantine=False)
    table = str(settings.root / "gated")
    result = floe.enforce(batch, text, table=table, layer="silver", shadow=True, settings=settings)
    again = [one.violations for one in result.result.failed if one.id.endswith(":key-duplicated")]
    return result.written == rows and again == [COPIED["lineitem"]]


def run(folder: Path, gate: bool) -> dict[str, float]:
    """One scale, in this process: the driver's heap after a collection, its highest sample, Python's peak."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    root = Path(tempfile.mkdtemp(dir=folder.parent))
    settings = load_settings({"spark.master": "local-cluster[1,2,3072]", "spark.conf": CONF}, start=root)
    spark = own_session(settings)
    java = spark.sparkContext._jvm.java.lang
    bean = java.management.ManagementFactory.getMemoryMXBean()
    rows = json.loads((folder / "rows.json").read_text())["lineitem"]
    samples: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(2):
            java.System.gc()
            samples.append(bean.getHeapMemoryUsage().getUsed() / 1e6)

    threading.Thread(target=watch, daemon=True).start()
    started = time.perf_counter()
    right = write(spark, settings, folder, rows) if gate else judge(folder, rows)
    seconds = time.perf_counter() - started
    over.set()
    java.System.gc()
    heap = bean.getHeapMemoryUsage().getUsed() / 1e6
    status = Path("/proc/self/status").read_text()  # rusage would count the process that started this one
    python = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1e3
    spark.stop()
    shutil.rmtree(root)
    return {
        "rows": rows,
        "heap": heap,
        "highest": max([*samples, heap]),
        "python": python,
        "seconds": seconds,
        "right": right,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, nargs="+", default=[1, 10])
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-bench-tpch")
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run(given.one, given.gate)))
        return 0
    folders = [generate(scale, given.data) for scale in given.sf]
    found = []
    for scale, folder in zip(given.sf, folders, strict=True):
        words = [sys.executable, __file__, "--one", str(folder), *(["--gate"] if given.gate else [])]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        one = json.loads(done.stdout.splitlines()[-1])
        found.append(one)
        print(
            f"SF{scale:g}  {one['rows']:>12,} rows  driver heap {one['heap']:6.0f} MB after, {one['highest']:6.0f} MB at most  "
            f"Python {one['python']:5.0f} MB  {one['seconds']:6.1f} s  {'all rules as planted' if one['right'] else 'WRONG'}",
            flush=True,
        )
    flat = found[-1]["highest"] <= 1.5 * found[0]["highest"] and found[-1]["python"] <= 1.5 * found[0]["python"]
    print("the driver's memory is flat" if flat else "the driver's memory GROWS")
    return 0 if flat and all(one["right"] for one in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
