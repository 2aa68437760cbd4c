"""CREATE TABLE statements of Spark and other databases, read by sqlglot."""

import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.spark_ddl import HEAD, NEVER_NULL
from floe.contract.formats.foreign.sql_check import check_facts
from floe.contract.formats.foreign.table import Column, SchemaTable, struct_of
from floe.contract.formats.foreign.unreadable import unknown_type, unreadable
from floe.contract.formats.odcs import step
from floe.lang.type_text import parse_type
from floe.model import ContractError, Place
from floe.model.types import Array, Atomic, Decimal as DecimalType, MapOf, Type

if TYPE_CHECKING:
    from sqlglot import exp

DIALECTS = ("spark", "databricks", "postgres", "snowflake", "bigquery", "redshift", "mysql", "tsql", "oracle", "duckdb")
_CREATE = re.compile(r"\bcreate\s+(or\s+replace\s+)?(\w+\s+){0,3}table\b", re.IGNORECASE)
_LITERALS = re.compile(r"'(?:[^'\\]|\\.|'')*'")
_COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
# The first words that only one dialect writes decide; a text without any is Spark's
_MARKS = (
    ("bigquery", r"\bint64\b|\bfloat64\b|\boptions\s*\(\s*description"),
    ("tsql", r"\[dbo\]|\bdatetime2\b|\bnvarchar\b|\buniqueidentifier\b"),
    ("oracle", r"\bvarchar2\b"),
    ("mysql", r"\bengine\s*=|\bauto_increment\b"),
    ("spark", r"\btblproperties\b|\bpartitioned\s+by\b|\busing\s+(delta|iceberg|parquet)\b|\bstruct<|\bmap<|`"),
    ("snowflake", r"\bnumber\s*\(|\btimestamp_(ltz|tz)\b|\bcluster\s+by\s*\(|\btransient\b"),
    (
        "postgres",
        r"\bserial\b|\bbigserial\b|\bcharacter varying\b|\btimestamptz\b|\bwith(out)? time zone\b|\bjsonb\b|\bbytea\b"
        r"|\bcomment\s+on\b|\balter\s+table\s+only\b|\btext\[\]",
    ),
)
_TYPES: dict[str, Type] = {
    "TIMESTAMP": Atomic("timestamp_ntz"),
    "TIMESTAMPTZ": Atomic("timestamp"),
    "TIMESTAMPLTZ": Atomic("timestamp"),
    "TIMESTAMPNTZ": Atomic("timestamp_ntz"),
    "UTINYINT": Atomic("smallint"),
    "USMALLINT": Atomic("int"),
    "UINT": Atomic("bigint"),
    "UBIGINT": DecimalType(20, 0),
    "NULL": Atomic("void"),
}
_UNBOUNDED = ("max", "16777216", "134217728")  # SQL Server's word, and the lengths Snowflake prints for plain text


@dataclass(frozen=True, slots=True)
class DdlTables:
    """What a DDL text holds: its tables, what could not be kept, and as which dialect it was read."""

    tables: tuple[SchemaTable, ...]
    lost: tuple[LostParts, ...]
    dialect: str


def recognises(text: str) -> bool:
    """Whether a text is SQL that creates tables."""
    return bool(_CREATE.match(_COMMENTS.sub(" ", text).lstrip())) or (
        "{" not in text[:200] and bool(re.search(r"^\s*create\s+(\w+\s+){0,4}table\b", text, re.I | re.M))
    )


def read(text: str, source: str, dialect: str | None = None) -> DdlTables:
    """The tables a text creates; ContractError where it cannot be parsed or creates none."""
    dialect, statements = _parsed(text, source, dialect)
    reading = _DdlReader(source, dialect)
    for statement in statements:
        reading.statement(statement)
    if not reading.tables:
        raise unreadable(
            "The SQL has no CREATE TABLE with columns",
            Place(source, 1, 1),
            suggestion="Write CREATE TABLE name (column type, …)",
        )
    return DdlTables(tuple(reading.tables.values()), tuple(reading.lost), dialect)


def _dialect(text: str) -> str:
    if text.startswith(HEAD):
        return "spark"
    plain = _LITERALS.sub(" ", _COMMENTS.sub(" ", text))
    return next((name for name, marks in _MARKS if re.search(marks, plain, re.IGNORECASE)), "spark")


