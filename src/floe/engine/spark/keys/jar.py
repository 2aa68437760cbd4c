"""Keys by floe.jar, floe's own code in Spark's JVM; sessions that floe starts have it, others may lack it.

Idea: a key is encoded as one number of at most 64 bits, its code: the parts side by side where their bounds are known and
narrow enough (then the code is the key), else a hash. The jar takes the codes out of the loop that reads the rows, shuffles
them as byte arrays, and looks for equal ones. A row costs neither a shuffle record nor a hash map entry.

Why it is right: rows of one key have one code, so a code that occurs once is no repeated key. Repeated codes that are the key
are told at once. Of repeated hashes the rows are read again, where they were seen, and compared by their values; where fewer
are found than were seen, all rows with such a code are grouped by the key. That no row is lost on the way is not taken on
trust: the codes that were compared and the rows with null keys that were left out must be the rows that the table's metadata,
or the count of its rows, knows of. Where they are not, the answer is thrown away, all rows are grouped, and the result says so.

Memory: about 1 MB for a task that reads; 8 bytes a row for a task that compares 2 million rows, and a hash table of one
bucket; at most a few thousand rows for the driver.

Failure: where the jar is missing, the workers' Spark is another one, or anything fails, another way is taken.

Gain: 1.6 to 3.0 times a scan of the key, where `groupBy` costs 14 to 39 (docs/design/keys.md).
"""

import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, TypeGuard

from py4j.java_gateway import JavaClass
from pyspark.sql import Column, DataFrame, Row, SparkSession, functions as sql

from floe.engine.spark.keys.columns import hashable, is_whole
from floe.engine.spark.keys.grouping import MOST_SUSPECTS, group_suspects, too_many_suspects
from floe.engine.spark.keys.result import Declined, DuplicateKeys, KeyStatistics, no_duplicates
from floe.engine.spark.row_pass import SAMPLES, SampleKey
from floe.lang.sql.literals import quote
from floe.model.plan import Bounds
from floe.tables.spark.errors import ENGINE_ERRORS, first_line

_WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")
# values as they go through Java's own types and stay what they are
_EXACT = {"string": "CAST({} AS BINARY)", "date": "unix_date({})", "timestamp": "unix_micros({})"}
_EPOCH = date(1970, 1, 1)
_EXACT_BITS = 62
_ROWS_OF_REDUCER = 1 << 21
_ROWS_OF_SMALL_REDUCER = 100_000
_MOST_LOOKED_UP = 50_000  # rows that are looked up one by one
Places = Mapping[int, int]  # a partition -> the last of its rows that may have a code


class KeyPart(NamedTuple):
    """A column of a key as a number between two, and how such a number is text again."""

    code: Column
    least: int
    most: int
    text: Callable[[int], str]

    @property
    def bits(self) -> int:
        """How many its numbers need."""
        return (self.most - self.least).bit_length()


class _Coding(NamedTuple):
    """How keys are encoded: the code, how many bits it has, and the parts it holds; none where it is a hash."""

    code: Column
    bits: int
    parts: Sequence[KeyPart] = ()


