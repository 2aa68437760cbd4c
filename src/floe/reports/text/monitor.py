"""The results of the monitor as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from floe.model import Severity
from floe.reports.style import Style, clean, plural

_MARKS = {"pass": ("✓", "green"), "fail": ("✗", "red"), "not_evaluated": ("?", "yellow")}
_WORDS = {"pass": "ok", "fail": "failed", "not_evaluated": "not evaluated"}


def monitor_text(said: Mapping[str, Any], style: Style) -> str:
    """One line per dataset, its problems below it, and the totals."""
    lines = [line for value in said["results"] for line in _dataset(value, style)]
    summary = said["summary"]
    counts = ", ".join(f"{summary[word]:,} {_WORDS[word]}" for word in _WORDS if summary[word])
    none = "no contract found in this folder or in the registry"
    lines.append(f"{plural(summary['datasets'], 'dataset')} checked: {counts or none}")
    return "\n".join(lines)


def _dataset(row: Mapping[str, Any], style: Style) -> list[str]:
    mark = style.paint(*_MARKS[row["outcome"]])
    name = ":".join(filter(None, (row["contract"], row["version"])))
    lines = [f"{mark} {clean(name)} {clean(row['dataset'])}: {_WORDS[row['outcome']]}"]
    if row["error"]:
        lines.append(f"    {clean(row['error'])}")
    lines += [f"    {_check(check)}" for check in row["checks"] if check["status"] != "ok"]
    lines += [f"    {clean(note)}" for note in row["notes"]]
    lines += [f"    incident {value['incident']} {value['event']}: {value['code']}" for value in row["incidents"]]
    return lines


def _check(check: Mapping[str, Any]) -> str:
    said = check["message"] or f"{check['used']:.0%} used of {check['expected']} ({check['actual']})"
    cause = f": {check['cause']}" if check["cause"] else ""
    return clean(f"{check['code']} {check['status']} {check['kind']}: {said}{cause}")


def status_text(said: Mapping[str, Any], style: Style) -> str:
    """The last statuses by dataset, and the open incidents, worst first."""
    if not said["statuses"] and not said["incidents"]:
        return "No checks have run yet (`floe monitor check`)."
    lines = [_statuses(key, rows) for key, rows in _grouped(said["statuses"]).items()]
    lines.append(f"{plural(len(said['incidents']), 'open incident')}")
    for value in said["incidents"]:
        mark = style.mark(Severity.of(value["severity"]))
        since = value["opened_at"].replace("T", " ")[:16]
        place = f"{value['contract_id']}:{value['version']} {value['dataset']}"
        lines.append(f"{mark} {value['id']} since {since} FLOE-{value['code']} {value['severity']} {clean(place)}")
        lines.append(f"    {clean(value['message'])}")
    return "\n".join(lines)


def _grouped(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str, str], list[Mapping[str, Any]]]:
    found: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["contract_id"], row["version"], row["dataset"]), []).append(row)
    return found


def _statuses(key: tuple[str, str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    words = ", ".join(f"{row['sla']} {row['status']}{_budget(row)}" for row in rows)
    at = max(row["at"] for row in rows).replace("T", " ")[:16]
    return clean(f"{key[0]}:{key[1]} {key[2]} ({at}): {words}")


def _budget(row: Mapping[str, Any]) -> str:
    """The rest of the error budget."""
    if row["sla"] != "availability" or row.get("used") is None:
        return ""
    return f" (error budget: {max(0.0, 1 - row['used']):.0%} left)"
