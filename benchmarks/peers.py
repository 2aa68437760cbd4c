"""What 21 rules cost on top of reading the table: floe, by hand, and the other tools, each in its own environment.

    python benchmarks/peers.py [--sf 1] [--rounds 3] [--only NAME ...] [--report] [--write docs/performance.md]

Data is TPC-H's lineitem and orders with planted violations; everyone must find just those. One process for each
(local[2], 4 GB): warmed up once, then rounds of bare scan and peer, medians; ratios are to the bare scan of the same
process. Environments are made once by venv and pip under ~/.cache/floe/peers; a peer that breaks is a row that says
so. --report prints what was measured last, --write puts table and chart on a page. Exits 1 where floe is wrong.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from chart import Bars, chart
from page import fill, section, table
from tpch_data import generate

SCRIPTS = Path(__file__).resolve().parent / "peers"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe" / "peers"
PYSPARK = f"pyspark=={version('pyspark')}"
HEAD = (
    *("who", "bare CPU s", "CPU s", "x bare", "wall s", "x bare", "queries", "jobs", "passes", "shuffle MB", "peak MB"),
    "answers",
)


class Peer(NamedTuple):
    """A row of the table: a script, its words, and what it needs; nothing where it runs with floe."""

    name: str
    script: str
    words: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


GX, SODA = ("great-expectations==1.24.1",), ("soda-core==4.28.0", "soda-sparkdf==4.28.0")
ARROW = ("pandas==3.1.1", "pyarrow==26.0.1")
PEERS = (
    Peer("floe", "with_floe.py"),
    Peer("by hand, footers", "with_ideal.py", ("--way", "footer")),
    Peer("by hand, bitmaps", "with_ideal.py", ("--way", "bitmap")),
    Peer("by hand, classic", "with_ideal.py", ("--way", "classic")),
    Peer("one query per rule", "with_naive.py"),
    Peer("cuallee", "with_cuallee.py", (), ("cuallee==0.15.4", *ARROW)),
    Peer("soda-core", "with_soda.py", (), SODA),
    Peer("pandera", "with_pandera.py", (), ("pandera[pyspark]==0.35.0", "pandas==2.3.3")),
    Peer(
        "datacontract-cli",
        "with_datacontract.py",
        (),
        ("datacontract-cli==1.2.8", "ibis-framework==12.0.0", *ARROW, "pyarrow-hotfix==0.7", "packaging==26.3"),
    ),
    Peer("sparkdq", "with_sparkdq.py", (), ("sparkdq==0.12.1",)),
    Peer("great-expectations, yes or no", "with_gx.py", ("--say", "BOOLEAN_ONLY"), GX),
    Peer("great-expectations", "with_gx.py", ("--say", "SUMMARY"), GX),
)


def python_of(peer: Peer) -> Path:
    """The interpreter of a peer's environment, made where it is not there as wanted."""
    if not peer.packages:
        return Path(sys.executable)
    folder, wanted = CACHE / peer.name.partition(",")[0], "\n".join((PYSPARK, *peer.packages))
    made, python = folder / "packages.txt", folder / "bin" / "python"
    if not made.exists() or made.read_text() != wanted:
        print(f"· an environment for {peer.packages[0]} (once)", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, PYSPARK, *peer.packages], check=True)
        made.write_text(wanted)
    return python


