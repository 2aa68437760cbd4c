"""Whether a text is one read-only query over tables that it may read."""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from floe.lang.regex.cost import backtracking_risk
from floe.lang.regex.pattern import parse_pattern
from floe.lang.sql.dialect import to_spark
from floe.lang.sql.functions import ABOUT_SESSION, FUNCTIONS, NODES, REACHING, ROWS, SEARCHING, UNITS, WITH_UNIT, WRITES
from floe.lang.sql.text import OBJECT, STANDS_FOR, bare

MAX_LENGTH = 50_000
_FORMATS = {"parquet", "csv", "json", "orc", "text", "avro", "delta", "iceberg", "binaryfile", "xml", "hudi", "image"}
# words of an order that repeat the default, and are not written again
_DEFAULTS = {"nulls", "first", "last"}
_TEXT = "floe_text_"
_MOST_GAPS = 6  # of one LIKE: Spark searches it as a pattern, and each gap may multiply the ways
_TABLE_PARTS = {"this", "db", "catalog", "alias", "laterals", "joins"}


class ProblemKind(StrEnum):
    """What is wrong with a query."""

    UNREADABLE = "unreadable"
    UNSAFE = "unsafe"
    UNKNOWN_TABLE = "unknown table"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a query."""

    kind: ProblemKind
    text: str


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A query as a tree (sqlglot's), the literals it names, the variables left in it, and what is wrong with it."""

    tree: Any
    strings: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@lru_cache(maxsize=1024)
def query_problems(
    text: str, tables: frozenset[str], dialects: tuple[str | None, ...] = (None,)
) -> tuple[Problem, ...]:
    """What keeps a text from being one read-only query over these tables (names in lower case) that Spark can run.

    >>> [str(problem.kind) for problem in query_problems("select count(*) from a; drop table a", frozenset({"a"}))]
    ['unsafe']
    """
    return read_query(text, tables, dialects).problems


def read_query(text: str, tables: frozenset[str], dialects: tuple[str | None, ...] = (None,)) -> CheckedQuery:
    """The query of a text, checked; `dialects` are those of the contract's servers, None is Spark's."""
    import sqlglot  # noqa: PLC0415  (140 ms that contracts without SQL do not need)

    if len(text) > MAX_LENGTH:
        return _refused(ProblemKind.UNSAFE, f"it has {len(text):,} characters, at most {MAX_LENGTH:,} are allowed")
    try:
        if dialects != (None,):
            with _quiet():
                text = to_spark(text, dialects)
        found = bare(text)
        with _quiet():
            statements = [expr for expr in sqlglot.parse(found.text, dialect=_dialect()) if expr]
        if len(statements) != 1:
            return _refused(ProblemKind.UNSAFE, f"it has {len(statements)} statements")
        _keep_units(statements[0])
        problems = tuple(dict.fromkeys(_problems(statements[0], tables, found.text, found.strings)))
    except sqlglot.errors.SqlglotError as error:
        return _refused(ProblemKind.UNREADABLE, _first_line(error))
    except ValueError as error:
        return _refused(ProblemKind.UNREADABLE, str(error))
    except RecursionError:
        return _refused(ProblemKind.UNREADABLE, "it is nested too deeply")
    return CheckedQuery(statements[0], found.strings, found.variables, problems)


def generated(tree: Any) -> str:
    """A tree as Spark SQL: every name in backticks, functions as they were written, no comments."""
    return str(tree.sql(dialect=_dialect(), identify=True, comments=False, normalize_functions=False))


@lru_cache(maxsize=1)
def _dialect() -> Any:
    """Spark's dialect, but functions stay what the text calls them."""
    from sqlglot import exp  # noqa: PLC0415  (as above)
    from sqlglot.dialects.spark import Spark  # noqa: PLC0415

    kept = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "POSITION", "OVERLAY")

    class OwnParser(Spark.Parser):  # type: ignore[valid-type,misc]
        FUNCTIONS = {"ARRAY": exp.Array.from_arg_list}  # noqa: RUF012
        FUNCTION_PARSERS = {name: Spark.Parser.FUNCTION_PARSERS[name] for name in kept}  # noqa: RUF012
        NO_PAREN_FUNCTIONS: dict[Any, Any] = {}  # noqa: RUF012

    class Own(Spark):
        Parser = OwnParser

    return Own


