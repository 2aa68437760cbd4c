"""Contracts as people see them in a terminal or a notebook."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from floe.system.html import render

if TYPE_CHECKING:
    from floe.model.contract import Contract, Field
    from floe.model.result import Outcome, Result, WriteResult

_BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength", "pattern")


def as_text(contract: "Contract") -> str:
    """The contract's name, its datasets, and a line per field."""
    lines = [_title(contract)]
    for dataset in contract.datasets:
        key = ", ".join(field.column for field in dataset.primary_key)
        lines.append(f"  {dataset.name}: {len(dataset.fields)} fields{f', key {key}' if key else ''}")
        rows = [(field.path, str(field.type).replace(" not null", ""), promises(field)) for field in dataset.fields]
        widths = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
        lines += [f"    {name:<{widths[0]}}  {type_:<{widths[1]}}  {said}".rstrip() for name, type_, said in rows]
    return "\n".join(lines)


def as_html(contract: "Contract") -> str:
    """The same as a small table for notebooks."""
    name, rest = _title(contract).split(" ", 1)
    rows = [
        (dataset.name, field.path, str(field.type), promises(field))
        for dataset in contract.datasets
        for field in dataset.fields
    ]
    return _table(name, rest, ("dataset", "field", "type", "expectations"), rows)


def _title(contract: "Contract") -> str:
    form = f"ODCS {contract.api_version}" if contract.format == "odcs" else contract.format
    return f"{contract.identity} ({contract.status or 'no status'}, {form})"


def promises(field: "Field") -> str:
    """The expectations of a field besides its type, in a few words."""
    return ", ".join(_promises(field))


def _promises(field: "Field") -> Iterator[str]:
    if field.key_position:
        yield "key"
    elif field.required:
        yield "required"
    if field.unique:
        yield "unique"
    if field.values is not None:
        yield "listed values"
    yield from (f"{key} {field.options[key]}" for key in _BOUNDS if field.options.get(key) is not None)
    if field.classification:
        yield field.classification


def result_as_html(result: "Result") -> str:
    """A verdict and what is broken or unknown, as a small table for notebooks."""
    part = f" PARTIAL ({result.scope})" if result.scope else ""
    counted = "rows not counted" if result.rows is None else f"{result.rows:,} rows"
    kept = sum(outcome.outcome == "pass" for outcome in result.expectations)
    about = f"{result.dataset} ({result.contract}:{result.version}): {counted}, {kept} expectations met"
    head = ("code", "severity", "expectation", "bad rows", "expected", "actual")
    rows = [_outcome(outcome) for outcome in (*result.failed, *result.not_evaluated)]
    return _table(result.outcome.replace("_", " ") + part, about, head, rows)


def write_as_html(result: "WriteResult") -> str:
    """What a gate did, and what it found."""
    text = "refused, nothing written" if result.refused else f"{result.written:,} rows written"
    if result.quarantined:
        text += f", {result.quarantined:,} to quarantine"
    if result.would_refuse:
        text += ", SHADOW: would be refused"
    elif result.shadow:
        text += ", SHADOW"
    return _table(text, result.table) + result_as_html(result.result)


def _table(title: str, detail: str, head: Sequence[str] = (), rows: Sequence[Sequence[str]] = ()) -> str:
    return render("floe.system", "table.html", title=title, detail=detail, head=head, rows=rows)


def _outcome(value: "Outcome") -> tuple[str, ...]:
    what = f"{value.message}: {value.cause}" if value.cause else value.message
    count = "" if value.violations is None else f"{value.violations:,}"
    return (f"FLOE-{value.code}", str(value.severity), what, count, str(value.expected), str(value.actual))
