"""CREATE TABLE of several databases becomes a contract."""

import pytest

from floe.actions.convert import convert
from floe.contract.formats import odcs, read
from floe.contract.formats.foreign import sql_ddl
from floe.contract.formats.foreign.table import document
from floe.model import Contract, ContractError, Place

POSTGRES = """-- dumped
CREATE TABLE public.orders (
  id bigserial,
  customer integer NOT NULL REFERENCES customers (customer_id),
  "Total Amount" numeric(12,2) DEFAULT 0 CHECK ("Total Amount" >= 0),
  state text CHECK (state IN ('open', 'closed')),
  tags text[],
  seen timestamp with time zone,
  noted timestamp,
  UNIQUE (customer, seen)
);
COMMENT ON TABLE public.orders IS 'Orders';
COMMENT ON COLUMN public.orders.id IS 'Number';
ALTER TABLE ONLY public.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
"""


def contract(text: str, dialect: str | None = None) -> Contract:
    found = sql_ddl.read(text, "x.sql", dialect)
    built, findings = odcs.read(document("x", found.tables, Place("x.sql", 1, 1)), "x.sql")
    assert findings == []
    assert built is not None
    return built


def types(text: str, dialect: str | None = None) -> list[str]:
    return [f"{part.column} {part.type}" for part in contract(text, dialect).datasets[0].fields]


def test_postgres_types():
    assert types(POSTGRES) == [
        "id bigint",
        "customer int",
        "Total Amount decimal(12,2)",
        "state string",
        "tags array<string>",
        "seen timestamp",
        "noted timestamp_ntz",
    ]


def test_postgres_keys_checks_references_and_comments():
    dataset = contract(POSTGRES).datasets[0]
    number, customer, total, state, *_ = dataset.fields
    assert (dataset.name, dataset.physical_name) == ("orders", "public.orders")
    assert dataset.node["description"] == "Orders"
    assert [part.column for part in dataset.primary_key] == ["id"]
    assert (number.required, number.node["description"]) == (True, "Number")
    assert customer.required
    assert customer.relationships[0].target == ("customers.customer_id",)
    assert dict(total.options) == {"minimum": 0}
    assert total.node["customProperties"] == [{"property": "default", "value": "0"}]
    assert state.values == ("open", "closed")
    assert dict(dataset.rules[0].arguments) == {"properties": ["customer", "seen"]}


def test_columns_know_their_places():
    found = sql_ddl.read(POSTGRES, "x.sql")
    assert [(c.place.line, c.place.column) for c in found.tables[0].columns[:2]] == [(3, 3), (4, 3)]


def test_snowflake_prints_plain_text_with_its_longest_length():
    text = "CREATE TABLE db.s.t (a NUMBER(38,0) NOT NULL, b VARCHAR(16777216), c TIMESTAMP_TZ, d VARIANT)"
    assert types(text) == ["a decimal(38,0)", "b string", "c timestamp", "d variant"]


def test_bigquery_nested_types():
    text = "CREATE TABLE `p.d.t` (a INT64 NOT NULL, b STRUCT<x STRING, y ARRAY<FLOAT64>>, c DATETIME, d TIMESTAMP)"
    assert types(text) == ["a bigint", "b struct<x:string,y:array<double>>", "c timestamp_ntz", "d timestamp"]


def test_sql_server():
    text = "CREATE TABLE [dbo].[t] ([a] INT NOT NULL, [b] NVARCHAR(MAX), [c] DATETIME2, [d] BIT)"
    assert types(text) == ["a int", "b string", "c timestamp_ntz", "d boolean"]


def test_mysql_unsigned():
    text = "CREATE TABLE t (a INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, b TINYINT(1)) ENGINE=InnoDB"
    assert types(text) == ["a bigint", "b boolean"]


def test_the_named_dialect_decides():
    text = "CREATE TABLE t (a TIMESTAMP)"
    assert (types(text), types(text, "postgres")) == (["a timestamp"], ["a timestamp_ntz"])


def test_hive_partition_columns_are_columns():
    dataset = contract("CREATE TABLE t (a INT) PARTITIONED BY (day STRING)").datasets[0]
    assert [part.column for part in dataset.fields] == ["a", "day"]
    assert [part.column for part in dataset.partition] == ["day"]


def test_a_composite_reference_stands_on_the_dataset():
    text = "CREATE TABLE t (a INT, b INT, FOREIGN KEY (a, b) REFERENCES o (x, y))"
    link = contract(text).datasets[0].relationships[0]
    assert (link.source, link.target) == (("t.a", "t.b"), ("o.x", "o.y"))


def test_a_check_that_is_no_bound_is_listed_as_lost():
    found = sql_ddl.read("CREATE TABLE t (a INT, b INT, CHECK (a < b))", "x.sql")
    assert [str(lost) for lost in found.lost] == ["checks: t: a < b"]


def test_several_tables_make_one_contract():
    text = "CREATE TABLE a (x INT);\nCREATE TABLE b (y INT);"
    made, _ = read(convert(text).text, "x")
    assert made is not None
    assert [dataset.name for dataset in made.datasets] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE TABLE t (a INT", "cannot be parsed"),
        ("CREATE TABLE t", "has no CREATE TABLE with columns"),
        ("SELECT 1", "has no CREATE TABLE with columns"),
        ("", "has no CREATE TABLE with columns"),
        ("CREATE TABLE t (a WIBBLE)", "Unknown type for 'a'"),
        ("\x00\x01", "SQL"),
    ],
)
def test_what_is_no_table_is_said(text, message):
    with pytest.raises(ContractError, match=message) as caught:
        sql_ddl.read(text, "x.sql")
    assert caught.value.findings[0].place is not None


def test_types_that_the_parser_takes_for_someones_own():
    text = "CREATE TABLE t (a VOID, b citext, c tsvector NOT NULL)"
    assert types(text) == ["a void", "b string", "c string"]
    assert types(convert(convert(text + "\n", "odcs").text, "spark-ddl").text)[0] == "a void"
