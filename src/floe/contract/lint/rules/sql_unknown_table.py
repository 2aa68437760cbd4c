"""E507 sql-unknown-table."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.sql import problems
from floe.contract.lint.views import RuleOf
from floe.lang import sql
from floe.model import Message, Severity


@rule("E507", "sql-unknown-table", Severity.WARNING, value=RuleOf)
def sql_unknown_table(part: RuleOf) -> Iterator[Message]:
    """The SQL of a rule reads a table that is not in the contract and not the target of one of its relationships.

    Why: a rule may read only these tables, so the query is refused when it runs.

    Fix: use the name of the table in the contract, or add a relationship to it.
    """
    for problem in problems(part):
        if problem.kind is sql.query.ProblemKind.UNKNOWN_TABLE:
            yield Message(
                f"The SQL of '{part.subject}' reads '{problem.text}', which is not in the contract",
                "A rule may read the contract's tables and the targets of its relationships",
                "Use the name in the contract, or add a relationship to the table",
                at=("query",),
            )
