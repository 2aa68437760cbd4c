"""How many contracts a second `floe compile` takes: a repository of products, each with documents and a parent.

python benchmarks/compile.py [contracts …]      (default: 1000 and 10000)
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = "".join(
    f"      - {{name: c{i}, logicalType: string, required: true, description: column {i}}}\n" for i in range(15)
)
HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: {id}\nname: {id}\nversion: 1.0.0\nstatus: active\n"
SIZES = (1_000, 10_000)
RUNS = ("everything", "nothing changed", "one changed", "parent changed")


def lay_out(root: Path, count: int, per_product: int = 10) -> None:
    (root / "manifest.yaml").write_text("policies: [{name: owner, require: owner}]\n")
    (root / "base.yaml").write_text(HEAD.format(id="base") + "slaProperties: [{property: availability, value: 99%}]\n")
    for number in range(0, count, per_product):
        folder = root / f"p{number}"
        (folder / "contracts").mkdir(parents=True)
        (folder / "floe.yaml").write_text(
            f"metadata: {{name: p{number}, domain: sales, version: 1.0.0, owner: a@b.c, repository: r}}\n"
        )
        for i in range(number, min(number + per_product, count)):
            (folder / "contracts" / f"c{i}.yaml").write_text(
                HEAD.format(id=f"c{i}")
                + "team: {members: [{username: a, role: owner}]}\n"
                + "customProperties: [{property: extends, value: base}]\n"
                + f"slaProperties: [{{property: freshness, value: 6, unit: h}}]\nschema:\n  - name: t{i}\n    properties:\n{COLUMNS}"
            )


def change(root: Path, title: str) -> None:
    if title == "one changed":
        path = root / "p0/contracts/c0.yaml"
        path.write_text(path.read_text().replace("value: 6", "value: 5"))
    elif title == "parent changed":
        path = root / "base.yaml"
        path.write_text(path.read_text().replace("99%", "98%"))


def measure(root: str, count: str, title: str) -> None:
    """One run in a process of its own, as the command is."""
    from floe.actions.compile import compile as compile_products

    change(Path(root), title)
    start, used = time.perf_counter(), time.process_time()
    result = compile_products(root)
    assert len(result.contracts) == int(count)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    used += theirs.ru_utime + theirs.ru_stime
    print(
        f"{int(count):7,} contracts  {title:16} {seconds:7.2f} s  {int(count) / seconds:9,.0f} a second  "
        f"{used:7.2f} s of CPU  peak {mine.ru_maxrss / 1024:4.0f} MB, largest worker {theirs.ru_maxrss / 1024:4.0f} MB"
    )


def main() -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for count in [int(word) for word in sys.argv[1:]] or SIZES:
        with tempfile.TemporaryDirectory() as folder:
            lay_out(Path(folder), count)
            for title in RUNS:
                words = [sys.executable, __file__, "--measure", folder, str(count), title]
                subprocess.run(words, check=True)


if __name__ == "__main__":
    measure(*sys.argv[2:]) if sys.argv[1:2] == ["--measure"] else main()
