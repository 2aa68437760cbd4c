import pytest

from floe.model.query import Kind, query_problems

_TABLES = frozenset({"orders", "sales.orders", "text.notes"})


def _kinds(query):
    return [problem.kind for problem in query_problems(query, _TABLES)]


@pytest.mark.parametrize(
    "query",
    [
        "drop table orders",
        "create temp view v as select 1",
        "delete from orders",
        "update orders set a = 1",
        "merge into orders using x on a = b when matched then delete",
        "truncate table orders",
        "select 1; drop table orders",
        "set spark.sql.ansi.enabled=false",
        "add jar '/x.jar'",
        "use x",
        "cache table orders",
        "explain select 1",
        "call sys.rollback()",
        "execute immediate 'drop table orders'",
        "select transform(a) using 'cat' from orders",
        "select reflect('java.lang.Runtime', 'x')",
        "select java_method('java.lang.Runtime', 'x')",
        "select try_reflect('java.lang.Runtime', 'x')",
        "select count(*) from orders where secret('a', 'b') = 'c'",
        "select * from parquet.`/etc/x`",
        "select * from csv.`s3://bucket/x`",
        "select * from (select * from delta.`x`)",
        "select * from read_files('/etc')",
        "select * into x from orders",
        "",
        "x" * 50_001,
    ],
)
def test_what_is_not_one_read_only_query_is_unsafe(query):
    assert Kind.UNSAFE in _kinds(query)


@pytest.mark.parametrize(
    "query",
    [
        "select count(*) from orders",
        "SELECT COUNT(*) FROM `Orders` o WHERE o.a > (SELECT max(a) FROM sales.orders);",
        "with x as (select * from orders) select count(*) from x",
        "select count(*) from orders lateral view explode(items) as item",
        "select /*+ broadcast(orders) */ count(*) from orders",
        "(select 1) union all (select 2)",
        "select count(*) from ${table} where ${column} is null",
        "select count(*) from {table} where d > '${CUTOFF}'",
        "select count(*) from hive.sales.orders",
        "select count(*) from text.notes",
        "select count(*) from orders -- ; drop table orders",
        "select count(*) from range(10)",
    ],
)
def test_a_query_over_the_contracts_own_tables(query):
    assert _kinds(query) == []


def test_a_table_that_the_contract_does_not_name():
    found = query_problems("select * from orders join hr.salaries s on true", _TABLES)
    assert [(problem.kind, problem.text) for problem in found] == [(Kind.UNKNOWN_TABLE, "hr.salaries")]


@pytest.mark.parametrize("query", ["select from from", "select (((((", "select 'a", "(" * 3000 + "1" + ")" * 3000])
def test_what_is_no_sql_is_unreadable(query):
    assert _kinds(query) == [Kind.UNREADABLE]


def test_reading_sql_logs_nothing(caplog):
    query_problems("add jar '/y.jar'", frozenset())
    assert caplog.records == []
