"""How fast `floe diff` is, against its bar.

    python benchmarks/diff.py [--rounds 3]

Exits 1 where the bar is missed.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lint import contract

COLUMNS = 10_000
BAR = 3.0


def versions(folder: Path) -> tuple[Path, Path]:
    """A wide contract twice: every tenth column is retyped, every hundredth renamed without a word, some are moved."""
    old, new = folder / "old.yaml", folder / "new.yaml"
    text = contract("wide", COLUMNS)
    old.write_text(text)
    lines = text.replace("version: 1.0.0", "version: 2.0.0").splitlines()
    first = next(index for index, line in enumerate(lines) if line.strip() == "- name: c0")
    for column in range(0, COLUMNS, 10):
        lines[first + column * 4 + 2] = "        physicalType: binary"
    for column in range(5, COLUMNS, 100):
        lines[first + column * 4] = f"      - name: column_{column}"
    tail = lines[first + 4 * 100 :] + lines[first : first + 4 * 100]
    new.write_text("\n".join([*lines[:first], *tail]) + "\n")
    return old, new


def seconds(command: list[str], rounds: int) -> float:
    """The best of several runs of a command."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        best = min(best, time.perf_counter() - begin)
        if done.returncode not in (0, 1) or "columns-reordered" not in done.stdout:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-800:]}")
    return best


def main() -> int:
    """Print the figure and its bar; 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="runs, of which the best counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="floe-bench-") as folder:
        old, new = versions(Path(folder))
        taken = seconds([sys.executable, "-m", "floe", "diff", str(old), str(new)], options.rounds)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = (used.ru_utime + used.ru_stime) / options.rounds
    verdict = "holds" if taken < BAR else "MISSED"
    print(
        f"floe diff, {COLUMNS:,} columns, reading included: {taken:.2f} s, bar {BAR:g} s, {verdict}"
        f" ({processor:.2f} s of processor time)"
    )
    return 0 if taken < BAR else 1


if __name__ == "__main__":
    sys.exit(main())
