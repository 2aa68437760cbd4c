"""How many contracts a second `floe compile` takes: a repository of products, each with a document and a parent.

python benchmarks/compile.py [contracts]
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from floe.actions.compile import compile as compile_products

COLUMNS = "".join(
    f"      - {{name: c{i}, logicalType: string, required: true, description: column {i}}}\n" for i in range(15)
)
HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: {id}\nname: {id}\nversion: 1.0.0\nstatus: active\n"


def lay_out(root: Path, count: int, per_product: int = 100) -> None:
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


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lay_out(root, count)
        for title in ("first", "again", "one changed"):
            if title == "one changed":
                path = root / "p0/contracts/c0.yaml"
                path.write_text(path.read_text().replace("value: 6", "value: 5"))
            start = time.perf_counter()
            result = compile_products(root)
            seconds = time.perf_counter() - start
            assert len(result.contracts) == count
            print(f"{title:12} {count:6,} contracts  {seconds:6.2f} s  {count / seconds:8,.0f} a second")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"memory of the first process: {memory:,.0f} MB")


if __name__ == "__main__":
    main()
