"""The SQL of a rule as the query that runs: the checked query, written again with its tables as parameters."""

import re
from collections.abc import Mapping
from typing import Any

from floe.lang.sql.dialect import dialects_of
from floe.lang.sql.literals import text
from floe.lang.sql.query import ProblemKind, generated, known, read_query, resolved
from floe.lang.sql.text import OBJECT, PROPERTY
from floe.model import Contract, Dataset
from floe.model.plan import SqlQuery

_SAID = {
    ProblemKind.UNREADABLE: "its SQL cannot be run: {}",
    ProblemKind.UNSAFE: "its SQL is not a single read-only query: {}",
    ProblemKind.UNKNOWN_TABLE: "its SQL reads '{}', which is not in the contract",
}
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_MARKS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "{}`"}


def query_of(sql: str, contract: Contract, dataset: Dataset, column: str | None) -> tuple[SqlQuery | None, str | None]:
    """The query to run, or the reason for none; `column` is the SQL of the column of the rule."""
    names = _names(contract, dataset)
    found = read_query(sql, frozenset(names), dialects_of(server.type for server in contract.servers))
    if found.problems:
        worst = found.problems[0]
        return None, _SAID[worst.kind].format(worst.text)
    if left := _variable_in(found.strings, found.variables):
        return None, f"its SQL contains the variable {left}, which has no value"
    if any(name.name == PROPERTY for name in _identifiers(found.tree)):
        if column is None:
            return None, "its SQL uses the column of the rule, but the rule belongs to a dataset"
        if set(column) & set("${}"):
            return None, f"the name {column} contains one of $ {{ }}, which a query cannot contain"
    tree = found.tree.copy()
    tables = _with_parameters(tree, names)
    _with_literals(tree, found.strings, column or "")
    written = generated(tree)
    marks = {parameter: f"`floe <{parameter}> floe`" for parameter, _ in tables}
    if set(written) & set("${}"):
        return None, "its SQL contains one of $ { } outside of a string, which cannot be run"
    for parameter, mark in marks.items():
        written = written.replace(mark, f"{{{parameter}}}")
    return SqlQuery(written, tables), None


def _variable_in(strings: tuple[str, ...], variables: tuple[str, ...]) -> str | None:
    """A variable that is left in a query, also in a text of it, where it would be compared as it is written."""
    inside = (found[0] for string in strings if (found := _VARIABLE.search(string)))
    return next(iter((*variables, *inside)), None)


def _names(contract: Contract, dataset: Dataset) -> dict[str, str]:
    """The names a table may have in a query, in lower case, and the dataset each means; the rule's own come last and win."""
    named: dict[str, str] = {}
    for value in (*contract.datasets, dataset):
        fields = (relationship for field in value.walk() for relationship in field.relationships)
        for target in (target for relation in (*value.relationships, *fields) for target in relation.target):
            table = str(target).split("#")[-1].rsplit(".", 1)[0].rsplit(".", 1)[-1]
            named.setdefault(table.lower(), table)
    for value in (*contract.datasets, dataset):
        whole = (value.physical_name or value.name, contract.table_id(value) or value.name)
        for name in (*whole, *(part.rsplit(".", 1)[-1] for part in whole), value.name):
            named[name.lower()] = value.name
    return named | {OBJECT: dataset.name}


def _identifiers(tree: Any) -> list[Any]:
    from sqlglot import exp  # noqa: PLC0415  (140 ms that contracts without SQL do not need)

    return list(tree.find_all(exp.Identifier))


def _with_parameters(tree: Any, names: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Replace each table with a parameter, and give each named query its own name."""
    from sqlglot import exp  # noqa: PLC0415  (as above)

    fresh: dict[int, str] = {}
    used: dict[str, str] = {}
    spellings: set[tuple[str, ...]] = set()
    for table, of in list(resolved(tree, {})):
        parts = [part.name for part in table.parts]
        if table.this.key != "identifier":
            continue
        if of is not None:
            name = fresh.setdefault(id(of), f"floe_query_{len(fresh)}")
        else:
            dataset = _meant(".".join(parts).lower(), names)
            name = f"floe <{used.setdefault(dataset, f'floe_table_{len(used)}')}> floe"
        spellings.add(tuple(parts))
        alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(parts[-1], quoted=True))
        if alias.args.get("this") is None:
            alias.set("this", exp.to_identifier(parts[-1], quoted=True))
        table.set("alias", alias)
        table.set("this", exp.to_identifier(name, quoted=True))
        table.set("db", None)
        table.set("catalog", None)
    for query in tree.find_all(exp.CTE):
        query.args["alias"].set("this", exp.to_identifier(fresh.setdefault(id(query), f"floe_query_{len(fresh)}")))
    _shorten(tree, spellings)
    return tuple((parameter, dataset) for dataset, parameter in used.items())


def _meant(name: str, names: Mapping[str, str]) -> str:
    assert known(name, frozenset(names))
    return names.get(name) or names[name.rpartition(".")[2]]


def _shorten(tree: Any, spellings: set[tuple[str, ...]]) -> None:
    """Columns that name their table with its schema name it without: there the table has its last name only."""
    from sqlglot import exp  # noqa: PLC0415  (as above)

    for column in tree.find_all(exp.Column):
        before = tuple(part.name for part in column.parts[:-1])
        if len(before) > 1 and before in spellings:
            column.set("db", None)
            column.set("catalog", None)


def _with_literals(tree: Any, strings: tuple[str, ...], column: str) -> None:
    """Put the texts and the rule's column back; what marks parameters is written by its number."""
    from sqlglot import exp  # noqa: PLC0415  (as above)

    for literal in list(tree.find_all(exp.Literal)):
        if literal.is_string and literal.name.startswith("floe_text_"):
            said = text(strings[int(literal.name.removeprefix("floe_text_"))])
            literal.replace(exp.Var(this=said.translate(_MARKS)))
    for name in _identifiers(tree):
        if name.name == PROPERTY:
            name.replace(exp.Var(this=column))
