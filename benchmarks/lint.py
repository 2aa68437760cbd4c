"""How fast `floe lint` is, as ratios and against bars; beside datacontract-cli with --peer.

    python benchmarks/lint.py [--peer] [--rounds 3]

Exits 1 where a bar is missed. The peer is installed once into a venv under /tmp.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PEER = "datacontract-cli==1.2.8"
PEER_VENV = Path(tempfile.gettempdir()) / "floe-bench-datacontract-cli"
FLOE = [sys.executable, "-m", "floe"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement and the bar it has to stay under."""

    name: str
    value: float
    unit: str
    bar: float | None = None
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.bar is None or self.value < self.bar

    def __str__(self) -> str:
        bar = "" if self.bar is None else f"{self.bar:>8g} {self.unit}"
        verdict = "" if self.bar is None else "holds" if self.holds else "MISSED"
        return f"{self.name:<48} {self.value:>9.2f} {self.unit:<3} {bar:<12} {verdict:<7} {self.note}".rstrip()


def contract(name: str, columns: int) -> str:
    """A sound contract with four lines per column."""
    head = [
        *("apiVersion: v3.1.0", "kind: DataContract", f"id: {name}", f"name: {name}", "version: 1.0.0"),
        *("status: active", "domain: bench", "dataProduct: lint", "description:", "  purpose: measured, not used"),
        *("servers:", "  - server: prod", "    type: databricks", "    host: h", "    catalog: c", "    schema: s"),
        *("slaProperties:", "  - property: freshness", "    value: 6", "    unit: h", f"    element: {name}.c0"),
        *("schema:", f"  - name: {name}", "    physicalType: table", "    properties:"),
    ]
    types = (("string", "string"), ("integer", "bigint"), ("number", "decimal(12,2)"), ("timestamp", "timestamp"))
    for n in range(columns):
        logical, physical = types[n % len(types)]
        head += [
            f"      - name: c{n}",
            f"        logicalType: {logical}",
            f"        physicalType: {physical}",
            f"        description: column number {n}",
        ]
    return "\n".join(head) + "\n"


def seconds(command: list[str], rounds: int, expected: tuple[int, ...] = (0,)) -> float:
    """The best of several runs of a command."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        best = min(best, time.perf_counter() - begin)
        if done.returncode not in expected:
            raise SystemExit(
                f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-800:]}{done.stderr[-800:]}"
            )
    return best


def megabytes(command: list[str]) -> float:
    """The peak memory of a command and its children, measured by a process of its own."""
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, check=True, text=True)
    return int(done.stdout) / 1024


def peer() -> str:
    """The peer's command, installed where it is not yet."""
    command = PEER_VENV / "bin" / "datacontract"
    if not command.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEER_VENV)], check=True)
        subprocess.run([str(PEER_VENV / "bin" / "pip"), "install", "-q", PEER], check=True)
    return str(command)


def rows(folder: Path, rounds: int, other: str | None) -> Iterator[Row]:
    """Every measurement, one after the other."""
    one, wide, many = folder / "one.yaml", folder / "wide.yaml", folder / "many"
    many.mkdir()
    one.write_text(contract("one", 44))
    wide.write_text(contract("wide", 10_000))
    for n in range(1_000):
        (many / f"orders_{n:04d}.yaml").write_text(contract(f"orders_{n}", 44))
    bare = seconds([sys.executable, "-c", "pass"], max(rounds, 5))
    single = seconds([*FLOE, "lint", str(one)], rounds)
    yield Row("python -c pass", bare * 1000, "ms")
    yield Row("floe --version", seconds([*FLOE, "--version"], rounds) / bare, "x", 8)
    yield Row(
        f"floe lint, {len(one.read_text().splitlines())} lines", single / bare, "x", 20, f"{single * 1000:.0f} ms"
    )
    yield Row("floe lint, 10,000 columns in one contract", seconds([*FLOE, "lint", str(wide)], rounds), "s", 2)
    yield Row("floe lint, 1,000 contracts of 200 lines", seconds([*FLOE, "lint", str(many)], rounds), "s", 5)
    yield Row("peak memory, 10,000 columns", megabytes([*FLOE, "lint", str(wide)]), "MB", 300)
    yield Row("peak memory, 1,000 contracts", megabytes([*FLOE, "lint", str(many)]), "MB", 300)
    if other:
        theirs = seconds([other, "lint", str(one)], rounds)
        yield Row(f"{PEER} lint, one contract", theirs, "s", note=f"floe is {theirs / single:.0f}x as fast")
        theirs = seconds([other, "lint", str(wide)], 1)
        yield Row(f"{PEER} lint, 10,000 columns", theirs, "s")


def main() -> int:
    """Print the table; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", action="store_true", help=f"also run {PEER}, installing it under /tmp if need be")
    parser.add_argument("--rounds", type=int, default=3, help="runs per measurement, of which the best counts")
    options = parser.parse_args()
    other = peer() if options.peer or (PEER_VENV / "bin" / "datacontract").exists() else None
    print(f"{'what':<48} {'measured':>13} {'bar':<12}")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="floe-bench-") as folder:
        for row in rows(Path(folder), options.rounds, other):
            print(row, flush=True)
            missed += not row.holds
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n{missed} bars missed" if missed else f"\nall bars hold (this script itself used {own:.0f} MB)")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
