"""Which columns may have their values named in a query."""

from floe.engine.plan.expectations import regex_columns
from floe.model import Severity
from floe.model.plan import Expectation, RowRule


def rule(sql: str | None) -> Expectation:
    return Expectation(
        id="r", code="E553", name="pattern-mismatch", field="f", severity=Severity.ERROR, check=RowRule(sql or "false")
    )


def test_only_plain_searches_of_columns_that_are_not_classified():
    rules = [
        rule("NOT `mode` RLIKE '^[A-Z]+'"),
        rule("NOT `a``b` RLIKE 'x'"),
        rule("NOT `gender` RLIKE '^[fmd]'"),
        rule("`mode` IS NOT NULL AND (NOT `other` RLIKE 'x')"),
        rule("`code` IS NOT NULL AND (NOT `code` RLIKE 'x')"),
        rule("`two` IS NOT NULL AND (NOT `two` RLIKE 'x' OR NOT `two` RLIKE 'y')"),
        rule("exists(`list`, x -> NOT x RLIKE 'y')"),
        rule(None),
    ]
    assert regex_columns(rules, frozenset({"gender"})) == {"mode", "a`b", "code"}
