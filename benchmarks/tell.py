"""What telling of a run adds to recording it, while the endpoint takes connections and never answers (fault 28).

    python -m benchmarks.tell [--rounds 5]

Runs with and without events take turns, on SQLite. Where the disk is shared its syncs alone vary by more than the bar,
so the bar stands for the median of some rounds. Exits 1 where it is missed.
"""

import argparse
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path

from tests.actions.record.test_emit import broken
from tests.helpers.endpoint import endpoint
from tests.helpers.proxy import proxied

from floe.actions.load.settings import load_settings
from floe.actions.record import record_and_emit, run_row_for_test
from floe.registry import Store, open_store
from floe.settings import Settings

BAR = 5.0  # milliseconds at p99
RUNS = 300


def one(settings: Settings, store: Store) -> float:
    """Milliseconds of keeping one run."""
    result = broken()
    entry = run_row_for_test(result, uuid.uuid4().hex, "silver.sales.orders", "me")
    started = time.perf_counter()
    record_and_emit(settings, store, entry, result)
    return (time.perf_counter() - started) * 1000


def measure(folder: Path, url: str, runs: int) -> tuple[list[float], list[float]]:
    """Milliseconds of runs that are only recorded, and of those that are told of too."""
    quiet = load_settings(start=folder)
    loud = load_settings({"lineage.transport": "http", "lineage.url": url}, start=folder)
    store = open_store(quiet.registry.url, folder)
    pairs = [(one(quiet, store), one(loud, store)) for _ in range(runs)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def p99(took: list[float]) -> float:
    return statistics.quantiles(took, n=100)[98]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    added = []
    for _ in range(parser.parse_args().rounds):
        with tempfile.TemporaryDirectory() as folder, endpoint() as server, proxied(server.port, "stall") as proxy:
            plain, told = measure(Path(folder), f"http://127.0.0.1:{proxy.port}", RUNS)
        added.append(p99(told) - p99(plain))
        print(f"recorded          median {statistics.median(plain):6.2f} ms   p99 {p99(plain):6.2f} ms")
        print(f"recorded and told median {statistics.median(told):6.2f} ms   p99 {p99(told):6.2f} ms")
    middle = statistics.median(added)
    print(f"added at p99      {middle:6.2f} ms   bar {BAR:g} ms   {'holds' if middle < BAR else 'MISSED'}")
    return 0 if middle < BAR else 1


if __name__ == "__main__":
    sys.exit(main())
