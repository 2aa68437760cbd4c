import re

import pytest

from floe.lang.sql.query import ProblemKind, generated, query_problems, read_query
from floe.lang.sql.text import bare

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
    assert ProblemKind.UNSAFE in _kinds(query)


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
    assert [(problem.kind, problem.text) for problem in found] == [(ProblemKind.UNKNOWN_TABLE, "hr.salaries")]


@pytest.mark.parametrize("query", ["select from from", "select (((((", "select 'a", "(" * 3000 + "1" + ")" * 3000])
def test_what_is_no_sql_is_unreadable(query):
    assert _kinds(query) == [ProblemKind.UNREADABLE]


def test_reading_sql_logs_nothing(caplog):
    query_problems("add jar '/y.jar'", frozenset())
    assert caplog.records == []


# what a hostile author would try: each is refused, whatever the kind
@pytest.mark.parametrize(
    "query",
    [
        "select count(*) from orders where exists (select 1 from json.`/etc/passwd`)",
        "with a as (select * from b), b as (select 1 x) select count(*) from a",
        "select (with hr as (select 1 x) select max(x) from hr), (select count(*) from hr)",
        "with x as (select * from x) select count(*) from x",
        "with recursive r as (select 1 n union all select n + 1 from r) select count(*) from r",
        "select count(*) from orders /* /* */ , hr.salaries /* */ */ , secrets",
        "select count(*) from orders -- \\\n\n, hr.salaries",
        "select count(*) from `orders`, `hr`.`salaries`",
        "select count(*) from IDENTIFIER('hr.salaries')",
        "select count(*) from IDENTIFIER('hr' || '.salaries')",
        "select IDENTIFIER('reflect')('java.lang.System', 'exit', 0) from orders",
        "select `reflect`('java.lang.System', 'exit', 0) from orders",
        "select system.builtin.reflect('java.lang.System', 'exit', 0)",
        "select hr.leak(a) from orders",
        "select spark_catalog.default.count(a) from orders",
        "select my_udf(a) from orders",
        "execute immediate 'drop table orders'",
        "begin select 1; end",
        "select transform(a) using 'cat /etc/passwd' as (b) from orders",
        "from orders map a using 'cat'",
        "from orders reduce a using 'cat'",
        "select input_file_name() from orders",
        "select _metadata.file_path from orders",
        "select current_user from orders",
        "select current_user() from orders",
        "select `current_catalog` from orders",
        "select rand() from orders",
        "select uuid() from orders",
        "select count(*) from orders tablesample (1 percent)",
        "select count(*) from orders version as of 1",
        "select count(*) from orders@v1",
        "select count(*) from orders.history",
        "select count(*) from information_schema.tables",
        "select count(*) from sql_keywords()",
        "select count(*) from table(hr.salaries)",
        "table hr.salaries",
        "select count(*) from (table hr.salaries)",
        "values (1)",
        "select :parameter from orders",
        "select ? from orders",
        "select @variable from orders",
        "select count(*) from orders where a = repeat('a', 2000000000)",
        "select count(*) from orders where array_contains(sequence(1, 10000000000), a)",
        "select count(*) from orders lateral view json_tuple(a, 'b') t",
        "select count(*) from orders join lateral (select * from hr.salaries) s",
        "select count(*) from orders, lateral (select * from hr.salaries)",
        "select count(*) from orders where a in (select a from hr.salaries)",
        "select `a${spark.app.name}` from orders",
        "select count(*) from orders union all table hr.salaries",
        "select * from orders |> union all (select * from hr.salaries)",
        "select count(*) from st\u200bored",
        "describe orders",
        "show tables",
        "explain select 1",
        "refresh table orders",
        "analyze table orders compute statistics",
        "load data inpath '/x' into table orders",
        "msck repair table orders",
        "insert overwrite directory '/tmp/x' select * from orders",
    ],
)
def test_no_way_around_the_tables_and_functions_that_are_listed(query):
    assert _kinds(query)


@pytest.mark.parametrize(
    ("literal", "meant"),
    [
        (r"'a\\d'", r"a\d"),
        (r"'a\d'", "ad"),
        (r"r'a\d'", r"a\d"),
        ("'it''s'", "it's"),
        ('"say ""hi"""', 'say "hi"'),
        (r"'\u0041\101\n\%\''", "AA\n\\%'"),
        ("'-- no /* comment'", "-- no /* comment"),
        ("'${x} {y}'", "${x} {y}"),
    ],
)
def test_literals_mean_what_they_mean_to_spark(literal, meant):
    assert bare(f"select {literal} -- 'x'").strings == (meant,)


HARMLESS = (
    "select cast(a as decimal(5,2)), a::int, interval 1 day, extract(year from d) from orders o",
    "select sum(a) over (partition by b order by c rows between 1 preceding and current row) from orders",
    "select count(*) from orders o left semi join orders p on o.a = p.a join orders q using (a)",
    "with q(a, b) as (select 1, 2) select count(*) from q lateral view outer explode(a) t as x",
    "select datediff(day, a, b), filter(a, x -> x > 1), struct(1 as a), m['x'] from orders window w as (order by b)",
    "select listagg(a) within group (order by b desc nulls first) from orders group by cube(a) limit 1",
)


@pytest.mark.parametrize("query", HARMLESS)
def test_a_name_never_becomes_more_than_a_name_wherever_it_stands(query):
    assert _kinds(query) == []
    payload = "`EVIL) FROM hr.salaries --`"
    for word in re.finditer(r"\w+", query):
        for text in (
            query[: word.start()] + payload + query[word.end() :],
            f"{query[: word.end()]} {payload}{query[word.end() :]}",
            f"{query[: word.end()]}.{payload}{query[word.end() :]}",
        ):
            found = read_query(text, _TABLES)
            if not found.problems:
                assert "EVIL" not in re.sub(r"`(?:``|[^`])*`", "", generated(found.tree)), text
