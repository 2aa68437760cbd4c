"""Quality rules: every metric, operator and unit, counted by hand."""

from decimal import Decimal
from fractions import Fraction

import pytest

from floe.contract.formats import read
from floe.engine.plan import make_plan as plan
from floe.model.result import described, holds, problem
from tests.helpers.plans import HEAD


@pytest.mark.parametrize(
    ("operators", "value", "kept"),
    [
        ({"mustBe": 3}, 3, True),
        ({"mustBe": 3}, 4, False),
        ({"mustNotBe": 3}, 4, True),
        ({"mustBeGreaterThan": 3}, 3, False),
        ({"mustBeGreaterOrEqualTo": 3}, 3, True),
        ({"mustBeGreaterThanOrEqualTo": 3}, 3, True),
        ({"mustBeLessThan": 3}, 3, False),
        ({"mustBeLessOrEqualTo": 3}, 3, True),
        ({"mustBeLessThanOrEqualTo": 3}, 4, False),
        ({"mustBeBetween": [1, 3]}, 1, True),
        ({"mustBeBetween": [1, 3]}, 3, True),
        ({"mustBeBetween": [1, 3]}, 4, False),
        ({"mustNotBeBetween": [1, 3]}, 3, False),
        ({"mustBeGreaterThan": 1, "mustBeLessThan": 3}, 2, True),
        ({"mustBeGreaterThan": 1, "mustBeLessThan": 3}, 3, False),
        ({"mustBe": Decimal("0.1")}, Fraction(1, 10), True),
        ({"mustBe": 9007199254740993}, 9007199254740992, False),
    ],
)
def test_operators_compare_exactly(operators: dict, value, kept: bool):
    assert holds(operators, Fraction(value)) is kept


@pytest.mark.parametrize(
    "operators", [{}, {"mustBe": "many"}, {"mustBeBetween": [1]}, {"mustBe": True}, {"mustBe": [1, 2]}]
)
def test_a_threshold_that_says_nothing_is_not_judged(operators: dict):
    assert problem(operators) is not None


def test_thresholds_in_signs():
    assert described({"mustBeGreaterThan": 1, "mustBeLessThan": 3}, "rows") == "> 1 and < 3"


RULES = """
      - name: id
        physicalType: int
        primaryKey: true
      - name: city
        physicalType: string
        quality:
          - {metric: nullValues, mustBeLessThan: 2}
          - {metric: nullValues, mustBeLessThan: 25, unit: percent}
          - {metric: nullValues, mustBeLessOrEqualTo: 25, unit: percent, severity: error}
          - {metric: missingValues, arguments: {missingValues: [null, '', n/a]}, mustBe: 3}
          - {id: cities, metric: invalidValues, arguments: {validValues: [Rome, Oslo]}, mustBeLessThan: 2}
          - {metric: invalidValues, arguments: {pattern: '^[A-Z][a-z]+$'}, mustBe: 2}
          - {metric: duplicateValues, mustBe: 2}
          - {metric: nullValues, mustBe: 0, unit: bananas}
          - {metric: nullValues}
          - {type: custom, engine: soda, implementation: 'x'}
          - {type: text, description: only words}
      - name: price
        physicalType: decimal(9,2)
        quality:
          - {type: custom, engine: floe, implementation: {range: {minimum: 0, exclusiveMaximum: 10}}, severity: critical}
      - name: bought
        physicalType: date
      - name: sold
        physicalType: date
    quality:
      - {metric: rowCount, mustBeBetween: [4, 8]}
      - {metric: rowCount, mustBe: 9}
      - {metric: duplicateValues, arguments: {properties: [city, price]}, mustBe: 0}
      - {type: custom, engine: floe, implementation: {pointInTime: {rule: bought <= sold}}}
      - {type: custom, engine: floe, implementation: {pointInTime: {rule: as of today}}}
"""
# 8 rows: city has 2 nulls, one '' and one 'n/a', Rome twice and Oslo twice
ROWS = """
(1, NULL, 0.00, DATE'2026-01-01', DATE'2026-01-02'),
(2, NULL, 9.99, DATE'2026-01-01', DATE'2026-01-01'),
(3, '', 10.00, DATE'2026-01-03', DATE'2026-01-02'),
(4, 'n/a', -0.01, NULL, DATE'2026-01-02'),
(5, 'Rome', 1.00, DATE'2026-01-01', NULL),
(6, 'Rome', 1.00, DATE'2026-01-01', DATE'2026-01-02'),
(7, 'Oslo', 2.00, DATE'2026-01-01', DATE'2026-01-02'),
(8, 'Oslo', NULL, DATE'2026-01-01', DATE'2026-01-02')
"""


