"""The part of a table that is read: a condition on rows, under the same restrictions as the SQL of rules."""

from typing import Any

from floe.lang.sql.literals import text
from floe.lang.sql.query import CheckedQuery, ProblemKind, generated, read_query
from floe.lang.sql.text import PROPERTY
from floe.model import SettingError
from floe.model.plan import RowScope

_CLAUSES = {"expressions", "from_", "where"}
_HOW = "Write one condition on the table's columns, such as \"order_date >= DATE '2026-01-01'\""


def scope_of(where: str | None, sample: float | None) -> RowScope | None:
    """The requested part; SettingError if the condition is not exactly one."""
    if where is None and sample is None:
        return None
    said = (where is not None and f"where {where}", sample is not None and f"sample {sample:g}")
    return RowScope(", ".join(name for name in said if name), _condition(where) if where is not None else None, sample)


def _condition(where: str) -> str:
    found = read_query(f"select 1 from {{object}} where ({where}\n)", frozenset())
    if found.problems:
        first = found.problems[0]
        said = f"it reads the table '{first.text}'" if first.kind is ProblemKind.UNKNOWN_TABLE else first.text
        raise SettingError(f"--where cannot be run: {said}", _HOW)
    if found.variables:
        raise SettingError(f"--where contains the variable {found.variables[0]}, which has no value", _HOW)
    if not _is_one(found):
        raise SettingError("--where is not a condition on the rows of the table", _HOW)
    return _written(found)


def _is_one(found: CheckedQuery) -> bool:
    """Whether nothing but the parentheses was filled: no other clause, no other query, no other table."""
    from sqlglot import exp  # noqa: PLC0415  (140 ms that runs without SQL do not need)

    tree = found.tree
    used = {key for key, value in tree.args.items() if value}
    names = {name.name for name in tree.find_all(exp.Identifier)}
    value = len(list(tree.find_all(exp.Query))) == 1 and len(list(tree.find_all(exp.Table))) == 1
    return used <= _CLAUSES and value and isinstance(tree.args["where"].this, exp.Paren) and PROPERTY not in names


def _written(found: CheckedQuery) -> str:
    from sqlglot import exp  # noqa: PLC0415  (as above)

    tree: Any = found.tree.args["where"].this.copy()
    for literal in list(tree.find_all(exp.Literal)):
        if literal.is_string and literal.name.startswith("floe_text_"):
            literal.replace(exp.Var(this=text(found.strings[int(literal.name.removeprefix("floe_text_"))])))
    return generated(tree)
