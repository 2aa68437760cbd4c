"""What the doctor found, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from floe.model.json_text import dumps
from floe.tell.report.style import Style, clean


def doctor_text(
    root: str, checks: Sequence[Mapping[str, Any]], settings: Sequence[Mapping[str, Any]], style: Style
) -> str:
    """What is there and what is missing, then every setting with its origin."""
    lines = [_check(check, style) for check in checks]
    missing = sum(not check["ok"] for check in checks)
    lines.append(style.paint(f"\n{missing} missing" if missing else "\nAll is there", "red" if missing else "green"))
    lines += [f"\nSettings of {root}", *(_setting(one, style) for one in settings)]
    return "\n".join(lines)


def _check(check: Mapping[str, Any], style: Style) -> str:
    sign = style.paint("✓", "green") if check["ok"] else style.paint("✗", "red")
    remedy = f"\n    Suggestion: {check['remedy']}" if check["remedy"] else ""
    return f"{sign} {check['name']:<14} {clean(check['said'])}{remedy}"


def _setting(one: Mapping[str, Any], style: Style) -> str:
    value = one["value"] if isinstance(one["value"], str) else dumps(one["value"])
    later = "" if one["acts"] else "  (nothing acts on it yet)"
    return f"  {one['key']:<55} {clean(value):<40} {style.paint(one['origin'] + later, 'dim')}"


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
    else:
        lines.append(f"{'reachable':<10} {style.paint('no', 'yellow')}: {clean(str(found['why']))}")
    return "\n".join(lines)


def _fact(value: Any) -> str:
    return "–" if value is None else clean(str(value))