@pytest.fixture(scope="module")
def judged(spark):
    from floe.engine.spark.measure import MeasureRequest, measure

    contract, findings = read(HEAD + RULES.lstrip("\n"), "x.yaml")
    assert contract is not None, findings
    rows = spark.sql(
        f"SELECT id, city, CAST(price AS DECIMAL(9,2)) AS price, bought, sold FROM VALUES {ROWS} AS t(id, city, price, bought, sold)"
    )
    scene = MeasureRequest(rows=rows, plan=plan(contract, contract.datasets[0]), salt="s", gate=False)
    return {one.id: one for one in measure(scene)[1]}


@pytest.mark.spark
@pytest.mark.parametrize(
    ("id_", "code", "outcome", "actual"),
    [
        ("t.city:quality.nullValues", "E550", "fail", 2),
        ("t.city:quality.nullValues[2]", "E550", "fail", 25.0),
        ("t.city:quality.nullValues[3]", "E550", "pass", 25.0),
        ("t.city:quality.missingValues", "E550", "fail", 4),
        ("t.city:quality.cities", "E552", "fail", 2),
        ("t.city:quality.invalidValues", "E553", "pass", 2),
        ("t.city:quality.duplicateValues", "E551", "pass", 2),
        ("t.city:quality.nullValues[4]", "E580", "not_evaluated", None),
        ("t.city:quality.nullValues[5]", "E580", "not_evaluated", None),
        ("t.city:quality.custom", "E580", "not_evaluated", None),
        ("t.price:quality.custom", "E554", "fail", 2),
        ("t:quality.rowCount", "E557", "pass", 8),
        ("t:quality.rowCount[2]", "E557", "fail", 8),
        ("t:quality.duplicateValues", "E551", "fail", 1),
        ("t:quality.custom", "E558", "fail", 1),
        ("t:quality.custom[2]", "E580", "not_evaluated", None),
    ],
)
def test_each_rule_counts_what_it_says(judged, id_: str, code: str, outcome: str, actual):
    one = judged[id_]
    assert (one.code, one.outcome, one.actual) == (code, outcome, actual)


@pytest.mark.spark
def test_severities_and_causes(judged):
    assert str(judged["t.city:quality.nullValues"].severity) == "error"  # a rule that names none
    assert str(judged["t.city:quality.nullValues[3]"].severity) == "error"
    assert str(judged["t:quality.custom"].severity) == "critical"
    assert judged["t.city:quality.nullValues[4]"].cause == "the unit 'bananas' is neither rows nor percent"
    assert judged["t.city:quality.nullValues[5]"].cause == "the rule has no threshold"
    assert judged["t.city:quality.custom"].cause == "floe does not run the engine 'soda'"
    assert judged["t:quality.custom[2]"].cause == "'as of today' does not compare two columns of the table"
    assert "only words" not in str(judged)


PATTERNS = [
    (r"^[A-Z]{3}$", ["ABC"], ["ABC\n", "abc", "ABCD"]),
    (r"b", ["abc"], ["acd"]),
    (r"^.$", ["x"], ["\n", "xy"]),
    (r"^[^]$", ["x", "\n"], ["xy"]),
    (r"^\d+$", ["12"], ["1٣"]),
    (r"^[\w.+-]+@[\w-]+\.[\w.]+$", ["a.b@c.de"], ["a@b", "a b@c.de"]),
    (r"^[a-z&&[^b]]*$", ["a]"], ["A"]),
    (r"^\p{L}+$", ["Ärger"], ["a1"]),
    (r"^[^@]*$", ["", "a\n", "\n\n", "ä\r\n"], ["@", "a@", "@\n", "a\n@", "x@\u2028"]),
    (r"^[^,;]*$", ["a.b"], ["a,b", "a;b", ";\n"]),
    (r"^[^0-9]*$", ["a-b"], ["a4b"]),
]


@pytest.mark.spark
@pytest.mark.parametrize(("pattern", "good", "bad"), PATTERNS)
def test_patterns_mean_in_spark_what_the_standard_says(spark, pattern: str, good: list[str], bad: list[str]):
    from floe.engine.plan.expectations import java_pattern, unmatched, with_precomputed_values
    from floe.lang.sql.literals import text

    java, _ = java_pattern(pattern)
    assert java is not None
    for values, wanted in ((good, True), (bad, False)):
        for value in values:
            assert spark.sql(f"SELECT {text(value)} RLIKE {text(java)} AS m").collect()[0].m is wanted, (pattern, value)
    rows = spark.createDataFrame([(value,) for value in (*good, *bad, None)], "v string")
    for known in ((), good, bad, [*good, *bad]):  # whatever is known of a column's values, the same rows are bad
        for rule in (unmatched("`v`", java), f"`v` IS NOT NULL AND ({unmatched('`v`', java)})"):
            found = rows.where(with_precomputed_values(rule, {"v": known})).collect()
            assert [row.v for row in found] == bad, (pattern, known)