def measure(peer: Peer, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """What came of a peer in a process of its own; its words are in a file beside the result."""
    out = result_of(peer, given.sf)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.unlink(missing_ok=True)
    log = out.with_suffix(".log")
    said = ""
    try:
        script = str(SCRIPTS / peer.script)
        words = [*peer.words, "--data", str(folder), "--rounds", str(given.rounds), "--out", str(out)]
        with log.open("w") as file:
            subprocess.run(
                [str(python_of(peer)), "-W", "ignore", script, *words],
                env={**os.environ, "GX_ANALYTICS_ENABLED": "false"},
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=given.timeout,
                check=False,
            )
    except subprocess.TimeoutExpired:
        said = f"stopped after {given.timeout} s"
    except subprocess.CalledProcessError:
        said = "its environment could not be made"
    if not out.exists():
        out.write_text(json.dumps({"broke": said or f"ended without a result, see {log}"}))
    return dict(json.loads(out.read_text()))


def result_of(peer: Peer, scale: float) -> Path:
    """Where the result of a peer is kept."""
    return CACHE / "results" / f"sf{scale:g}" / f"{peer.name.replace(',', '').replace(' ', '-')}.json"


def row(peer: Peer, found: dict[str, Any]) -> list[str]:
    """A line of the table."""
    if "peer" not in found:
        said = f"broke: {found['broke'][:100]}" if "broke" in found else "not measured"
        return [shown(peer), *["-"] * (len(HEAD) - 2), said]
    mine, floor = found["peer"], found["bare"]
    return [
        shown(peer),
        f"{floor['cpu']:.1f}",
        f"{mine['cpu']:.1f}",
        f"{mine['cpu'] / floor['cpu']:.2f}",
        f"{mine['wall']:.1f}",
        f"{mine['wall'] / floor['wall']:.2f}",
        f"{mine['queries']:.0f}",
        f"{mine['jobs']:.0f}",
        f"{mine['scanned'] / found['rows']:.1f}",
        f"{mine['shuffled']:.0f}",
        f"{found['memory']:.0f}",
        answers(found),
    ]


def shown(peer: Peer) -> str:
    """The name of a row, with the version of what was installed."""
    name, _, rest = peer.name.partition(",")
    number = f" {peer.packages[0].partition('==')[2]}" if peer.packages else ""
    return f"{name}{number}{',' * bool(rest)}{rest}"


def answers(found: dict[str, Any]) -> str:
    """What the answers are worth, in words."""
    said = [f"{len(found['wrong'])} WRONG: {'; '.join(found['wrong'])}"] if found["wrong"] else []
    said += [f"cannot say {', '.join(found['missing'])}"] if found["missing"] else []
    right = found["rules"] - len(found["wrong"]) - len(found["missing"])
    bare = found["rules"] - len(found["missing"]) - found["counted"]
    said += [f"{bare} without a count"] if bare else []
    said += [f"Spark {found['spark']}"] if found["spark"] != version("pyspark") else []
    return ", ".join([f"{right} of {found['rules']} right", *said])


def floor_row(results: Sequence[dict[str, Any]]) -> list[str]:
    """The bare scan: the median of what the processes had."""
    floors = [one["bare"] for one in results if "bare" in one]
    middle = {name: statistics.median(floor[name] for floor in floors) for name in floors[0]}
    rows = next(one["rows"] for one in results if "rows" in one)
    numbers = [f"{middle['cpu']:.1f}", f"{middle['cpu']:.1f}", "1.00", f"{middle['wall']:.1f}", "1.00"]
    more = [f"{middle['queries']:.0f}", f"{middle['jobs']:.0f}", f"{middle['scanned'] / rows:.1f}"]
    return ["bare scan", *numbers, *more, f"{middle['shuffled']:.0f}", "-", "-"]


def report(found: dict[Peer, dict[str, Any]]) -> str:
    """The table, cheapest first."""
    measured = sorted(found.items(), key=lambda one: _ratio(one[1]))
    rows = [row(peer, result) for peer, result in measured]
    whole = any("bare" in result for result in found.values())
    return table(HEAD, [floor_row(list(found.values())), *rows] if whole else rows)


def _ratio(found: dict[str, Any], what: str = "cpu") -> float:
    return float(found["peer"][what] / found["bare"][what]) if "peer" in found else float("inf")


def picture(found: dict[Peer, dict[str, Any]], scale: float) -> str:
    """The chart of those that did not break."""
    whole = sorted((item for item in found.items() if "peer" in item[1]), key=lambda one: _ratio(one[1]))
    bars = [Bars(peer.name, _ratio(one), _ratio(one, "wall"), peer.name == "floe") for peer, one in whole]
    return chart(f"21 rules on TPC-H SF{scale:g}, times a bare scan", ("task CPU", "wall time"), bars)


def write(page: Path, found: dict[Peer, dict[str, Any]], scale: float) -> None:
    """Table and chart on a page."""
    days = sorted({one["date"] for one in found.values() if "date" in one})
    rows, rounds = next((one["rows"], one["rounds"]) for one in found.values() if "rounds" in one)
    command = f"python benchmarks/peers.py --sf {scale:g} --rounds {rounds}"
    said = f"{rows:,} line items, {' to '.join(days[:1] + days[1:][-1:])}"
    fill(page, "peers", section(command, said, report(found)))
    page.with_suffix(".svg").write_text(picture(found, scale))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [peer.name for peer in PEERS]
    parser.add_argument("--sf", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=names, choices=names, metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "floe-bench-tpch")
    parser.add_argument("--timeout", type=int, default=3600, help="seconds that a peer may take")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    given = parser.parse_args()
    asked = [peer for peer in PEERS if peer.name in given.only]
    if given.report:
        kept = [(peer, result_of(peer, given.sf)) for peer in asked]
        found = {peer: json.loads(path.read_text()) if path.exists() else {} for peer, path in kept}
    else:
        folder, found = generate(given.sf, given.data), {}
        for peer in asked:
            print(f"· {shown(peer)}", file=sys.stderr, flush=True)
            found[peer] = measure(peer, folder, given)
    print(report(found))
    if given.write:
        write(given.write, found, given.sf)
    return int(any(peer.name == "floe" and one.get("wrong", ["broke"]) for peer, one in found.items()))


if __name__ == "__main__":
    raise SystemExit(main())
