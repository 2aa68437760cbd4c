"""docs/codes.md: every code, and every name under it."""

from collections.abc import Sequence

from floe.model.codes import RANGES
from floe.reports.text.explain import ENFORCEMENT_NOTE, Explained, enforcement_tables, paragraphs

_HEAD = """# Codes

Every finding and every outcome has a code and a name. The meaning of a code never changes; several names may share a code.

`floe explain E508` and `floe explain bounds-contradict` print the text of this page. To ignore a finding of lint, add the
comment `# floe: ignore E508 bounds-contradict -- reason` to its line or to the line above.

This page is generated: `floe explain all --format markdown > docs/codes.md`.
"""


def codes_markdown(explained: Sequence[Explained]) -> str:
    """The whole page."""
    parts = [_HEAD]
    for prefix, about in RANGES.items():
        parts.append(f"## {about}\n")
        parts += [explained_markdown(value) for value in explained if value.code.code.startswith(prefix)]
    return "\n".join(parts).rstrip("\n") + "\n"


def explained_markdown(explained: Explained) -> str:
    """One code."""
    code = explained.code
    lines = [f"### FLOE-{code.code}: {code.meaning}\n", f"Default severity: {code.severity}.\n"]
    if explained.reading:
        lines += [f"- `{name}`: {meaning}" for name, meaning in explained.reading]
        lines.append("")
    for rule in explained.rules:
        lines.append(f"**`{rule.name}`** ({rule.severity}). " + "  \n".join(paragraphs(rule.doc)) + "\n")
    return "\n".join(lines)


def enforcement_markdown() -> str:
    """Who blocks what, as two tables."""
    return "\n\n".join([*(_table(rows) for rows in enforcement_tables()), ENFORCEMENT_NOTE])


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
