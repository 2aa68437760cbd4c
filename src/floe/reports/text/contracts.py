"""Registered contracts as text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from floe.reports.style import Style, clean, plural

Data = Mapping[str, Any]


def search_text(found: Data, style: Style) -> str:
    """One line per contract, and how to get the next page."""
    rows = found["contracts"]
    if not rows:
        return "No registered contract matches."
    lines = _table(("contract", "version", "owner", "fields"), [_found(row) for row in rows], style)
    if found["after"]:
        lines.append(style.paint(f"more: --after {clean(found['after'])}", "dim"))
    return "\n".join(lines)


def _found(row: Data) -> tuple[str, ...]:
    fields = ", ".join(value["path"] for value in row["fields"][:5])
    more = f" and {len(row['fields']) - 5} more" if len(row["fields"]) > 5 else ""
    return (row["contract_id"], row["newest"], row["owner"] or "–", fields + more)


def show_text(data: Data, style: Style) -> str:
    """One contract with its versions, fields and expectations."""
    tested = data["tested"]
    said = f"not tested: {tested['skipped']}" if "skipped" in tested else tested.get("outcome", "not tested")
    facts = [
        ("state", data["state"]),
        ("owner", data["owner"] or "nobody"),
        ("repository", data["repository"] or "none"),
        ("published", f"{data['published_at']} by {data['published_by']} ({data['bump']})"),
        ("in effect from", data["effective_from"]),
        ("tested", said),
        ("consumers", str(data["consumers"]["count"])),
        ("live majors", ", ".join(map(str, data["live_majors"])) or "none"),
        ("versions", _versions(data["versions"])),
        ("id", data["odcs_id"]),
        ("hash", data["effective_hash"]),
        *_lifecycle(data["lifecycle"]),
    ]
    lines = [style.paint(clean(f"{data['contract']}:{data['version']}"), "bold")]
    lines += [clean(data["description"])] if data["description"] else []
    lines += [f"  {name:<15} {clean(str(value))}" for name, value in facts]
    for dataset in data["schema"]:
        lines += ["", *_dataset(dataset, style)]
    if data["promises"]:
        lines += ["", *_table(("expectation", "of", "value"), [_promise(value) for value in data["promises"]], style)]
    lines += (
        ["", *(f"{style.paint('!', 'yellow')} {clean(text)}" for text in data["warnings"])] if data["warnings"] else []
    )
    return "\n".join(lines)


def _lifecycle(state: Data | None) -> Iterator[tuple[str, Any]]:
    for key in ("sunset_date", "retire_date", "replacement", "reason", "migration_guide"):
        if state and state[key]:
            yield key.replace("_", " "), state[key]


def _versions(rows: Sequence[Data]) -> str:
    named = [f"{row['version']}{' (retired)' if row['retired'] else ''}" for row in rows[-10:]]
    return f"{'… ' if len(rows) > 10 else ''}{', '.join(named)}"


def _dataset(dataset: Data, style: Style) -> list[str]:
    where = f" ({dataset['table_id']})" if dataset["table_id"] else ""
    rows = [
        (
            field["path"],
            field["type"],
            " ".join(word for word in (_key(field), "required" if field["required"] else "") if word),
            field["classification"] or "",
            (field["description"] or "").split("\n")[0][:60],
        )
        for field in dataset["fields"]
    ]
    return [clean(f"{dataset['dataset']}{where}"), *_table(("field", "type", "", "class", "what"), rows, style)]


def _key(field: Data) -> str:
    if field["key"]:
        return "key"
    return "unique" if field["unique"] else ""


def _promise(data: Data) -> tuple[str, ...]:
    value = data["value"]
    if isinstance(value, Mapping):
        value = ", ".join(f"{name} {given}" for name, given in value.items())
    words = [str(part) for part in (value, data["unit"]) if part is not None]
    return (str(data["promise"]), data["of"] or "", " ".join(words))


def history_text(data: Data, style: Style) -> str:
    """The history, oldest first: when, who, what, why."""
    rows = [(row["at"].replace("T", " ")[:19], row["by"], row["what"], row["why"]) for row in data["events"]]
    head = style.paint(clean(data["contract"]), "bold")
    return "\n".join([head, *_table(("when (UTC)", "who", "what", "why"), rows, style)])


def list_text(data: Data, style: Style) -> str:
    """The contracts with their version in each place."""
    places = data["places"]
    rows = [
        (
            row["contract"],
            *(row["in"].get(place, {}).get("version", "–") for place in places),
            "; ".join(row["differs"]),
        )
        for row in data["contracts"]
    ]
    lines = _table(("contract", *places, "differs"), rows, style) if rows else ["There are no contracts."]
    lines += [
        f"{style.paint('!', 'yellow')} {place} not evaluated: {clean(why)}"
        for place, why in data["not_evaluated"].items()
    ]
    differ = data["summary"]["differ"]
    lines.append(
        f"{plural(data['summary']['contracts'], 'contract')}, {differ or 'none'} {'differs' if differ == 1 else 'differ'}"
    )
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], style: Style) -> list[str]:
    cells = [tuple(head), *(tuple(clean(str(cell)).replace("\n", " ") for cell in row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return [style.paint(lines[0], "dim"), *lines[1:]]