class JarSearch(NamedTuple):
    """A search for the codes that occur more than once among keys; its query counts the rows that it compared."""

    keys: DataFrame
    coding: _Coding
    query: DataFrame
    finder: Any

    @property
    def method(self) -> str:
        """Its name in a result."""
        return f"floe.jar ({'exact codes' if self.coding.parts else 'hashes'})"

    def read(self, found: Sequence[Row], key: SampleKey) -> DuplicateKeys | None:
        """The keys that repeat; None where rows of a hash are not where they were seen."""
        times = {row.code: row.times for row in found}
        parts, bits = self.coding.parts, sum(part.bits for part in self.coding.parts)
        repeated: list[tuple[tuple[str, ...], int]] | None
        if parts and not any(code >> bits for code in times):
            repeated = [(_texts(code, parts), count) for code, count in times.items()]
        else:
            repeated = self._looked_up(times, found)
        if repeated is None:
            return None
        samples = sorted(tuple(f"={text}" for text in texts) for texts, _ in repeated)[:SAMPLES]
        return DuplicateKeys(sum(count - 1 for _, count in repeated), 0, 0, samples, key, self.method)

    def _looked_up(self, times: Mapping[int, int], found: Sequence[Row]) -> list[tuple[tuple[str, ...], int]] | None:
        """The keys of codes, read where these were seen; None where not just as many rows have them this time."""
        places: dict[int, int] = {}
        for row in found:
            places[row.partition] = max(places.get(row.partition, 0), row.last_row)
        if -1 in places or sum(times.values()) > _MOST_LOOKED_UP:
            return None
        names, types = self.keys.columns, dict(self.keys.dtypes)
        values = [f"{_EXACT.get(types[name], '{}').format(quote(name))} AS `value {name}`" for name in names]
        texts = [f"CAST({quote(name)} AS STRING) AS `text {name}`" for name in names]
        rows = self._rows_with(times, places, [*values, *texts])
        counts = [sql.expr("count(*) AS times"), *(sql.expr(f"min(`text {name}`)") for name in names)]
        groups = rows.groupBy("floe code", *(f"`value {name}`" for name in names)).agg(*counts).collect()
        seen: Counter[int] = Counter()
        for row in groups:
            seen[row["floe code"]] += row.times
        if seen != times:
            return None
        return [(tuple(row[-len(names) :]), row.times) for row in groups if row.times > 1]

    def _rows_with(self, codes: Mapping[int, int], places: Places, columns: Sequence[str]) -> DataFrame:
        coded = _coded(self.keys, self.coding.code, columns)
        ends = [number for place in places.items() for number in place]
        return DataFrame(self.finder.rowsWithCodes(coded._jdf, _longs(list(codes)), _longs(ends)), coded.sparkSession)


def duplicates_by_jar(keys: DataFrame, key: SampleKey, known: KeyStatistics) -> DuplicateKeys | Declined:
    """The keys that repeat, of all rows, also those with a null part: these are counted too, and left out."""
    try:
        search = search_by_jar(keys, known)
        return search if isinstance(search, Declined) else _found(search, key, known)
    except ENGINE_ERRORS as error:
        return Declined(f"floe.jar failed: {first_line(error)}")


