"""What the rows of a frame show, by Spark's aggregates."""

import datetime
from typing import Any

from pyspark.sql import (
    DataFrame,
    functions as F,  # noqa: N812  (as everybody calls it)
)

from floe.engine.spark.session import own_session
from floe.lang.sql.literals import quote
from floe.model import EngineError, TableError
from floe.model.contract import Target
from floe.model.profile import LONGEST_VALUE, MOST_VALUES, ColumnSeen, Observation, find_key, kind
from floe.model.types import Atomic, Struct
from floe.settings import Settings
from floe.tables.formats import readable
from floe.tables.spark.errors import ENGINE_ERRORS, first_line

# an estimate of distinct values is wrong by about a twentieth
_NEARLY = 0.85
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def frame_of(target: Target, settings: Settings) -> DataFrame | None:
    """A table as Spark reads it; None where it is not there."""
    spark, table = own_session(settings), readable(target)
    try:
        return table.read(spark, target) if table.exists(spark, target) else None
    except ENGINE_ERRORS as error:
        raise TableError(
            f"{target} cannot be read: {first_line(error)}", "Check the table and its catalog (`floe doctor`)"
        ) from None


def observe_frame(frame: DataFrame, schema: Struct) -> Observation | None:
    """Nulls, bounds, listed values and keys of all rows; None for a stream, which has no end."""
    if frame.isStreaming:
        return None
    try:
        return _observed(frame, schema)
    except ENGINE_ERRORS as error:
        raise EngineError(f"Spark could not read the rows: {first_line(error)}", "Check the frame") from None


def _observed(frame: DataFrame, schema: Struct) -> Observation:
    kinds = {member.name: kind(member.type) for member in schema.members}
    instants = {member.name: member.type == Atomic("timestamp") for member in schema.members}
    first = _first_pass(frame, kinds, instants)
    rows = first["rows"]
    nulls = {name: rows - first[f"n{index}"] for index, name in enumerate(kinds)}
    distinct = {name: first.get(f"d{index}") or 0 for index, name in enumerate(kinds)}
    values = _values(frame, [n for n in kinds if kinds[n] == "text" and 0 < distinct[n] <= 2 * MOST_VALUES])
    unique, key = _keys(frame, [n for n in kinds if kinds[n] in ("text", "whole") and not nulls[n]], distinct, rows)
    seen = {}
    for index, name in enumerate(kinds):
        low, high = _edges(first, index, instants[name])
        seen[name] = ColumnSeen(nulls[name], low, high, values.get(name), name in unique)
    return Observation(rows, True, seen, key)


def _keys(frame: DataFrame, names: list[str], distinct: dict[str, int], rows: int) -> tuple[list[str], tuple[str, ...]]:
    """Which columns without nulls are unique, and the columns that make a key; nothing is known of fewer than two rows."""
    if rows <= 1:
        return [], ()
    nearly = [name for name in names if distinct[name] >= rows * _NEARLY]
    unique = [name for name in nearly if _distinct(frame, (name,), rows)]
    return unique, find_key(names, unique, lambda some: _distinct(frame, some, rows))


def _edges(first: dict[str, Any], index: int, instant: bool) -> tuple[Any, Any]:
    """The least and the most value of a column; none where it has NaN or infinity."""
    if first.get(f"u{index}"):
        return None, None
    return _edge(first.get(f"a{index}"), instant), _edge(first.get(f"z{index}"), instant)


def _first_pass(frame: DataFrame, kinds: dict[str, str | None], instants: dict[str, bool]) -> dict[str, Any]:
    """One pass for all columns."""
    asked = [F.count(F.lit(1)).alias("rows")]
    for index, (name, kind_) in enumerate(kinds.items()):
        value = F.col(quote(name))
        asked.append(F.count(value).alias(f"n{index}"))
        if kind_ in ("whole", "number", "moment"):
            least, most = F.min(value), F.max(value)
            if instants[name]:  # which Python would show in its own zone
                least, most = F.unix_micros(least), F.unix_micros(most)
            asked += [least.alias(f"a{index}"), most.alias(f"z{index}")]
        if kind_ == "number":
            number = value.cast("double")
            asked.append(F.max(F.isnan(number) | (F.abs(number) == float("inf"))).alias(f"u{index}"))
        if kind_ in ("text", "whole"):
            asked.append(F.approx_count_distinct(value).alias(f"d{index}"))
    return dict(frame.agg(*asked).collect()[0].asDict())


def _edge(value: Any, instant: bool) -> Any:
    try:
        return _EPOCH + datetime.timedelta(microseconds=value) if instant and value is not None else value
    except OverflowError:  # years that Python does not have
        return None


def _values(frame: DataFrame, names: list[str]) -> dict[str, tuple[str, ...]]:
    """Every value of the columns that have few."""
    if not names:
        return {}
    sets = [F.collect_set(F.col(quote(name))).alias(str(index)) for index, name in enumerate(names)]
    found = frame.agg(*sets).collect()[0]
    listed = {name: tuple(sorted(map(str, found[index]))) for index, name in enumerate(names)}
    return {
        name: values
        for name, values in listed.items()
        if values and len(values) <= MOST_VALUES and max(map(len, values)) <= LONGEST_VALUE
    }


def _distinct(frame: DataFrame, names: tuple[str, ...], rows: int) -> bool:
    return frame.select(*(F.col(quote(name)) for name in names)).distinct().count() == rows
