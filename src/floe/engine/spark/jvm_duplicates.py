"""Numbers that come more than once, found by code of floe's own in Spark's JVM; a session of somebody else may lack it.

A key is a number by its parts side by side where bounds are known and narrow enough: such a number is the key. Else it
is a hash, and equal hashes are a suspicion.
"""

import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypeGuard

from py4j.java_gateway import JavaClass
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as sql

from floe.lang.sql.literals import quote
from floe.model.plan import Bounds

MOST = 1_000  # numbers that are told one by one
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_HASHED = (
    *(*_WHOLE, "decimal", "date", "timestamp", "timestamp_ntz"),
    *("string", "boolean", "binary"),  # not: fractions, and texts that compare by a collation
)
# values as they go through Java's own types and stay what they are
_EXACT = {"string": "CAST({} AS BINARY)", "date": "unix_date({})", "timestamp": "unix_micros({})"}
_EPOCH = date(1970, 1, 1)
_BITS = 62
_ROWS = 1 << 21  # of a task that looks for repeated numbers: some 40 MB
_FEW = 100_000
_LOOKED = 50_000  # rows that are looked at one by one


class KeyPart(NamedTuple):
    """A column of a key as a number between two, and how such a number is text again."""

    number: Column
    least: int
    most: int
    text: Callable[[int], str]

    @property
    def bits(self) -> int:
        """How many its numbers need."""
        return (self.most - self.least).bit_length()


class JvmDuplicates(NamedTuple):
    """A number for each key, and the query for those that come more than once.

    Its rows have a number, how often it comes, and where: a partition of the keys, and how many of its rows.
    """

    whole: DataFrame
    number: Column
    query: DataFrame
    parts: Sequence[KeyPart] | None
    engine: Any

    def keys(self, found: Sequence[Row]) -> list[tuple[tuple[str, ...], int]] | None:
        """The keys that repeat, as texts, and how often they come; None where what was found does not tell."""
        numbers = {row.number: row.times for row in found}
        if self.parts is None or any(number >> sum(part.bits for part in self.parts) for number in numbers):
            return self._seen(numbers, found)
        return [(_texts(number, self.parts), times) for number, times in numbers.items()]

    def _seen(self, numbers: Mapping[int, int], found: Sequence[Row]) -> list[tuple[tuple[str, ...], int]] | None:
        """Keys looked up by their numbers where these were found; None where rows lie elsewhere this time."""
        ends: dict[int, int] = {}
        for row in found:
            ends[row.partition] = max(ends.get(row.partition, 0), row.rows)
        if -1 in ends or sum(numbers.values()) > _LOOKED:
            return None
        names, types = self.whole.columns, dict(self.whole.dtypes)
        values = [f"{_EXACT.get(types[name], '{}').format(quote(name))} AS `value {name}`" for name in names]
        texts = [f"CAST({quote(name)} AS STRING) AS `text {name}`" for name in names]
        asked = self.whole.select(*map(sql.expr, [*values, *texts]), self.number.alias("number"))
        places = [number for end in ends.items() for number in end]
        rows = DataFrame(self.engine.among(asked._jdf, _longs(list(numbers)), _longs(places)), asked.sparkSession)
        counts = [sql.expr("count(*) AS times"), *(sql.expr(f"min(`text {name}`)") for name in names)]
        groups = rows.groupBy("number", *(f"`value {name}`" for name in names)).agg(*counts).collect()
        seen: Counter[int] = Counter()
        for row in groups:
            seen[row.number] += row.times
        if seen != numbers:
            return None
        return [(tuple(row[-len(names) :]), row.times) for row in groups if row.times > 1]


def hashable(rows: DataFrame) -> bool:
    """Whether values of all columns are the same where their hashes are built of the same bytes."""
    return all(type_.split("(")[0] in _HASHED for _, type_ in rows.dtypes)


