"""SQL in quality rules."""

from collections.abc import Iterator

from floe.contract.lint.references import target
from floe.contract.lint.views import Names, RuleOf
from floe.lang.sql.dialect import dialects_of
from floe.lang.sql.query import Problem, ProblemKind, query_problems


def found(part: RuleOf, kind: ProblemKind) -> Iterator[Problem]:
    """What is wrong with the query of a rule, of one kind."""
    query = part.noun.query
    if part.noun.type == "sql" and isinstance(query, str) and query.strip():
        dialects = dialects_of(server.type for server in part.names.contract.servers)
        problems = query_problems(query, _tables(part.names), dialects)
        yield from (problem for problem in problems if problem.kind is kind)


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
