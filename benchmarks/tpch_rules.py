"""The 21 rules that every way is asked to hold TPC-H's lineitem and orders to, and what it must find; needs nothing."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

COPIED = {"lineitem": 5, "orders": 3}
# rule -> (column, bad value, how many rows); a key in the gaps that TPC-H leaves, and a date before another, by name
PLANTED: dict[str, tuple[str, Any, int]] = {
    "partkey null": ("l_partkey", None, 11),
    "suppkey null": ("l_suppkey", None, 7),
    "extendedprice null": ("l_extendedprice", None, 5),
    "commitdate null": ("l_commitdate", None, 3),
    "shipmode null": ("l_shipmode", None, 13),
    "quantity range": ("l_quantity", Decimal("51.00"), 17),
    "discount range": ("l_discount", Decimal("0.50"), 9),
    "tax range": ("l_tax", Decimal("-0.01"), 4),
    "returnflag listed": ("l_returnflag", "X", 21),
    "linestatus listed": ("l_linestatus", "Z", 8),
    "shipinstruct pattern": ("l_shipinstruct", "deliver in person", 6),
    "comment pattern": ("l_comment", "write to someone@example.org", 10),
    "order found": ("l_orderkey", "gap", 12),
    "dates in order": ("l_receiptdate", "before", 19),
}
CLEAN = ("orderkey null", "linenumber null", "quantity null", "volume", "freshness")
EXPECTED = {
    **{rule: count for rule, (_, _, count) in PLANTED.items()},
    **dict.fromkeys(CLEAN, 0),
    "lineitem key": COPIED["lineitem"],
    "orders key": COPIED["orders"],
}
COLUMNS = (
    *("l_orderkey", "l_linenumber", "l_partkey", "l_suppkey", "l_quantity", "l_extendedprice", "l_discount", "l_tax"),
    *("l_returnflag", "l_linestatus", "l_shipdate", "l_commitdate", "l_receiptdate", "l_shipinstruct", "l_shipmode"),
    "l_comment",
)
NOT_NULL = ("orderkey", "linenumber", "partkey", "suppkey", "quantity", "extendedprice", "commitdate", "shipmode")
KEY = ("l_orderkey", "l_linenumber")
OLDEST = "1998-11-01"  # the newest shipdate is no older than this
MAX_DAYS = 36500  # the same for those who know only an age


@dataclass(frozen=True)
class Rule:
    """One rule in no tool's words."""

    name: str
    kind: str
    table: str
    columns: tuple[str, ...] = ()
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name as an identifier."""
        return self.name.replace(" ", "_")

    @property
    def column(self) -> str:
        """Its first column."""
        return self.columns[0]

    @property
    def right(self) -> frozenset[int]:
        """The counts that are right; of copies some count both rows."""
        planted = EXPECTED[self.name]
        return frozenset({planted, 2 * planted} if self.kind == "unique" else {planted})

    @property
    def bad(self) -> str:
        """SQL that is true for a row that breaks it; empty where one row cannot tell."""
        if not self.columns:
            return ""
        listed = ", ".join(f"'{value}'" for value in self.given.get("values", ()))
        ways = {
            "not null": f"{self.column} IS NULL",
            "range": f"{self.column} < {self.given.get('least')} OR {self.column} > {self.given.get('most')}",
            "listed": f"{self.column} NOT IN ({listed})",
            "pattern": f"NOT {self.column} RLIKE '{self.given.get('pattern')}'",
            "order": f"{self.columns[-1]} < {self.column}",
        }
        return ways.get(self.kind, "")


def rules(rows: int) -> list[Rule]:
    """All of them, for a lineitem of so many rows."""
    line, bounds = "lineitem", {"least": int(rows * 0.9), "most": int(rows * 1.1)}
    return [
        *(Rule(f"{name} null", "not null", line, (f"l_{name}",)) for name in NOT_NULL),
        Rule("quantity range", "range", line, ("l_quantity",), {"least": 1, "most": 50}),
        Rule("discount range", "range", line, ("l_discount",), {"least": 0.0, "most": 0.1}),
        Rule("tax range", "range", line, ("l_tax",), {"least": 0.0, "most": 0.08}),
        Rule("returnflag listed", "listed", line, ("l_returnflag",), {"values": ["R", "A", "N"]}),
        Rule("linestatus listed", "listed", line, ("l_linestatus",), {"values": ["O", "F"]}),
        Rule("shipinstruct pattern", "pattern", line, ("l_shipinstruct",), {"pattern": "^[A-Z]+( [A-Z]+)*$"}),
        Rule("comment pattern", "pattern", line, ("l_comment",), {"pattern": "^[^@]*$"}),
        Rule("dates in order", "order", line, ("l_shipdate", "l_receiptdate")),
        Rule("lineitem key", "unique", line, KEY),
        Rule("orders key", "unique", "orders", ("o_orderkey",)),
        Rule("order found", "reference", line, ("l_orderkey",), {"table": "orders", "column": "o_orderkey"}),
        Rule("volume", "volume", line, (), bounds),
        Rule("freshness", "freshness", line, ("l_shipdate",)),
    ]


ROW_RULES = {rule.name: rule.bad for rule in rules(0) if rule.bad}
