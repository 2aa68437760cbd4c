"""E507 sql-unsafe."""

from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.sql import problems
from floe.contract.lint.views import RuleOf
from floe.lang import sql
from floe.model import Message, Severity


@rule("E507", "sql-unsafe", Severity.ERROR, value=RuleOf)
def sql_unsafe(part: RuleOf) -> Iterator[Message]:
    """The SQL of a rule is not a single read-only query.

    Why: a rule runs with the permissions of whoever runs the check; it must not change data, run commands or read
    files.

    Fix: write one SELECT over the contract's own tables.
    """
    for problem in problems(part):
        if problem.kind is sql.query.ProblemKind.UNSAFE:
            yield Message(
                f"The SQL of '{part.subject}' is not a single read-only query",
                problem.text,
                "Write one SELECT over the contract's own tables",
                at=("query",),
            )