def search_by_jar(keys: DataFrame, known: KeyStatistics) -> JarSearch | Declined:
    """How to find the codes that occur more than once; why not, where this session or these keys do not allow it."""
    finder = _finder(keys.sparkSession)
    if finder is None:
        return Declined("this session has no floe.jar")
    if not hashable(keys):
        return Declined("floe.jar has no codes for such types")
    if finder.hasLocalRelation(keys._jdf):
        return Declined("rows that stand in a query's plan are not read by floe.jar")
    coding = _coding(keys, known, finder)
    parallel = min(keys.sparkSession.sparkContext.defaultParallelism, known.rows // _ROWS_OF_SMALL_REDUCER)
    reducers = max(known.rows // _ROWS_OF_REDUCER, parallel, 1)
    coded = _coded(keys, coding.code, ())
    query = finder.find(coded._jdf, coding.bits, reducers, MOST_SUSPECTS)
    return JarSearch(keys, coding, DataFrame(query, keys.sparkSession), finder)


def _found(search: JarSearch, key: SampleKey, known: KeyStatistics) -> DuplicateKeys | Declined:
    rows = search.query.collect()
    repeated = [row for row in rows if row.code is not None]
    codes = {row.code for row in repeated}
    if len(codes) > MOST_SUSPECTS:
        return too_many_suspects()
    seen = sum(row.compared + row.null_keys for row in rows if row.code is None)
    if seen != known.rows:
        return Declined(f"floe.jar saw {seen:,} rows, and there are {known.rows:,}", group=True)
    if not codes:
        return no_duplicates(key, search.method)
    suspects = search.keys.where(is_whole(search.keys.columns)).where(search.coding.code.isin(codes))
    return search.read(repeated, key) or group_suspects(suspects, key, search.method)


def _finder(spark: SparkSession) -> Any:
    """The class of floe.jar, where the session has it."""
    if not hasattr(spark, "_jsparkSession"):
        return None
    machine: Any = spark._jvm
    found = machine.floe.DuplicateKeyFinder
    return found if isinstance(found, JavaClass) else None


def _coded(keys: DataFrame, code: Column, columns: Sequence[str]) -> DataFrame:
    """Columns, and the two that floe.jar reads: whether a key has no null part, and its code."""
    whole = sql.expr(is_whole(keys.columns)).alias("floe whole")
    return keys.select(*map(sql.expr, columns), whole, code.alias("floe code"))


def _coding(keys: DataFrame, known: KeyStatistics, finder: Any) -> _Coding:
    columns = zip(keys.dtypes, known.bounds, strict=True)
    parts = [part for (name, type_), edges in columns if edges and (part := _part(name, type_, edges, finder))]
    bits = sum(part.bits for part in parts)
    if len(parts) == len(keys.columns) and bits < _EXACT_BITS:
        return _Coding(_packed(parts, finder), bits + 1, parts)
    bits = min(64, 2 * known.rows.bit_length() + 10)  # two keys share a hash: one time in a thousand
    hash_ = sql.xxhash64(*(sql.col(quote(name)) for name in keys.columns))
    return _Coding(hash_ if bits == 64 else hash_.bitwiseAND(sql.lit((1 << bits) - 1)), bits)


def _part(name: str, type_: str, bounds: Bounds, finder: Any) -> KeyPart | None:
    least, most = bounds
    column = sql.col(quote(name))
    if type_ in _WHOLE_NUMBERS and isinstance(least, int) and isinstance(most, int):
        return KeyPart(column.cast("bigint"), least, most, str)
    if type_ == "date" and _is_day(least) and _is_day(most):
        return KeyPart(sql.unix_date(column).cast("bigint"), (least - _EPOCH).days, (most - _EPOCH).days, _day)
    digits, scale = _digits(type_)
    if digits and isinstance(least, Decimal) and isinstance(most, Decimal):
        unscaled = Column(finder.unscaled(column._jc))
        return KeyPart(unscaled, int(least.scaleb(scale)), int(most.scaleb(scale)), partial(_decimal, scale))
    return None


def _is_day(value: object) -> TypeGuard[date]:
    return isinstance(value, date) and not isinstance(value, datetime)


def _day(number: int) -> str:
    return (_EPOCH + timedelta(number)).isoformat()


def _decimal(scale: int, number: int) -> str:
    return f"{Decimal(number).scaleb(-scale):f}"


def _digits(type_: str) -> tuple[int, int]:
    """Digits and scale of a decimal that is kept as a whole number of 64 bits; 0 for others."""
    if not type_.startswith("decimal("):
        return 0, 0
    digits, scale = map(int, type_[len("decimal(") : -1].split(","))
    return (digits, scale) if digits <= 18 else (0, 0)


def _packed(parts: Sequence[KeyPart], finder: Any) -> Column:
    """Parts side by side; one code above all for keys outside the bounds, for a frame may have others by now."""
    outside = 1 << sum(part.bits for part in parts)
    packed, shift = sql.lit(0).cast("bigint")._jc, 0
    for part in parts:
        packed = finder.packPart(packed, part.code._jc, part.least, part.most, shift, outside)
        shift += part.bits
    return Column(packed)


def _longs(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">{len(numbers)}q", *numbers)


def _texts(code: int, parts: Sequence[KeyPart]) -> tuple[str, ...]:
    found = []
    for part in parts:
        found.append(part.text(part.least + (code & (1 << part.bits) - 1)))
        code >>= part.bits
    return tuple(found)
