"""Patterns, which cost more than all other rules on rows: frequent values are matched once."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from floe.lang.sql.literals import quote, text
from floe.model.plan import Expectation

_NAME = "`(?:[^`]|``)+`"
_SEARCH = re.compile(
    rf"(?:(?P<there>{_NAME}) IS NOT NULL AND \()?NOT (?P<name>{_NAME}) (?P<like>RLIKE '[^']*')(?(there)\))"
)


def searches(sql: str) -> bool:
    """Whether a rule searches the text of every row.

    >>> searches("NOT `a` RLIKE '^x'"), searches("`a` > 1"), searches(with_precomputed_values("NOT `a` RLIKE '^x'", {"a": ("x",)}))
    (True, False, False)
    """
    return " RLIKE " in sql and not sql.startswith("CASE ")


def estimated_code_size(sql: str) -> int:
    """About as many characters as a rule's code is made of: answers that are found in planning make none.

    >>> estimated_code_size("`a` > 1"), estimated_code_size(with_precomputed_values("NOT `a` RLIKE '^x'", {"a": ("x", "y")}))
    (7, 102)
    """
    known = sql.count(" WHEN ") if sql.startswith("CASE ") else 0
    return len(sql.rpartition(" ELSE ")[2]) + 40 * known


def regex_columns(rules: Iterable[Expectation], masked: Collection[str]) -> set[str]:
    """The columns that rules use only in patterns, and whose values may be part of a query."""
    found = (_search(expectation.row_rule) for expectation in rules if expectation.row_rule)
    return {match["name"][1:-1].replace("``", "`") for match in found if match} - set(masked)


def _search(sql: str) -> re.Match[str] | None:
    match = _SEARCH.fullmatch(sql)
    return match if match and match["there"] in (None, match["name"]) else None


def with_precomputed_values(sql: str, common: Mapping[str, Sequence[str]]) -> str:
    """A rule with the same result for every row; for frequent values Spark computes it once, when it plans the query.

    >>> with_precomputed_values("NOT `a` RLIKE '^x'", {"a": ("x", "y")})
    "CASE `a` WHEN 'x' THEN NOT 'x' RLIKE '^x' WHEN 'y' THEN NOT 'y' RLIKE '^x' ELSE NOT `a` RLIKE '^x' END"
    >>> with_precomputed_values("`a` > 1", {"a": ("x",)})
    '`a` > 1'
    """
    match = _search(sql)
    values = next((values for name, values in common.items() if match and match["name"] == quote(name)), ())
    if not match or not values:
        return sql
    known = " ".join(f"WHEN {text(name)} THEN NOT {text(name)} {match['like']}" for name in values)
    return f"CASE {match['name']} {known} ELSE {sql} END"
