"""floe: what `floe test` does with the two tables."""

from typing import Any

from peer import Answer, Answers, Bench, main
from tpch import Tables, with_floe


def prepare(bench: Bench) -> Tables:
    return Tables(bench.tables["lineitem"], bench.tables["orders"], bench.rows, bench.folder)


def verify(tables: Any) -> Answers:
    return {name: Answer.counted(count) for name, count in with_floe(tables).items()}


if __name__ == "__main__":
    raise SystemExit(main(verify, prepare))
