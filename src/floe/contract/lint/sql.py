"""SQL in quality rules."""

from typing import TYPE_CHECKING

from floe.contract.lint.references import target
from floe.contract.lint.views import Names, RuleOf
from floe.lang import sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floe.lang.sql.query import Problem


def problems(part: RuleOf) -> "Sequence[Problem]":
    """What is wrong with the query of a rule."""
    query = part.noun.query
    if part.noun.type != "sql" or not isinstance(query, str) or not query.strip():
        return ()
    dialects = sql.dialect.dialects_of(server.type for server in part.names.contract.servers)
    return sql.query.query_problems(query, _tables(part.names), dialects)


def _tables(names: Names) -> frozenset[str]:
    """Every name of the contract's own tables and of those that its relationships lead to."""
    contract = names.contract
    targets = {
        target(text).dataset.lower()
        for dataset in contract.datasets
        for entry in (
            *dataset.relationships,
            *(relationship for field in dataset.walk() for relationship in field.relationships),
        )
        for text in entry.target
        if isinstance(text, str)
    }
    ids = {table.lower() for dataset in contract.datasets if (table := contract.table_id(dataset))}
    return frozenset(names.datasets) | targets | ids