def _parsed(text: str, source: str, dialect: str | None) -> tuple[str, list[Any]]:
    """The statements, as the dialect named, else as the one it looks like, else as the first that fits."""
    if dialect:
        return dialect, _statements(text, source, dialect)
    likely = _dialect(text)
    try:
        return likely, _statements(text, source, likely)
    except ContractError as error:
        for other in ("spark", "postgres", "snowflake", "tsql"):
            try:
                return other, _statements(text, source, other)
            except ContractError:
                continue
        raise error from None


def _statements(text: str, source: str, dialect: str) -> list[Any]:
    import sqlglot  # noqa: PLC0415  (150 ms that only SQL sources need)
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    logger = logging.getLogger("sqlglot")
    was, logger.disabled = logger.disabled, True
    try:
        return sqlglot.parse(text, read=dialect)
    except SqlglotError as error:
        first = (getattr(error, "errors", None) or [{}])[0]
        place = Place(source, first.get("line") or 1, first.get("col") or 1)
        message = f"The SQL cannot be parsed as {dialect}: {first.get('description') or str(error).splitlines()[0]}"
        raise unreadable(message, place, suggestion=f"Pass its dialect with --dialect {'|'.join(DIALECTS)}") from None
    except RecursionError:
        raise unreadable("The SQL is nested too deep to be read", Place(source, 1, 1)) from None
    finally:
        logger.disabled = was


