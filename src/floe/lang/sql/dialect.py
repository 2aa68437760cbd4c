"""SQL of other databases as Spark SQL.

A rule is written for the server that its contract names. PostgreSQL reads "a" as a column where Spark reads a text, so a rule
read in the wrong dialect can hold on any data. What cannot be carried over faithfully is refused, and the rule is not evaluated.
"""

import re
from collections.abc import Iterable
from typing import Any

_ANSI = ""  # sqlglot's own dialect: double quotes around names
_DIALECTS = {
    **dict.fromkeys(("postgres", "postgresql", "cloudsql"), "postgres"),
    **dict.fromkeys(("sqlserver", "synapse"), "tsql"),
    **dict.fromkeys(("db2", "denodo", "hana", "informix", "ingres", "vectorwise", "vertica"), _ANSI),
    **{
        name: name
        for name in (
            *("athena", "bigquery", "clickhouse", "dremio", "duckdb", "exasol", "mysql", "oracle"),
            *("presto", "redshift", "snowflake", "teradata", "trino"),
        )
    },
}
_VARIABLE = re.compile(r"\$?\{\{?[^{}]*\}\}?|(?<![\w$])\$[A-Za-z_]\w*")


def dialects_of(server_types: Iterable[str]) -> tuple[str | None, ...]:
    """The SQL dialects of servers, each once; None is Spark's, and that of tables without a database.

    >>> dialects_of(["postgresql", "postgres"]), dialects_of([]), dialects_of(["s3", "snowflake"])
    (('postgres',), (None,), (None, 'snowflake'))
    """
    return tuple(dict.fromkeys(_DIALECTS.get(kind.lower()) for kind in server_types)) or (None,)


def to_spark(text: str, dialects: tuple[str | None, ...]) -> str:
    """A query as Spark writes it; ValueError where it cannot be, or where dialects differ about it."""
    read = {_from(text, dialect) if dialect is not None else text for dialect in dialects}
    if len(read) > 1 and len({_from(name, "spark") for name in read}) > 1:
        names = ", ".join(dialect or "Spark" for dialect in dialects)
        raise ValueError(f"the SQL dialects of the contract's servers ({names}) read it differently")
    return read.pop()


def _from(text: str, dialect: str) -> str:
    """A query in Spark's dialect, its variables as they were."""
    import sqlglot  # noqa: PLC0415  (140 ms that contracts without SQL do not need)
    from sqlglot.errors import ErrorLevel, SqlglotError  # noqa: PLC0415

    variables: list[str] = []

    def stand_in(found: re.Match[str]) -> str:
        variables.append(found[0])
        return f"floe_variable_{len(variables) - 1}"

    marked = _VARIABLE.sub(stand_in, text)
    try:
        statements = [expr for expr in sqlglot.parse(marked, read=dialect) if expr]
        if len(statements) != 1:
            raise ValueError(f"it has {len(statements)} statements")
        _refuse_division(statements[0].copy())
        written = statements[0].sql("spark", unsupported_level=ErrorLevel.RAISE, comments=False)
    except SqlglotError as error:
        raise ValueError(f"it cannot be translated from {dialect or 'standard'} SQL: {_first_line(error)}") from None
    return re.sub(r"`?floe_variable_(\d+)`?", lambda found: variables[int(found[1])], written)


def _refuse_division(tree: Any) -> None:
    """ValueError for `a / b` where the dialect cuts whole numbers to a whole number, as Spark does not, and may do so here."""
    from sqlglot import exp  # noqa: PLC0415  (as above)
    from sqlglot.optimizer.annotate_types import annotate_types  # noqa: PLC0415  (as above)

    fractions = {*exp.DataType.FLOAT_TYPES, exp.DataType.Type.DECIMAL}
    for division in annotate_types(tree).find_all(exp.Div):
        sides = [side.type.this if side.type else None for side in (division.left, division.right)]
        whole = all(side in exp.DataType.INTEGER_TYPES for side in sides)  # sqlglot writes the cut itself
        if division.args.get("typed") and not whole and not fractions.intersection(sides):
            raise ValueError(f"it is unknown whether {division.sql()} is an integer division: CAST one of its sides")


def _first_line(error: Exception) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()[0][:120]
