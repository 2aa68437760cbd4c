"""What the doctor found, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from floe.lang.json_text import dumps
from floe.reports.style import Style, clean


def doctor_text(
    root: str, checks: Sequence[Mapping[str, Any]], settings: Sequence[Mapping[str, Any]], style: Style
) -> str:
    """What is there and what is missing, then every setting with its origin."""
    lines = [_check(check, style) for check in checks]
    missing = sum(not check["ok"] for check in checks)
    lines.append(
        style.paint(f"\n{missing} missing" if missing else "\nAll checks passed", "red" if missing else "green")
    )
    lines += [f"\nSettings of {root}", *(_setting(setting, style) for setting in settings)]
    return "\n".join(lines)


def _check(check: Mapping[str, Any], style: Style) -> str:
    sign = style.paint("✓", "green") if check["ok"] else style.paint("✗", "red")
    remedy = f"\n    Suggestion: {check['remedy']}" if check["remedy"] else ""
    return f"{sign} {check['name']:<14} {clean(check['said'])}{remedy}"


def _setting(row: Mapping[str, Any], style: Style) -> str:
    value = row["value"] if isinstance(row["value"], str) else dumps(row["value"])
    return f"  {row['key']:<55} {clean(value):<40} {style.paint(row['origin'], 'dim')}"


def resolution_text(found: Mapping[str, Any], style: Style) -> str:
    """How a contract finds its table, one fact per line."""
    lines = [
        f"{key:<10} {_fact(found[key])}" for key in ("id", "source", "table_id", "layer", "server", "table", "format")
    ]
    if found["reachable"]:
        lines.append(
            f"{'reachable':<10} {style.paint('yes', 'green')}, snapshot {found['snapshot']}, {len(found['columns'])} columns"
        )
        lines += [f"{'':<10} {key} = {clean(str(value))}" for key, value in found["properties"].items()]
        lines += _field_ids(found.get("field_ids") or {}, str(found["id"]), style)
    else:
        lines.append(f"{'reachable':<10} {style.paint('no', 'yellow')}: {clean(str(found['why']))}")
    return "\n".join(lines)


def _field_ids(found: Mapping[str, Any], contract: str, style: Style) -> list[str]:
    """Files of an Iceberg table without field ids: a rename shows other columns of them than before."""
    if why := found.get("why"):
        return [f"{'field ids':<10} {style.paint('unknown', 'yellow')}: {clean(why)}"]
    if not found.get("lacking"):
        return []
    count = f"{found['lacking']:,} of {found['seen']:,} files"
    count += f" that were read, of {found['files']:,}," if found["files"] > found["seen"] else ""
    return [
        f"{'field ids':<10} {style.paint(f'{count} have none', 'yellow')}: readers find their columns by name, so a "
        "renamed or re-added column shows wrong values",
        f"    Suggestion: Run `floe migrate --repair {clean(contract)}`, which rewrites the files as readers see them now",
    ]


def _fact(value: Any) -> str:
    return "–" if value is None else clean(str(value))