class _DdlReader:
    """Gathers tables from statements, in the order they are created."""

    def __init__(self, source: str, dialect: str) -> None:
        self.source = source
        self.dialect = dialect
        self.tables: dict[str, SchemaTable] = {}
        self.lost: list[LostParts] = []

    def statement(self, statement: Any) -> None:
        from sqlglot import exp  # noqa: PLC0415

        match statement:
            case exp.Create(this=exp.Schema()) if statement.args.get("kind") == "TABLE":
                self._create(statement)
            case exp.Comment():
                self._comment(statement)
            case exp.Alter():
                self._alter(statement)
            case exp.Command() if recognises(statement.sql()):
                raise unreadable(
                    f"A CREATE TABLE cannot be read as {self.dialect} SQL",
                    Place(self.source, 1, 1),
                    statement.sql()[:120],
                    f"Pass its dialect with --dialect {'|'.join(DIALECTS)}",
                )

    def _create(self, create: "exp.Create") -> None:
        from sqlglot import exp  # noqa: PLC0415

        target = create.this.this
        columns = [
            self._column(expression, "")
            for expression in create.this.expressions
            if isinstance(expression, exp.ColumnDef)
        ]
        parts = [part.name for part in target.parts]
        table = SchemaTable(
            name=parts[-1],
            physical_name=".".join(parts) if len(parts) > 1 else None,
            columns=tuple(columns),
            place=self._place(target.this),
        )
        table = self._with_properties(table, create)
        for expression in create.this.expressions:
            if not isinstance(expression, exp.ColumnDef):
                table = self._constrained(table, expression)
        for definition in (
            expression for expression in create.this.expressions if isinstance(expression, exp.ColumnDef)
        ):
            table = self._checked(table, definition)
        self.tables[parts[-1].lower()] = table

    def _place(self, node: Any) -> Place:
        return Place(self.source, node.meta.get("line") or 1, max(1, (node.meta.get("col") or 1) - len(node.name) + 1))

    def _column(self, definition: Any, prefix: str) -> Column:
        name = definition.name
        path = f"{prefix}{step(name)}"
        place = self._place(definition.this)
        type_, parts = self._type(definition.args.get("kind"), path, place)
        facts = dict(_column_facts(definition, self.dialect))
        return Column(
            name=name,
            type=type_,
            path=path,
            nullable=not facts.pop("not null", False),
            description=facts.pop("description", None),
            facts=facts,
            parts=parts,
            place=place,
        )

    def _type(self, kind: Any, path: str, place: Place) -> tuple[Type, tuple[Column, ...]]:
        name = kind.this.value if hasattr(kind, "this") and hasattr(kind.this, "value") else ""
        inner = kind.expressions if kind is not None else []
        if name in ("ARRAY", "LIST") and inner:
            part = self._part(inner[0], f"{path}[]", True, place)
            return Array(part.type, part.nullable), (part,)
        if name == "MAP" and len(inner) == 2:
            key, value = (
                self._part(inner[0], path + "{key}", False, place),
                self._part(inner[1], path + "{}", True, place),
            )
            return MapOf(key.type, value.type, True), (key, value)
        if name in ("STRUCT", "OBJECT") and inner:
            parts = tuple(self._column(value, f"{path}.") for value in inner)
            return struct_of(parts), parts
        return self._leaf(kind, name, path, place), ()

    def _part(self, kind: Any, path: str, nullable: bool, place: Place) -> Column:
        type_, parts = self._type(kind, path, place)
        return Column(name="", type=type_, path=path, nullable=nullable, parts=parts, place=place)

    def _leaf(self, kind: Any, name: str, path: str, place: Place) -> Type:
        if kind is None:
            raise unknown_type(path, "The column has no type", place)
        if name in _TYPES:
            return _TYPES[name]
        sizes = [expression.name for expression in kind.expressions]
        if sizes and sizes[0].lower() in _UNBOUNDED:
            return Atomic("string")
        words = kind.sql(dialect=self.dialect) if name in ("USER-DEFINED", "") else name
        try:
            return parse_type(f"{words}({','.join(sizes)})" if sizes else words)
        except ValueError as error:
            raise unknown_type(path, str(error), place) from None

    def _with_properties(self, table: SchemaTable, create: "exp.Create") -> SchemaTable:
        from sqlglot import exp  # noqa: PLC0415

        properties = create.args.get("properties")
        for expression in properties.expressions if properties else ():
            match expression:
                case exp.SchemaCommentProperty():
                    table = replace(table, description=expression.this.name)
                case exp.PartitionedByProperty():
                    table = self._partitioned(table, expression)
                case exp.Property() if expression.name.strip("'") == NEVER_NULL:
                    table = _never_null(table, json.loads(expression.args["value"].name))
                case exp.Property() if expression.name == "description":
                    table = replace(table, description=expression.args["value"].name)
        return table

    def _partitioned(self, table: SchemaTable, partition: Any) -> SchemaTable:
        from sqlglot import exp  # noqa: PLC0415

        names = []
        for value in partition.this.expressions or [partition.this]:
            if isinstance(value, exp.ColumnDef) and value.args.get("kind"):  # Hive: partition columns stand here only
                table = replace(table, columns=(*table.columns, self._column(value, "")))
            held = value if isinstance(value, exp.Identifier) else value.find(exp.Identifier) or value
            if held is not value and not isinstance(value, exp.Column | exp.ColumnDef):
                self.lost.append(
                    LostParts("partition transforms", (f"{table.name}: {value.sql(dialect=self.dialect)}",))
                )
            names.append(held.name)
        for position, name in enumerate(names, 1):
            table = _add_facts(table, name, {"partitioned": True, "partitionKeyPosition": position})
        return table

    def _constrained(self, table: SchemaTable, constraint: Any) -> SchemaTable:
        from sqlglot import exp  # noqa: PLC0415

        for expression in constraint.expressions if isinstance(constraint, exp.Constraint) else [constraint]:
            match expression:
                case exp.PrimaryKey():
                    table = _keyed(table, [part.name for part in expression.expressions])
                case exp.UniqueColumnConstraint() if expression.this:
                    table = _unique(table, [part.name for part in expression.this.expressions])
                case exp.ForeignKey() if expression.args.get("reference"):
                    names = [part.name for part in expression.expressions]
                    table = _referring(table, names, _targets(expression.args["reference"]))
                case exp.CheckColumnConstraint():
                    table = self._with_check(table, expression)
                case _:
                    self.lost.append(
                        LostParts("constraints", (f"{table.name}: {expression.sql(dialect=self.dialect)}",))
                    )
        return table

    def _checked(self, table: SchemaTable, definition: Any) -> SchemaTable:
        from sqlglot import exp  # noqa: PLC0415

        for constraint in definition.args.get("constraints") or ():
            match constraint.args.get("kind"):
                case exp.CheckColumnConstraint() as check:
                    table = self._with_check(table, check)
                case exp.Reference() as reference:
                    table = _referring(table, [definition.name], _targets(reference))
        return table

    def _with_check(self, table: SchemaTable, check: Any) -> SchemaTable:
        facts = check_facts(check.this)
        if facts is None:
            self.lost.append(LostParts("checks", (f"{table.name}: {check.this.sql(dialect=self.dialect)}",)))
            return table
        for name, options, values in facts:
            table = _replace_column(
                table,
                name,
                lambda c, o=options, v=values: replace(c, options={**c.options, **o}, values=v or c.values),
            )
        return table

    def _comment(self, comment: Any) -> None:
        text = comment.args["expression"].name
        if comment.args.get("kind") == "TABLE" and comment.this.name.lower() in self.tables:
            key = comment.this.name.lower()
            self.tables[key] = replace(self.tables[key], description=text)
        elif comment.args.get("kind") == "COLUMN" and (key := str(comment.this.table).lower()) in self.tables:
            self.tables[key] = _replace_column(
                self.tables[key], comment.this.name, lambda column: replace(column, description=text)
            )

    def _alter(self, alter: Any) -> None:
        from sqlglot import exp  # noqa: PLC0415

        key = alter.this.name.lower()
        for action in alter.args.get("actions") or ():
            if isinstance(action, exp.AddConstraint) and key in self.tables:
                for constraint in action.expressions:
                    self.tables[key] = self._constrained(self.tables[key], constraint)


