"""E508 measure-without-column."""

import re
from collections.abc import Iterator
from typing import Any

from floe.contract.lint.measures import custom
from floe.contract.lint.rule import rule
from floe.contract.lint.views import DatasetOf, plain
from floe.model import Message, Severity, Step

_TEXT = re.compile(r"'(?:[^'\\]|\\.|'')*'")
_NAME = re.compile(r"(?<![\w.`])(`[^`]+`(?:\.`[^`]+`)*|[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*)(?!\s*\()")
_COUNT = re.compile(r"count\s*\(\s*(\*|[0-9]+)\s*\)", re.IGNORECASE)


@rule("E508", "measure-without-column", Severity.WARNING, value=DatasetOf)
def measure_without_column(part: DatasetOf) -> Iterator[Message]:
    """The expression of a measure names no column of its dataset.

    Why: a semantic layer cannot compute it, or computes a constant.

    Fix: name a column in the expression, e.g. SUM(total_amount), or count rows with COUNT(*).
    """
    known = part.names.fields(part.noun) | {plain(name) for _, name, _ in _measures(part)}
    for at, name, expression in _measures(part):
        if not isinstance(expression, str) or _COUNT.search(expression) or "${" in expression:
            continue
        words = {plain(word) for word in _NAME.findall(_TEXT.sub("''", expression))}
        table = f"{plain(part.noun.name)}."
        if not any(word.removeprefix(table) in known and word != plain(name) for word in words):
            yield Message(
                f"Measure '{name}' of '{part.noun.name}' names no column",
                f"expression is {expression[:80]}",
                "Name a column of the dataset in the expression",
                at=at,
            )


def _measures(part: DatasetOf) -> Iterator[tuple[tuple[Step, ...], str, Any]]:
    for at, entry in custom(part, "measures"):
        yield (*at, "expression"), str(entry.get("name", "")), entry.get("expression")
    properties = part.noun.node.get("properties")
    for i, node in enumerate(properties if isinstance(properties, list) else ()):
        if isinstance(node, dict) and node.get("semanticType") == "measure":
            yield ("properties", i, "transformLogic"), str(node.get("name", "")), node.get("transformLogic")
