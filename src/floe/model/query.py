"""Whether a text is one read-only query over tables that it may read."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

MAX_LENGTH = 50_000
_VARIABLE = re.compile(r"\$\{[^}]*\}|\{\{[^}]*\}\}|\{[A-Za-z_][\w.]*\}|(?<![\w$])\$[A-Za-z_]\w*")
_STANDS_FOR = "floe_variable"
_FORMATS = {"parquet", "csv", "json", "orc", "text", "avro", "delta", "iceberg", "binaryfile", "xml", "hudi", "image"}
_TABLE_FUNCTIONS = {"range", "explode", "explode_outer", "posexplode", "inline", "stack"}
# functions that reach out of the data: into the JVM, files, secrets, the network
_REACHING = {
    "reflect",
    "try_reflect",
    "java_method",
    "secret",
    "try_secret",
    "list_secrets",
    "read_files",
    "cloud_files",
    "read_kafka",
    "read_kinesis",
    "read_pubsub",
    "read_pulsar",
    "read_statestore",
    "remote_query",
    "http_request",
    "ai_query",
}
_WRITES = (
    "Insert",
    "Update",
    "Delete",
    "Merge",
    "Create",
    "Drop",
    "Alter",
    "Command",
    "Set",
    "Use",
    "Into",
    "TruncateTable",
)


class Kind(StrEnum):
    """What is wrong with a query."""

    UNREADABLE = "unreadable"
    UNSAFE = "unsafe"
    UNKNOWN_TABLE = "unknown table"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a query."""

    kind: Kind
    text: str


@lru_cache(maxsize=1024)
def query_problems(text: str, tables: frozenset[str]) -> tuple[Problem, ...]:
    """What keeps a text from being one read-only Spark query over these tables (names in lower case).

    >>> [str(problem.kind) for problem in query_problems("select count(*) from a; drop table a", frozenset({"a"}))]
    ['unsafe']
    """
    import sqlglot  # noqa: PLC0415  (140 ms that contracts without SQL do not need)

    if len(text) > MAX_LENGTH:
        return (Problem(Kind.UNSAFE, f"it has {len(text):,} characters, at most {MAX_LENGTH:,} are read"),)
    try:
        with _quiet():
            statements = [one for one in sqlglot.parse(_VARIABLE.sub(_STANDS_FOR, text), dialect="spark") if one]
    except sqlglot.errors.SqlglotError as error:
        return (Problem(Kind.UNREADABLE, _first_line(error)),)
    except RecursionError:
        return (Problem(Kind.UNREADABLE, "it is nested too deeply"),)
    if len(statements) != 1:
        return (Problem(Kind.UNSAFE, f"it holds {len(statements)} statements"),)
    return tuple(dict.fromkeys(_problems(statements[0], tables)))


def _first_line(error: Exception) -> str:
    described: list[dict[str, Any]] = getattr(error, "errors", [])
    if described and described[0].get("description"):
        where = described[0]
        return f"{str(where['description']).split(' but got')[0]} (line {where.get('line')}, column {where.get('col')})"
    return re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()[0][:120]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot from logging a warning for each statement that it does not take apart."""
    logger = logging.getLogger("sqlglot")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _problems(statement: Any, tables: frozenset[str]) -> Iterator[Problem]:
    from sqlglot import exp  # noqa: PLC0415  (as above)

    if not isinstance(statement, exp.Query | exp.Values):
        yield Problem(Kind.UNSAFE, f"it is no query but {statement.key.upper()}")
        return
    named = {cte.alias_or_name.lower() for cte in statement.find_all(exp.CTE)}
    for node in statement.walk():
        if type(node).__name__ in _WRITES:
            yield Problem(Kind.UNSAFE, f"it contains {node.key.upper()}")
        elif isinstance(node, exp.QueryTransform):
            yield Problem(Kind.UNSAFE, "TRANSFORM runs a shell command")
        elif isinstance(node, exp.Table):
            yield from _table_problems(node, tables, named)
        elif isinstance(node, exp.Func) and (name := _function(node)) in _REACHING:
            yield Problem(Kind.UNSAFE, f"function {name} reaches out of the data")


def _table_problems(table: Any, tables: frozenset[str], named: set[str]) -> Iterator[Problem]:
    parts = [part.name for part in table.parts]
    name = ".".join(parts).lower()
    if table.this.key != "identifier":
        function = _function(table.this)
        if function not in _TABLE_FUNCTIONS:
            yield Problem(Kind.UNSAFE, f"table function {function} reads what no contract names")
    elif (
        _known(name, tables)
        or (len(parts) == 1 and name in named)
        or _STANDS_FOR in name
        or table.parent.key == "joinhint"
    ):
        return
    elif len(parts) == 2 and parts[0].lower() in _FORMATS:
        yield Problem(Kind.UNSAFE, f"table '{parts[0]}.…' reads files by path")
    else:
        yield Problem(Kind.UNKNOWN_TABLE, ".".join(parts))


def _function(node: Any) -> str:
    """The name of a function; one that sqlglot does not know has it as its text."""
    return str(node.name if node.key == "anonymous" or not hasattr(node, "sql_name") else node.sql_name()).lower()


def _known(name: str, tables: frozenset[str]) -> bool:
    """A table is known by its whole name, or by its last part before which a catalog or schema stands."""
    return name in tables or (name.rpartition(".")[2] in tables and name.partition(".")[0] not in _FORMATS)
