"""One peer in one process: warmed up, then rounds of bare scan and peer, judged against what was planted.

A peer's script has `verify(state)`, which gives an answer per rule by the rule's name, and calls `main`.
"""

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))
from measure import PeakMemory, Round, median, session, timed
from tpch_rules import COLUMNS, EXPECTED, Rule, rules


@dataclass(frozen=True)
class Bench:
    """What a peer is given."""

    spark: Any
    tables: dict[str, Any]
    rules: list[Rule]
    rows: int
    folder: Path

    def of(self, table: str) -> list[Rule]:
        """The rules of a table."""
        return [rule for rule in self.rules if rule.table == table]


@dataclass(frozen=True)
class Answer:
    """What a peer says of a rule; no count where it says yes or no."""

    kept: bool
    count: int | None = None

    @classmethod
    def counted(cls, count: int) -> "Answer":
        """The answer that a count gives."""
        return cls(count == 0, count)


Answers = Mapping[str, Answer]


def bare(lineitem: Any) -> None:
    """One aggregation that touches every column the rules touch: the floor."""
    lineitem.selectExpr("count(*)", *(f"count({column})" for column in COLUMNS)).collect()


def main(verify: Callable[[Any], Answers], prepare: Callable[[Bench], Any] = lambda bench: bench) -> int:
    """Measure, judge and write what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    given, _ = parser.parse_known_args()
    try:
        said = _measured(verify, prepare, given.data, given.rounds)
    except Exception as error:  # noqa: BLE001  a peer that breaks is a row that says so
        traceback.print_exc()
        said = {"broke": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"}
    given.out.write_text(json.dumps({"date": date.today().isoformat(), **said}, indent=1))
    return int("broke" in said)


def _measured(
    verify: Callable[[Any], Answers], prepare: Callable[[Bench], Any], folder: Path, rounds: int
) -> dict[str, Any]:
    spark = session("floe peers")
    rows = json.loads((folder / "rows.json").read_text())["lineitem"]
    tables = {name: spark.read.parquet(str(folder / name)) for name in ("lineitem", "orders")}
    for name, frame in tables.items():
        frame.createOrReplaceTempView(name)
    bench = Bench(spark, tables, rules(rows), rows, folder)
    floors: list[Round] = []
    taken: list[Round] = []
    with PeakMemory() as memory:
        state = prepare(bench)
        bare(tables["lineitem"])
        answers = verify(state)
        for _ in range(rounds):
            floors.append(timed(spark, lambda: bare(tables["lineitem"]))[1])
            answers, done = timed(spark, lambda: verify(state))
            taken.append(done)
    version = spark.version
    spark.stop()
    return {
        "spark": version,
        "rows": rows,
        "rounds": rounds,
        "bare": asdict(median(floors)),
        "peer": asdict(median(taken)),
        "memory": memory.peak,
        **judged(bench.rules, answers),
    }


def judged(asked: list[Rule], answers: Answers) -> dict[str, Any]:
    """What the answers are worth: wrong ones, rules the peer cannot say, and how many come with a count."""
    said = {rule.name: answers[rule.name] for rule in asked if rule.name in answers}
    wrong = [f"{rule.name}: {_told(said[rule.name])}" for rule in asked if rule.name in said and not _right(rule, said)]
    missing = [rule.name for rule in asked if rule.name not in said]
    counted = sum(answer.count is not None for answer in said.values())
    return {"rules": len(asked), "wrong": wrong, "missing": missing, "counted": counted}


def _right(rule: Rule, said: Answers) -> bool:
    answer = said[rule.name]
    kept = EXPECTED[rule.name] == 0
    return answer.kept == kept and (answer.count is None or answer.count in rule.right)


def _told(answer: Answer) -> str:
    return ("kept" if answer.kept else "broken") if answer.count is None else str(answer.count)
