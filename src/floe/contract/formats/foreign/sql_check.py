"""CHECK constraints that say no more than bounds or a list of values."""

from decimal import Decimal
from typing import Any

Fact = tuple[str, dict[str, Any], tuple[Any, ...] | None]


def checked_text(expression: str) -> list[Fact] | None:
    """The same of a condition that is text."""
    import sqlglot  # noqa: PLC0415  (only SQL sources need it)
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        return check_facts(sqlglot.parse_one(expression))
    except SqlglotError:
        return None


def check_facts(condition: Any) -> list[Fact] | None:
    """Per column its bounds or values; None where the condition says something else."""
    from sqlglot import exp  # noqa: PLC0415  (only SQL sources need it)

    match condition:
        case exp.Paren(this=inner):
            return check_facts(inner)
        case exp.And(this=left, expression=right):
            first, second = check_facts(left), check_facts(right)
            return None if first is None or second is None else first + second
        case exp.Between(this=exp.Column() as column):
            low, high = _value(condition.args["low"]), _value(condition.args["high"])
            return None if low is None or high is None else [(column.name, {"minimum": low, "maximum": high}, None)]
        case (
            exp.GTE(this=exp.Length(this=exp.Column() as column))
            | exp.LTE(this=exp.Length(this=exp.Column() as column))
        ):
            size = _value(condition.args["expression"])
            key = "minLength" if isinstance(condition, exp.GTE) else "maxLength"
            return [(column.name, {key: size}, None)] if isinstance(size, int) else None
        case exp.In(this=exp.Column() as column, expressions=[_, *_] as listed):
            values = tuple(map(_value, listed))
            return None if None in values else [(column.name, {}, values)]
    return _comparison(condition)


def _comparison(condition: Any) -> list[Fact] | None:
    from sqlglot import exp  # noqa: PLC0415

    bounds = {exp.GTE: "minimum", exp.GT: "exclusiveMinimum", exp.LTE: "maximum", exp.LT: "exclusiveMaximum"}
    bound = bounds.get(type(condition))
    if bound is None or not isinstance(condition.this, exp.Column):
        return None
    value = _value(condition.args["expression"])
    return None if value is None or isinstance(value, str) else [(condition.this.name, {bound: value}, None)]


def _value(node: Any) -> int | Decimal | str | None:
    from sqlglot import exp  # noqa: PLC0415

    match node:
        case exp.Neg(this=inner):
            value = _value(inner)
            return None if value is None or isinstance(value, str) else -value
        case exp.Literal(is_string=True):
            return str(node.name)
        case exp.Literal():
            return int(node.name) if node.name.isdigit() else Decimal(node.name)
        case exp.Cast(this=inner):
            return _value(inner)
    return None
