"""E506 sql-unreadable."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.sql import problems
from floe.contract.lint.views import RuleOf
from floe.lang import sql
from floe.model import Message, Severity


@rule("E506", "sql-unreadable", Severity.WARNING, value=RuleOf)
def sql_unreadable(part: RuleOf) -> Iterator[Message]:
    """The SQL of a rule cannot be parsed.

    Why: floe runs rules on Spark. A query that Spark cannot parse is not evaluated, and a run with it does not pass.

    Fix: write the query in Spark SQL.
    """
    for problem in problems(part):
        if problem.kind is sql.query.ProblemKind.UNREADABLE:
            yield Message(
                f"The SQL of '{part.subject}' is not valid Spark SQL",
                problem.text,
                "Write the query in Spark SQL",
                at=("query",),
            )