def find_jvm_duplicates(whole: DataFrame, bounds: Sequence[Bounds | None], rows: int) -> JvmDuplicates | None:
    """How to find the keys that come more than once; None where this session cannot, or these are no keys for it."""
    engine = _engine(whole.sparkSession)
    if engine is None or not hashable(whole) or engine.planned(whole._jdf):
        return None
    columns = zip(whole.dtypes, bounds, strict=True)
    parts = [part for (name, type_), edges in columns if edges and (part := _part(name, type_, edges, engine))]
    if len(parts) == len(whole.columns) and sum(part.bits for part in parts) < _BITS:
        return _query(whole, _packed(parts, engine), sum(part.bits for part in parts) + 1, rows, engine)._replace(
            parts=parts
        )
    bits = min(64, 2 * rows.bit_length() + 10)  # equal hashes of other keys: one time in a thousand
    number = sql.xxhash64(*(sql.col(quote(name)) for name in whole.columns))
    kept = number if bits == 64 else number.bitwiseAND(sql.lit((1 << bits) - 1))
    return _query(whole, kept, bits, rows, engine)


def _engine(spark: SparkSession) -> Any:
    """The class of floe's jar, where the session has it."""
    if not hasattr(spark, "_jsparkSession"):
        return None
    machine: Any = spark._jvm
    found = machine.floe.Repeats
    return found if isinstance(found, JavaClass) else None


def _query(whole: DataFrame, number: Column, bits: int, rows: int, engine: Any) -> JvmDuplicates:
    spark = whole.sparkSession
    parts = max(rows // _ROWS, min(spark.sparkContext.defaultParallelism, rows // _FEW), 1)
    numbers = whole.select(number.alias("floe number"))
    return JvmDuplicates(whole, number, DataFrame(engine.of(numbers._jdf, bits, parts, MOST), spark), None, engine)


def _part(name: str, type_: str, bounds: Bounds, engine: Any) -> KeyPart | None:
    least, most = bounds
    column = sql.col(quote(name))
    if type_ in _WHOLE and isinstance(least, int) and isinstance(most, int):
        return KeyPart(column.cast("bigint"), least, most, str)
    if type_ == "date" and _is_day(least) and _is_day(most):
        return KeyPart(sql.unix_date(column).cast("bigint"), (least - _EPOCH).days, (most - _EPOCH).days, _day)
    digits, scale = _digits(type_)
    if digits and isinstance(least, Decimal) and isinstance(most, Decimal):
        unscaled = Column(engine.unscaled(column._jc))
        return KeyPart(
            unscaled, int(least.scaleb(scale)), int(most.scaleb(scale)), lambda n: f"{Decimal(n).scaleb(-scale):f}"
        )
    return None


def _is_day(value: object) -> TypeGuard[date]:
    return isinstance(value, date) and not isinstance(value, datetime)


def _day(number: int) -> str:
    return (_EPOCH + timedelta(number)).isoformat()


def _digits(type_: str) -> tuple[int, int]:
    """Digits and scale of a decimal that is kept as a whole number of 64 bits; 0 for others."""
    if not type_.startswith("decimal("):
        return 0, 0
    digits, scale = map(int, type_[len("decimal(") : -1].split(","))
    return (digits, scale) if digits <= 18 else (0, 0)


def _packed(parts: Sequence[KeyPart], engine: Any) -> Column:
    """Parts side by side; one number above all for keys beyond the bounds, for a frame may have others by now."""
    beyond = 1 << sum(part.bits for part in parts)
    packed, shift = sql.lit(0).cast("bigint")._jc, 0
    for part in parts:
        packed = engine.packed(packed, part.number._jc, part.least, part.most, shift, beyond)
        shift += part.bits
    return Column(packed)


def _longs(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">{len(numbers)}q", *numbers)


def _texts(number: int, parts: Sequence[KeyPart]) -> tuple[str, ...]:
    found = []
    for part in parts:
        found.append(part.text(part.least + (number & (1 << part.bits) - 1)))
        number >>= part.bits
    return tuple(found)
