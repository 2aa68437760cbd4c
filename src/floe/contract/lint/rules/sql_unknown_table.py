"""E507 sql-unknown-table."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.sql import found
from floe.contract.lint.views import RuleOf
from floe.lang.sql.query import ProblemKind
from floe.model import Message, Severity


@rule("E507", "sql-unknown-table", Severity.WARNING, value=RuleOf)
def sql_unknown_table(part: RuleOf) -> Iterator[Message]:
    """The SQL of a rule reads a table that is neither the contract's own nor one its relationships name.

    Why: a rule may read only what the contract is about, so the query will be refused when it runs.

    Fix: name the table as the contract does, or add a relationship that leads to it.
    """
    for problem in found(part, ProblemKind.UNKNOWN_TABLE):
        yield Message(
            f"The SQL of '{part.subject}' reads '{problem.text}', which the contract does not name",
            "A rule reads the contract's own tables and those its relationships name",
            "Name the table as the contract does, or add a relationship that leads to it",
            at=("query",),
        )
