"""What is measured on rows, counted by eye; the same on a classic session, on Spark Connect and on a cluster."""

import hashlib
import os
from datetime import date
from decimal import Decimal

import pandas
import pytest
from pyspark.sql import Row

from floe.engine.spark.keys.bits import dense, duplicates_by_bits
from floe.engine.spark.keys.columns import key_rows, whole_keys
from floe.engine.spark.keys.jar import JarSearch, search_by_jar
from floe.engine.spark.keys.result import DuplicateKeys, KeyStatistics
from floe.engine.spark.measure import MeasureRequest, measure
from floe.engine.spark.row_pass import key_of
from floe.lang.sql.literals import quote
from floe.model.plan import (
    Plan,
    Reference,
    RowAge,
    RowCount,
)
from tests.helpers.expectations import asked, plan

pytestmark = pytest.mark.spark


def found(rows, plan_: Plan, **more) -> tuple[int, dict]:
    total, outcomes = measure(MeasureRequest(rows=rows, plan=plan_, salt="salt", **{"gate": False, **more}))
    return total, {one.id: one for one in outcomes}


@pytest.mark.parametrize("known", [None, 6])  # whether metadata tells how many rows there are
def test_rows_are_counted_once_for_each_rule_they_break(session, known):
    rows = session.createDataFrame(
        [(1, 5, "a"), (2, -1, "b"), (3, -2, None), (4, None, "zz"), (5, -3, "zz"), (None, -4, "a")],
        "id bigint, amount int, kind string",
    )
    rules = (
        asked("low", sql="amount < 0"),
        asked("kind", sql="kind NOT IN ('a', 'b')"),
        asked("never", sql="amount > 100"),
        asked("unknown", sql="CAST(NULL AS BOOLEAN)"),
        asked("form", sql="NOT `kind` RLIKE '^[a-b]'"),
        asked("newest", check=RowAge("newest", "CAST(amount AS BIGINT)"), operators={"mustBeLessOrEqualTo": 40}),
        asked("rows", check=RowCount(), operators={"mustBeGreaterThan": 6}),
    )
    total, by_id = found(rows, plan(*rules), now=50, total=known, common={"kind": ("a", "zz")} if known else {})
    assert total == 6
    assert {id_: one.violations for id_, one in by_id.items()} == {
        "low": 4,
        "kind": 2,
        "never": 0,
        "unknown": 0,
        "form": 2,
        "newest": None,
        "rows": None,
    }
    assert [one.outcome for one in by_id.values()] == ["fail", "fail", "pass", "pass", "fail", "fail", "fail"]
    assert by_id["form"].samples == ({"id": 4}, {"id": 5})
    assert by_id["low"].samples == ({"id": None}, {"id": 2}, {"id": 3}, {"id": 5})
    assert by_id["kind"].samples == ({"id": 4}, {"id": 5})
    assert (by_id["newest"].actual, by_id["rows"].actual) == ("45s", 6)


def test_a_classified_key_is_shown_as_a_hash(session):
    rows = session.createDataFrame([("x",), ("y",)], "id string")
    _, by_id = found(rows, plan(asked("x", sql="id = 'x'"), masked=("id",)))
    assert by_id["x"].samples == ({"id": "hash:" + hashlib.sha256(b"saltx").hexdigest()[:16]},)


def test_samples_are_few_however_many_rows_are_bad(session):
    _, by_id = found(session.range(5000), plan(asked("bad", sql="id >= 0"), asked("odd", sql="id % 2 = 1")))
    assert [(one.violations, len(one.samples)) for one in by_id.values()] == [(5000, 5), (2500, 5)]
    assert all(sample["id"] % 2 for sample in by_id["odd"].samples)


def test_names_with_dots_backticks_and_spaces(session):
    name = "a.b `c"
    rows = session.createDataFrame([(1,), (1,), (2,)], f"{quote(name)} int")
    _, by_id = found(rows, plan(asked("two", sql=f"{quote(name)} = 2"), asked("key", keys=(name,)), key=(name,)))
    assert {id_: (one.violations, one.samples) for id_, one in by_id.items()} == {
        "two": (1, ({name: 2},)),
        "key": (1, ({name: 1},)),
    }


def test_many_rules_are_each_counted(session):
    rules = [asked(f"r{n}", sql=f"id % 300 = {n}") for n in range(300)]
    total, by_id = found(session.range(450), plan(*rules))
    assert total == 450
    assert [by_id[f"r{n}"].violations for n in range(300)] == [2] * 150 + [1] * 150
    assert by_id["r7"].samples == ({"id": 307}, {"id": 7})