def _refused(kind: ProblemKind, text: str) -> CheckedQuery:
    return CheckedQuery(None, problems=(Problem(kind, text),))


def _first_line(error: Exception) -> str:
    described: list[dict[str, Any]] = getattr(error, "errors", [])
    if described and described[0].get("description"):
        where = described[0]
        return f"{str(where['description']).split(' but got')[0]} (line {where.get('line')}, column {where.get('col')})"
    return re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()[0][:120]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot from logging a warning for each statement that it does not parse."""
    logger = logging.getLogger("sqlglot")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _keep_units(statement: Any) -> None:
    """`day` in datediff(day, a, b) is a word, no column."""
    from sqlglot import exp  # noqa: PLC0415  (as above)

    for call in list(statement.find_all(exp.Anonymous)):
        unit = call.expressions[0] if len(call.expressions) == 3 else None
        if call.name.lower() in WITH_UNIT and isinstance(unit, exp.Column) and unit.name.lower() in UNITS:
            unit.replace(exp.Var(this=unit.name.upper()))


def _problems(statement: Any, tables: frozenset[str], text: str, strings: tuple[str, ...]) -> Iterator[Problem]:
    import sqlglot  # noqa: PLC0415  (as above)
    from sqlglot import exp  # noqa: PLC0415

    if not isinstance(statement, exp.Query):
        yield Problem(ProblemKind.UNSAFE, f"it is not a query but {statement.key.upper()}")
        return
    for node in statement.walk():
        yield from _node_problems(node)
        yield from _pattern_problems(node, strings)
    yield from _table_problems(statement, tables, {})
    written = generated(statement)
    again = sqlglot.parse_one(written, dialect=_dialect())
    _keep_units(again)
    if _lost(text, written) or generated(again) != written:
        yield Problem(ProblemKind.UNREADABLE, "floe cannot parse all of it")


def _node_problems(node: Any) -> Iterator[Problem]:
    kind = type(node).__name__
    if kind == "QueryTransform":
        yield Problem(ProblemKind.UNSAFE, "TRANSFORM runs a shell command")
    elif kind in WRITES:
        yield Problem(ProblemKind.UNSAFE, f"it contains {node.key.upper()}")
    elif kind not in NODES:
        yield Problem(ProblemKind.UNREADABLE, f"{node.key.upper()} is not allowed in a query")
    elif kind == "Anonymous":
        yield from _function_problems(node)
    elif kind == "Identifier" and node.name.lower() in ABOUT_SESSION:
        yield Problem(ProblemKind.UNSAFE, f"'{node.name}' depends on the session, not on the data")
    elif kind == "Identifier" and set(node.name) & set("${}"):
        yield Problem(ProblemKind.UNREADABLE, f"the name '{node.name}' contains one of $ {{ }}")
    elif kind == "With" and node.args.get("recursive"):
        yield Problem(ProblemKind.UNREADABLE, "recursive queries are not allowed")


def _function_problems(node: Any) -> Iterator[Problem]:
    name = node.name.lower()
    if name in REACHING:
        yield Problem(ProblemKind.UNSAFE, f"function {name} reads more than the data")
    elif name not in FUNCTIONS:
        yield Problem(ProblemKind.UNREADABLE, f"{name} is not a Spark function that a rule may call")
    elif type(node.parent).__name__ == "Dot":
        yield Problem(ProblemKind.UNREADABLE, f"{name} is a user-defined function, which a rule may not call")


def _pattern_problems(node: Any, strings: tuple[str, ...]) -> Iterator[Problem]:
    """A pattern is matched on every row, and Spark cannot interrupt it: it must be a literal to be checked."""
    for called, pattern in _searched(node):
        said = pattern.name if type(pattern).__name__ == "Literal" and pattern.is_string else ""
        if not said.startswith(_TEXT):
            yield Problem(
                ProblemKind.UNSAFE,
                f"the pattern of {called} is not a literal, so floe cannot check whether it can hang",
            )
            continue
        written = strings[int(said.removeprefix(_TEXT))]
        if called == "LIKE":
            if len(re.findall("%+", written)) > _MOST_GAPS:
                yield Problem(ProblemKind.UNSAFE, f"the pattern '{written[:80]}' of LIKE can hang: it has too many %")
            continue
        try:
            slow = backtracking_risk(parse_pattern(written))
        except ValueError as error:
            yield Problem(ProblemKind.UNREADABLE, f"the pattern '{written[:80]}' of {called} is not valid: {error}")
            continue
        if slow and slow[1]:
            yield Problem(ProblemKind.UNSAFE, f"the pattern '{written[:80]}' of {called} can hang: {slow[0]}")


def _searched(node: Any) -> Iterator[tuple[str, Any]]:
    """The patterns that a node searches with: of operators, and of functions that take one."""
    kind = type(node).__name__
    if kind in ("Like", "ILike") and node.expression.name.startswith(_TEXT):
        yield "LIKE", node.expression
    elif kind in ("RegexpLike", "RegexpILike"):
        yield "RLIKE", node.expression
    elif kind == "Anonymous" and (at := SEARCHING.get(node.name.lower())) is not None:
        yield from (
            (node.name.lower(), expression)
            for expression in node.expressions[at:][: 2 if node.name.lower() == "str_to_map" else 1]
        )


def _table_problems(node: Any, tables: frozenset[str], named: Mapping[str, Any]) -> Iterator[Problem]:
    """Each table is one that may be read, or a query named before it."""
    for table, of in resolved(node, named):
        parts = [part.name for part in table.parts]
        if table.this.key != "identifier":
            yield from _row_problems(table)
        elif of is None and not known(".".join(parts).lower(), tables):
            path = len(parts) == 2 and parts[0].lower() in _FORMATS
            said = f"table '{parts[0]}.…' reads files by path" if path else ".".join(parts)
            yield Problem(ProblemKind.UNSAFE if path else ProblemKind.UNKNOWN_TABLE, said)
        if any(table.args[key] for key in set(table.args) - _TABLE_PARTS):
            yield Problem(ProblemKind.UNREADABLE, f"options of the table '{'.'.join(parts)}' are not allowed")


def _row_problems(table: Any) -> Iterator[Problem]:
    if type(table.this).__name__ != "Anonymous":
        yield Problem(ProblemKind.UNSAFE, "the name of a table is an expression")
    elif table.this.name.lower() not in ROWS:
        yield Problem(ProblemKind.UNSAFE, f"table function {table.this.name.lower()} reads data outside the contract")


def resolved(node: Any, named: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Every table below a node, with the named query it means, or None; `named` are the queries seen from there."""
    clause = node.args.get("with_")
    seen = dict(named)
    for query in clause.expressions if clause else ():
        yield from resolved(query.this, seen)
        seen[query.alias.lower()] = query
    if type(node).__name__ == "Table":
        parts = node.parts
        yield node, seen.get(parts[0].name.lower()) if len(parts) == 1 and parts[0].key == "identifier" else None
    for below in node.iter_expressions():
        if below is not clause:
            yield from resolved(below, seen)


def known(name: str, tables: frozenset[str]) -> bool:
    """A table is known by its whole name, or by its last part after a catalog or schema."""
    last = name.rpartition(".")[2]
    return (
        name in tables
        or (last in tables and name.partition(".")[0] not in _FORMATS)
        or name == OBJECT
        or STANDS_FOR in name
    )


def _lost(written: str, read: str) -> bool:
    """Whether a name, number or text of a query did not come through: its answer would be another."""
    names, all_of_them = _tokens(written), _tokens(read, leaves=False)
    return bool(set(names - all_of_them) - _DEFAULTS)


def _tokens(text: str, leaves: bool = True) -> Counter[str]:
    from sqlglot.tokenizer_core import TokenType  # noqa: PLC0415  (as above)

    tokens = _dialect()().tokenize(text)
    kinds = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING)
    called = {i for i in range(len(tokens) - 1) if tokens[i + 1].token_type is TokenType.L_PAREN}
    return Counter(
        token.text.lower()
        for i, token in enumerate(tokens)
        if not leaves or (token.token_type in kinds and i not in called)
    )
