"""Runs as a table for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from floe.reports.style import Style, clean

_HEAD = ("when (UTC)", "run", "table", "contract", "rows", "written", "verdict", "violations")


def runs_text(runs: Sequence[Mapping[str, Any]], style: Style, table: str | None = None) -> str:
    """One line per run, newest first."""
    if not runs:
        return f"No run{f' of {clean(table)}' if table else ''} is recorded yet; `floe enforce` and `floe test` record runs."
    rows = [_HEAD, *(_row(run) for run in runs)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(
        [style.paint(lines[0], "dim"), *(_painted(line, run, style) for line, run in zip(lines[1:], runs, strict=True))]
    )


def _row(run: Mapping[str, Any]) -> tuple[str, ...]:
    codes: dict[str, int] = {}
    for value in run["violations"]:
        if value["outcome"] == "fail":
            codes[value["code"]] = codes.get(value["code"], 0) + (value["violations"] or 0)
    unknown = sum(value["outcome"] == "not_evaluated" for value in run["violations"])
    broken = [f"{code.removeprefix('FLOE-')} ×{count}" for code, count in codes.items()]
    if unknown:
        broken.append(f"{unknown} not evaluated")
    count = "–" if run["row_count"] is None else f"{run['row_count']:,}"
    verdict = run["outcome"].replace("_", " ") if run["mode"] in ("test", "monitor") else "written"
    if run["refused"]:
        verdict = "refused"
    verdict += " (partial)" if run["result"].get("scope") else ""
    contract = f"{run['contract']}:{run['version']}"
    when = run["at"].replace("T", " ")[:19]
    return (
        when,
        run["run_id"][:8],
        clean(run["table_id"]),
        clean(contract),
        count,
        f"{run['written']:,}",
        verdict,
        ", ".join(broken) or "none",
    )


def _painted(line: str, run: Mapping[str, Any], style: Style) -> str:
    return style.paint(line, "red") if run["refused"] else line