def test_keys_count_rows_beyond_the_first_and_no_null_parts(session):
    rows = session.createDataFrame(
        [("a|", "b"), ("a", "|b"), ("a", "|b"), ("a", "|b"), (None, "b"), (None, "b"), ("c", "d"), ("c", "d")],
        "x string, y string",
    )
    _, by_id = found(
        rows, plan(asked("key", keys=("x", "y")), asked("again", keys=("y", "x")), asked("x", keys=("x",)))
    )
    assert {id_: one.violations for id_, one in by_id.items()} == {"key": 3, "again": 3, "x": 3}
    assert by_id["key"].samples == ({"x": "a", "y": "|b"}, {"x": "c", "y": "d"})


def test_parts_of_a_dense_key_are_told_apart_where_they_are_as_wide_as_one_another(session):
    rows = session.range(4_000).selectExpr(
        "CAST(id % 16 AS INT) AS c", "CAST(id div 16 % 16 AS INT) AS a", "id div 256 AS b"
    )
    again = rows.where("a = 3 AND b = 5 AND c = 7 OR a = 7 AND b = 3 AND c = 5")
    _, by_id = found(rows.union(again), plan(asked("key", keys=("a", "b", "c")), key=("a", "b", "c")))
    assert by_id["key"].samples == ({"a": 3, "b": 5, "c": 7}, {"a": 7, "b": 3, "c": 5})


@pytest.mark.parametrize(("copies", "twice"), [([], 0), ([-63, 0, 64], 3), ([-63, -63], 2), ([5, 5, 5, 64], 4)])
def test_dense_keys_are_told_by_their_bits_however_often_they_repeat(session, copies, twice):
    rows = session.createDataFrame([(n, n % 2) for n in [*range(-64, 70), *copies]], "id bigint, part int")
    known = KeyStatistics(dense([(-64, 69), (0, 1)], 134 + len(copies)), 134 + len(copies))
    seen = duplicates_by_bits(whole_keys(rows, ("id", "part")), key_of(rows, ("id", "part")), known)
    assert isinstance(seen, DuplicateKeys)
    wanted = [(f"={n}", f"={n % 2}") for n in sorted(set(copies), key=str)]
    assert (seen.twice, [tuple(sample) for sample in seen.samples]) == (twice, wanted)
    assert seen.method.startswith("bitmaps")


def test_whole_numbers_as_keys_dense_or_sparse_negative_or_huge(session):
    huge = 2**62
    dense = [(n, n % 7) for n in range(-40_000, 40_000)] + [(-40_000, -40_000 % 7), (39_999, 39_999 % 7), (0, 1)]
    sparse = [(huge, 1), (-huge, 1), (huge, 1), (huge, 2), (None, 1), (None, 1)]
    largest = [(2**63 - 1 - n % 3, n) for n in range(100)] + [(2**63 - 1, 0)]
    for rows, pairs, firsts in ((largest, 1, 98), (dense, 2, 3), (sparse, 1, 2)):
        frame = session.createDataFrame(rows, "x bigint, y int")
        _, by_id = found(frame, plan(asked("both", keys=("x", "y")), asked("x", keys=("x",))))
        assert (by_id["both"].violations, by_id["x"].violations) == (pairs, firsts)
    assert by_id["both"].samples == ({"x": huge, "y": 1},)


MANY = 120_000
KEYS = {
    "whole": ("id bigint, part int", "id div 4, CAST(id % 4 AS INT)"),
    "text": ("id string", "concat('K', CAST(id AS STRING))"),
    "text and moment": ("id string, part timestamp", "CAST(id % 500 AS STRING), timestamp_seconds(id div 500)"),
    "amount and day": (
        "id decimal(12,2), part date",
        "CAST((id div 900) / 100 AS DECIMAL(12,2)), date_add(DATE'1960-01-01', CAST(id % 900 AS INT))",
    ),
    "text and number": ("id string, part bigint", "CAST(id div 900 AS STRING), id % 900 - 450"),
    "truth and fraction": ("id boolean, part double", "id % 2 = 0, CAST(id AS DOUBLE)"),  # hashed as they are, never
}