def _column_facts(definition: Any, dialect: str) -> Iterator[tuple[str, Any]]:
    from sqlglot import exp  # noqa: PLC0415

    for constraint in definition.args.get("constraints") or ():
        match constraint.args.get("kind"):
            case exp.NotNullColumnConstraint() as one if not one.args.get("allow_null"):
                yield "not null", True
            case exp.PrimaryKeyColumnConstraint():
                yield "primaryKey", True
                yield "primaryKeyPosition", 1
                yield "not null", True
            case exp.UniqueColumnConstraint():
                yield "unique", True
            case exp.CommentColumnConstraint() as one:
                yield "description", one.this.name
            case exp.DefaultColumnConstraint() as one:
                value = one.this.name if isinstance(one.this, exp.Literal) else one.this.sql(dialect=dialect)
                yield "customProperties", [{"property": "default", "value": value}]
            case exp.Properties() as many:
                yield from (("description", p.args["value"].name) for p in many.expressions if p.name == "description")


def _replace_column(table: SchemaTable, name: str, change: Any) -> SchemaTable:
    same = [column for column in table.columns if column.name == name] or [
        column for column in table.columns if column.name.lower() == name.lower()
    ]
    return replace(table, columns=tuple(change(c) if same and c is same[0] else c for c in table.columns))


def _add_facts(table: SchemaTable, name: str, facts: dict[str, Any], required: bool = False) -> SchemaTable:
    return _replace_column(
        table, name, lambda c: replace(c, facts={**c.facts, **facts}, nullable=c.nullable and not required)
    )


def _keyed(table: SchemaTable, names: Sequence[str]) -> SchemaTable:
    for position, name in enumerate(names, 1):
        table = _add_facts(table, name, {"primaryKey": True, "primaryKeyPosition": position}, required=True)
    return table


def _unique(table: SchemaTable, names: Sequence[str]) -> SchemaTable:
    if len(names) == 1:
        return _add_facts(table, names[0], {"unique": True})
    rule = {"metric": "duplicateValues", "arguments": {"properties": list(names)}, "mustBe": 0}
    return replace(table, facts={**table.facts, "quality": [*table.facts.get("quality", ()), rule]})


def _targets(reference: Any) -> list[str]:
    schema = reference.this
    table = schema.this.name if schema.expressions else schema.name
    return [f"{table}.{expression.name}" for expression in schema.expressions] or [table]


def _referring(table: SchemaTable, names: Sequence[str], targets: Sequence[str]) -> SchemaTable:
    if len(names) == 1:
        # a reference without a column means the other table's key, which carries the same name by habit
        target = targets[0] if "." in targets[0] else f"{targets[0]}.{names[0]}"
        return _add_facts(table, names[0], {"relationships": [{"type": "foreignKey", "to": target}]})
    link = {"type": "foreignKey", "from": [f"{table.name}.{name}" for name in names], "to": list(targets)}
    return replace(table, facts={**table.facts, "relationships": [*table.facts.get("relationships", ()), link]})


def _never_null(table: SchemaTable, paths: Sequence[str]) -> SchemaTable:
    return replace(table, columns=tuple(_tightened(column, frozenset(paths)) for column in table.columns))


def _tightened(column: Column, paths: frozenset[str]) -> Column:
    parts = tuple(_tightened(part, paths) for part in column.parts)
    type_ = column.type
    match type_:
        case Array():
            type_ = Array(parts[0].type, parts[0].nullable)
        case MapOf():
            type_ = MapOf(parts[0].type, parts[1].type, parts[1].nullable)
        case _ if parts:
            type_ = struct_of(parts)
    return replace(column, type=type_, parts=parts, nullable=column.nullable and column.path not in paths)