UNDER_TEST = os.environ.get("SPARK_UNDER_TEST", "classic")
BOUNDS: dict[str, dict] = {
    "whole": {"id": (0, MANY // 4), "part": (0, 3)},
    "amount and day": {
        "id": (Decimal("0"), Decimal("1.34")),
        "part": (date(1960, 1, 1), date(1962, 6, 18)),
    },
    "text and number": {"part": (-450, 449)},
}


# how values lie in files matters to sessions without floe's own jar, which bounds they have to those with it
WAYS = [
    *((kind, True, False) for kind in KEYS),
    *(("whole", False, False), ("amount and day", False, False), ("text and number", None, False)),
    *((kind, True, True) for kind in BOUNDS),
]


@pytest.mark.parametrize(("kind", "clustered", "bounded"), WAYS[::4] if UNDER_TEST == "cluster" else WAYS)
def test_many_keys_are_judged_alike_whatever_they_are_made_of_and_however_they_lie(session, kind, clustered, bounded):
    schema, made = KEYS[kind]
    names = tuple(part.split()[0] for part in schema.split(", "))
    rows = session.range(MANY).selectExpr(*_columns(names, made))
    known = {"clustered": dict.fromkeys(names, clustered) if clustered is not None else {}}
    known |= {"bounds": BOUNDS[kind]} if bounded else {}
    _, clean = found(rows, plan(asked("key", keys=names), key=names), **known)
    assert (clean["key"].outcome, clean["key"].violations, clean["key"].samples) == ("pass", 0, ())

    again = session.createDataFrame([(7,), (7,), (60_000,), (119_999,)], "id bigint").selectExpr(*_columns(names, made))
    empty = session.range(9).selectExpr(
        *(f"CAST(NULL AS {part.split(' ')[1]}) AS {part.split()[0]}" for part in schema.split(", "))
    )
    _, dirty = found(rows.union(again).union(empty), plan(asked("key", keys=names), key=names), **known)
    assert (dirty["key"].outcome, dirty["key"].violations, len(dirty["key"].samples)) == ("fail", 4, 3)
    seven = {str(dict(one)) for one in dirty["key"].samples}
    assert any(KEY_SEVEN[kind] in one for one in seven), seven


KEY_SEVEN = {
    "whole": "'id': 1, 'part': 3",
    "text": "'id': 'K7'",
    "text and moment": "'id': '7', 'part': '1970-01-01 00:00:00'",
    "amount and day": "'id': '0.00', 'part': '1960-01-08'",
    "text and number": "'id': '0', 'part': -443",
    "truth and fraction": "'id': 'false', 'part': '7.0'",
}


def _columns(names: tuple[str, ...], made: str) -> list[str]:
    """The parts of a key; a comma inside brackets does not part them."""
    depth, parts = 0, [""]
    for sign in made:
        depth += (sign == "(") - (sign == ")")
        parts, sign_ = ([*parts, ""], "") if sign == "," and not depth else (parts, sign)
        parts[-1] += sign_
    return [f"{part} AS {name}" for part, name in zip(parts, names, strict=True)]


def test_keys_that_repeat_everywhere_are_counted(session):
    rows = session.range(MANY).selectExpr("CAST(id % 50000 AS STRING) AS id")
    _, by_id = found(rows, plan(asked("key", keys=("id",))))
    assert by_id["key"].violations == MANY - 50_000


def test_sessions_that_floe_starts_have_its_code(session):
    seen = search_by_jar(key_rows(session.range(9), ("id",)), KeyStatistics(None, MANY, None, [None]))
    assert isinstance(seen, JarSearch) is (UNDER_TEST != "connect")


if UNDER_TEST != "connect":  # which does without floe's own jar

    def test_a_suspicion_is_looked_at_where_it_was_seen_and_told_where_nothing_is_there(session):
        rows = (
            session.range(0, 90_000, 1, 5)
            .union(session.range(50_000, 50_001, 1, 1))
            .selectExpr("CAST(id AS STRING) AS id")
        )
        search, key = (
            search_by_jar(key_rows(rows, ("id",)), KeyStatistics(None, MANY, None, [None])),
            key_of(rows, ("id",)),
        )
        assert isinstance(search, JarSearch)
        seen = [row for row in search.query.collect() if row.code is not None]
        # 36,000 to 53,999 are in the third, the copy is in the last
        assert sorted(row.partition for row in seen) == [2, 5]
        told = search.read(seen, key)
        assert told is not None
        assert (told.twice, list(told.samples), told.method) == (1, [("=50000",)], "floe.jar (hashes)")
        assert search.read([row for row in seen if row.partition != 5], key) is None
        assert search.read([Row(**{**row.asDict(), "last_row": 1}) for row in seen], key) is None


if UNDER_TEST != "connect":  # which does without floe's own jar

    def test_what_comes_back_is_little_however_much_repeats(session):
        twice = session.range(2 * MANY).selectExpr("CAST(id % 120000 AS STRING) AS id")
        search = search_by_jar(key_rows(twice, ("id",)), KeyStatistics(None, 2 * MANY, None, [None]))
        assert isinstance(search, JarSearch)
        assert 1_000 < len({row.code for row in search.query.collect()}) == search.query.count() < 3_000
        few = session.range(20_000_000).selectExpr(
            "CAST(id % 3 AS INT) AS id"
        )  # a list is looked through several times
        _, by_id = found(few, plan(asked("key", keys=("id",))), bounds={"id": (0, 2)}, total=20_000_000)
        assert (by_id["key"].violations, by_id["key"].samples) == (19_999_997, ({"id": 0}, {"id": 1}, {"id": 2}))


def test_the_result_says_which_way_a_key_was_checked(session):
    rows = session.range(MANY).selectExpr("id", "CAST(id AS STRING) AS text", "CAST(id AS DOUBLE) AS number")
    bounds, clustered = {"id": (0, MANY - 1)}, {"id": True}
    keys = [asked(name, keys=(name,)) for name in ("id", "text", "number")]
    _, by_id = found(rows, plan(*keys), bounds=bounds, clustered=clustered, total=MANY)
    methods = {id_: one.to_dict()["method"] for id_, one in by_id.items()}
    without = " (this session has no floe.jar)"
    assert methods == {
        "connect": {"id": f"bitmaps{without}", "text": f"hash lists{without}", "number": f"groupBy{without}"},
    }.get(
        UNDER_TEST,
        {
            "id": "floe.jar (exact codes)",
            "text": "floe.jar (hashes)",
            "number": "groupBy (floe.jar has no codes for such types)",
        },
    )
    _, few = found(session.range(9), plan(asked("key", keys=("id",))))
    assert few["key"].method == "groupBy"


def test_many_rows_that_stand_in_the_plan_itself(session):
    numbers = pandas.DataFrame({"id": [*map(str, range(MANY)), "7"]})
    session.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    try:
        planned = session.createDataFrame(numbers)
    finally:
        session.conf.unset("spark.sql.execution.arrow.pyspark.enabled")
    planned = planned.selectExpr("id", "CAST(id AS BIGINT) AS number", "CAST(id AS BIGINT) * 3 AS other")
    rules = [asked(name, keys=(name,)) for name in ("id", "number", "other")]
    for _ in range(2):
        _, by_id = found(planned, plan(*rules))
        assert ("not read by floe.jar" in str(by_id["other"].method)) is (UNDER_TEST != "connect")
        assert {id_: (one.violations, len(one.samples)) for id_, one in by_id.items()} == dict.fromkeys(by_id, (1, 1))


if UNDER_TEST != "connect":  # whose plans cannot be seen

    def test_bounds_of_classified_columns_do_not_come_into_a_query(session):
        rows, most = session.range(MANY).selectExpr("id * 987654 AS id"), 118_517_492_346
        store = session._jsparkSession.sharedState().statusStore()
        for total in (MANY, 9):  # by floe's own code, by Spark's functions
            key = plan(asked("key", keys=("id",)), masked=("id",))
            _, by_id = found(rows, key, bounds={"id": (0, most)}, total=total)
            session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
            last = store.executionsList(store.executionsCount() - 1, 1).head()
            assert by_id["key"].violations == 0
            assert "987654" in last.physicalPlanDescription()
            assert str(most) not in last.physicalPlanDescription()
        whole = session.range(50).selectExpr("id * 987 AS id")
        reference = asked("to", keys=("id",), target=Reference("others", ("id",)))
        known = {"bounds": {"id": (0, 48_363)}, "total": 50, "references": {"others": whole}}
        for masked, shown in (((), True), (("id",), False)):
            _, by_id = found(whole, plan(reference, masked=masked), **known)
            session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
            last = store.executionsList(store.executionsCount() - 1, 1).head()
            assert (by_id["to"].violations, by_id["to"].method) == (0, "bitmap join" if shown else "anti join")
            assert ("48363" in last.physicalPlanDescription()) is shown


def test_one_key_on_all_rows(session):
    rows = session.range(MANY).selectExpr("'same' AS id", "DATE'2024-01-01' AS day")
    days = {"day": (date(2024, 1, 1), date(2024, 1, 1))}
    rules = asked("key", keys=("id",)), asked("day", keys=("day",))
    _, by_id = found(rows, plan(*rules, key=("id", "day")), bounds=days)
    assert [(one.violations, one.samples) for one in by_id.values()] == [
        (MANY - 1, ({"id": "same"},)),
        (MANY - 1, ({"day": "2024-01-01"},)),
    ]


def test_keys_beyond_the_bounds_that_were_told_are_judged_too(session):
    """Statistics that are wrong, or rows that came since."""
    rows = session.range(MANY).selectExpr("id", "CAST(id % 2 AS INT) AS part")
    again = session.createDataFrame([(60_000, 0), (119_999, 1)], "id bigint, part int")
    narrow = {"id": (100, 70_000), "part": (0, 1)}
    for frame, twice in ((rows, 0), (rows.union(again), 2), (rows.union(again).where("id < 100000 OR part = 0"), 1)):
        _, by_id = found(frame, plan(asked("key", keys=("id", "part")), key=("id",)), bounds=narrow)
        assert by_id["key"].violations == twice


def test_keys_of_several_partitions_in_one_task_and_without_generated_code(session):
    parts = [session.range(start, start + 50_000, 1, 3) for start in (0, 50_000, 99_999)]  # 99,999 comes twice
    rows = parts[0].union(parts[1]).union(parts[2])
    texts = rows.coalesce(2).selectExpr("CAST(id AS STRING) AS id")
    _, by_id = found(texts, plan(asked("key", keys=("id",))))
    assert (by_id["key"].violations, by_id["key"].samples) == (1, ({"id": "99999"},))
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    try:
        _, slow = found(rows, plan(asked("key", keys=("id",))), bounds={"id": (0, 149_998)})
    finally:
        session.conf.unset("spark.sql.codegen.wholeStage")
    assert (slow["key"].violations, slow["key"].samples) == (1, ({"id": 99_999},))


def test_references_find_lost_rows_alone_and_with_a_key(session):
    rows = session.createDataFrame([(1, 1), (2, 2), (3, 9), (9, None), (9, 8)], "id bigint, customer int")
    others = session.createDataFrame([(1,), (2,), (2,), (None,)], "number bigint")
    to = Reference("customers", ("number",))
    rules = (
        asked("alone", keys=("customer",), target=to),
        asked("key", keys=("id",)),
        asked("along", keys=("id",), target=to),
        asked("nowhere", keys=("id",), target=Reference("nothing", ("number",))),
        asked("misnamed", keys=("id",), target=Reference("customers", ("no",))),
        asked("unread", keys=("id",), target=Reference("broken", ("number",))),
    )
    _, by_id = found(rows, plan(*rules), references={"customers": others}, unread={"broken": "half a log"})
    assert {id_: (one.outcome, one.violations) for id_, one in by_id.items()} == {
        "alone": ("fail", 2),
        "key": ("fail", 1),
        "along": ("fail", 3),
        "nowhere": ("not_evaluated", None),
        "misnamed": ("not_evaluated", None),
        "unread": ("not_evaluated", None),
    }
    assert by_id["alone"].samples == ({"id": 3}, {"id": 9})
    assert by_id["along"].samples == ({"id": 3}, {"id": 9})
    assert by_id["unread"].cause == "'broken' cannot be read: half a log"


def test_keys_that_are_in_the_table_already(session):
    batch = session.createDataFrame([(1,), (2,), (2,), (3,), (None,)], "id bigint")
    table = session.createDataFrame([(2,), (2,), (3,), (7,)], "id bigint")
    _, by_id = found(batch, plan(asked("key", keys=("id",))), existing=table, gate=True)
    assert by_id["key"].violations == 3  # both rows of 2, the one of 3
    assert "is duplicated in 1 row of the batch" in by_id["key"].message
    assert "of 3 rows is already in the table" in by_id["key"].message


def test_an_empty_table_has_no_bad_rows_and_no_age(session):
    rules = (asked("low", sql="id < 0"), asked("key", keys=("id",)), asked("age", check=RowAge("newest", "id")))
    total, by_id = found(session.range(0), plan(*rules))
    assert (total, [one.outcome for one in by_id.values()]) == (0, ["pass", "pass", "not_evaluated"])


def test_one_rule_that_the_engine_cannot_run_leaves_the_others_judged(session):
    rules = [asked(f"r{n}", sql=f"id = {n}") for n in range(5)]
    broken = asked("broken", sql="CAST(id AS STRING) RLIKE '(['")
    absent = asked("absent", sql="no_such_column > 1")
    total, by_id = found(session.range(3), plan(*rules, broken, absent, asked("key", keys=("id",))))
    assert total == 3
    assert [by_id[f"r{n}"].violations for n in range(5)] == [1, 1, 1, 0, 0]
    assert [(by_id[id_].outcome, by_id[id_].code) for id_ in ("broken", "absent")] == [("not_evaluated", "E580")] * 2
    assert "no_such_column" in by_id["absent"].cause
    assert by_id["key"].outcome == "pass"
