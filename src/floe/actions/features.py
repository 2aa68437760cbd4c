"""Features: what a model asks of a Gold table, for one key, at one day, under the schema it was trained on."""

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal as Number, InvalidOperation
from typing import Any

from floe import registry
from floe.actions.load.find import find_contract
from floe.engine.metadata.schema import Difference, differences
from floe.engine.plan import make_plan
from floe.model import ContractError, Dataset, Field, TableError
from floe.model.contract import FeatureVersion, Target, as_of_field, entity_keys
from floe.model.types import Atomic, Decimal, Struct, Text, Type, schema_hash
from floe.settings import Settings
from floe.tables import reader_of
from floe.tables.locate import TableSelector, find_target
from floe.tables.rows import RowQuery, TableRows

PINS = ("feature_version", "schema_version", "schema_hash")
_OWN = ("as_of", *PINS)
_WHOLE = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_KEYS = (*_WHOLE, "string", "boolean", "date")
_CHANGES = {
    "extra-column": "added",
    "missing-column": "removed",
    "type-mismatch": "retyped",
    "column-order": "reordered",
}


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """A Gold table that is served: the dataset of its contract, its location, and the names of its columns."""

    table_id: str
    dataset: Dataset
    promised: Struct
    target: Target
    keys: tuple[Field, ...]
    as_of: Field | None
    settings: Settings


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: an HTTP status and its body."""

    status: int
    body: dict[str, Any]


class _RefusedError(Exception):
    def __init__(self, status: int, message: str, suggestion: str, code: str = "", **more: Any) -> None:
        super().__init__(message)
        error = {"code": f"FLOE-{code}" if code else None, "message": message, "suggestion": suggestion}
        self.answer = Answer(status, {"error": error, **more})


@dataclass(frozen=True, slots=True)
class _Pin:
    """The schema that a model was trained on: a version, the start of a hash, or both."""

    version: int | None = None
    hash: str = ""

    def __str__(self) -> str:
        short = self.hash.removeprefix("sha256:")[:8]
        return "-".join([*([f"v{self.version}"] if self.version is not None else []), *([short] if short else [])])

    def fits(self, now: "_Pin") -> bool:
        """Whether it is the schema of now; a version may rise without the schema changing, so the hash decides."""
        return now.hash.startswith(self.hash) if self.hash else self.version in (None, now.version)


def feature_table(name: str, settings: Settings) -> FeatureTable:
    """The table of a Gold contract, reachable and written by floe; else an error with what is missing."""
    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset)
    if contract.layer(dataset) != "gold" or not table_id:
        raise ContractError(
            f"{contract.source}: '{dataset.name}' is not Gold, but features are served from Gold only",
            "Pass a contract of the layer gold",
            "E501",
        )
    keys = _askable(contract.source, dataset)
    known = registry.open_store(settings.registry.url, settings.root).table(table_id)
    target = find_target(settings, contract, dataset, TableSelector(), known)
    promised = make_plan(contract, dataset, settings.classifications).schema
    table = FeatureTable(table_id, dataset, promised, target, keys, as_of_field(dataset), settings)
    _recorded(table, _open(table))
    return table


def _askable(source: str, dataset: Dataset) -> tuple[Field, ...]:
    keys = entity_keys(dataset)
    if not keys:
        raise ContractError(
            f"{source}: '{dataset.name}' has neither join keys nor a primary key",
            "Add customProperty joinKeys, e.g. [customer_id], or a primary key",
            "E501",
        )
    for field in keys:
        if field.name in _OWN or not (isinstance(field.type, Text | Decimal) or str(field.type) in _KEYS):
            raise ContractError(
                f"{source}: '{field.name}' ({field.type}) cannot be a parameter of a request",
                f"The type of a key is {', '.join(_KEYS)}, decimal, char or varchar, and its name is not {', '.join(_OWN)}",
                "E501",
            )
    return keys


def _open(table: FeatureTable) -> TableRows:
    opened = reader_of(table.target).open_rows(table.target, table.settings)
    if opened is None:
        raise TableError(f"{table.target} does not exist", f"Write {table.table_id} with `floe enforce` first")
    return opened


def _recorded(table: FeatureTable, opened: TableRows) -> _Pin:
    """The schema recorded in the table."""
    version, digest = opened.properties.get("floe.schema_version", ""), opened.properties.get("floe.schema_hash", "")
    if not version.isdigit() or not digest:
        raise TableError(
            f"{table.target} has no schema_version and schema_hash, so models cannot be compared with it",
            f"Write {table.table_id} by `floe enforce`",
        )
    return _Pin(int(version), digest)


def schema_now(table: FeatureTable) -> dict[str, Any]:
    """The schema that is recorded in the table now; TableError if it is unreachable."""
    now = _recorded(table, _open(table))
    return {"table": table.table_id, "schema_version": now.version, "schema_hash": now.hash}


def features(table: FeatureTable, asked: Mapping[str, str]) -> Answer:
    """The features of the newest row of a key at or before a day; neither errors nor logs hold a value."""
    try:
        wanted = _wanted(table, asked)
        pin = _pin(table, asked)
        opened = _open(table)
        now = _recorded(table, opened)
        _check_trained(table, opened, pin, now)
        _check_kept(table, opened, now)
        return Answer(200, _found(table, opened.find(wanted), now))
    except _RefusedError as refused:
        return refused.answer
    except TableError as error:
        return Answer(503, error.to_dict())


def _wanted(table: FeatureTable, asked: Mapping[str, str]) -> RowQuery:
    names = [key.name for key in table.keys]
    for name in asked:
        if name not in (*names, *_OWN):
            raise _RefusedError(400, f"'{name}' is not a parameter", f"Use {', '.join((*names, *_OWN))}")
    values = {}
    for field in table.keys:
        if field.name not in asked:
            raise _RefusedError(400, f"The key '{field.name}' is missing", f"Use {', '.join(names)}")
        try:
            values[field.column] = _value(asked[field.name], field.type)
        except (ValueError, InvalidOperation):
            raise _RefusedError(
                400, f"'{field.name}' is not a {field.type}", f"Give a value of type {field.type}"
            ) from None
    return RowQuery(values, table.as_of.column if table.as_of else None, _before(table.as_of, asked.get("as_of")))


def _value(text: str, type_: Type) -> Any:
    """A parameter as a value of a key's type; ValueError where it is none."""
    match type_:
        case Atomic(name) if name in _WHOLE:
            number = int(text)
            if not -(2 ** (_WHOLE[name] - 1)) <= number < 2 ** (_WHOLE[name] - 1):
                raise ValueError(name)
            return number
        case Atomic("boolean"):
            return {"true": True, "false": False}[text] if text in ("true", "false") else int("not a boolean")
        case Atomic("date"):
            return date.fromisoformat(text)
        case Decimal(precision, scale):
            exact = Number(text).quantize(Number(1).scaleb(-scale))
            if exact != Number(text) or len(exact.as_tuple().digits) > precision:
                raise ValueError(str(type_))
            return exact
    return text


def _before(dated: Field | None, text: str | None) -> date | datetime | None:
    """The moment that a day ends at, in the form of the column that dates rows."""
    if text is None:
        return None
    if dated is None:
        raise _RefusedError(400, "The table has no date column in its snapshot keys", "Remove as_of")
    try:
        if len(text) != 10:
            raise ValueError(text)
        day = date.fromisoformat(text)
        following = day + timedelta(days=1)
    except (ValueError, OverflowError):
        raise _RefusedError(400, "as_of is not a date", "Write it as YYYY-MM-DD") from None
    if str(dated.type) == "date":
        return following
    return datetime.combine(following, time(), UTC if str(dated.type) == "timestamp" else None)


def _pin(table: FeatureTable, asked: Mapping[str, str]) -> _Pin:
    """The schema in the request."""
    given = _given_schema(asked)
    if "feature_version" not in asked:
        return given
    named = FeatureVersion.read(asked["feature_version"])
    if named is None or named.table_id != table.table_id:
        raise _RefusedError(
            400,
            f"feature_version does not name a snapshot of {table.table_id}",
            f"Write it as in the tag of the run: {table.table_id}@YYYY-MM-DD/vN-xxxxxxxx",
        )
    pin = _Pin(named.schema_version, f"sha256:{named.schema_hash}")
    other_hash = given.hash and not given.hash.startswith(pin.hash)
    if other_hash or given.version not in (None, pin.version):
        raise _RefusedError(400, "feature_version contradicts schema_version or schema_hash", "Pass one of them")
    return pin


def _given_schema(asked: Mapping[str, str]) -> _Pin:
    """The schema by the parameters schema_version and schema_hash."""
    version, digest = asked.get("schema_version"), asked.get("schema_hash", "").removeprefix("sha256:")
    if version is not None and not (version.isascii() and version.isdigit() and len(version) < 10):
        raise _RefusedError(
            400, "schema_version is not a whole number", "Take it from the run's tag feature_schema_version"
        )
    if "schema_hash" in asked and (len(digest) < 8 or set(digest) - set("0123456789abcdef")):
        raise _RefusedError(400, "schema_hash is not a hash", "Take it from the run's tag feature_schema_hash")
    return _Pin(int(version) if version else None, f"sha256:{digest}" if digest else "")


def _check_trained(table: FeatureTable, opened: TableRows, pin: _Pin, now: _Pin) -> None:
    """Refuse a model that was trained on another schema, naming both and what differs."""
    if pin.fits(now):
        return
    before = opened.past(pin.hash, pin.version)
    found = list(differences(before, opened.schema, exact=True)) if before else []
    said = "; ".join(map(_words, found))
    if before and not found:
        said = "whether columns may be null"
    raise _RefusedError(
        503,
        f"The model was trained on {pin} of {table.table_id}, the table now has {now}; "
        + (f"difference: {said}" if said else f"the difference is unknown, because no snapshot of {pin} is kept"),
        f"Train on {now}, or serve the model from a table of {pin}",
        found[0].code if found else "E580",
        model=str(pin),
        now=str(now),
        differences=[_difference(difference) for difference in found],
    )


def _check_kept(table: FeatureTable, opened: TableRows, now: _Pin) -> None:
    """Refuse a table that was changed past floe: what it records is no longer what it has."""
    if schema_hash(opened.schema) == now.hash:
        return
    kept = opened.stored(table.promised) if schema_hash(table.promised) == now.hash else opened.past(now.hash, None)
    found = list(differences(kept, opened.schema, exact=True)) if kept else []
    if kept and not found:
        return
    said = f"has changed since: {'; '.join(map(_words, found))}" if found else "cannot be compared with it"
    raise _RefusedError(
        503,
        f"{table.table_id} records the schema {now}, and {said}",
        "Restore the table to its contract, or write it with `floe enforce` and a new schema_version",
        found[0].code if found else "E580",
        now=str(now),
        differences=[_difference(difference) for difference in found],
    )


def _difference(difference: Difference) -> dict[str, Any]:
    field = None if difference.name == "column-order" else difference.path
    return {
        "change": _CHANGES[difference.name],
        "field": field,
        "before": difference.expected,
        "now": difference.actual,
    }


def _words(difference: Difference) -> str:
    change = _CHANGES[difference.name]
    if change == "reordered":
        return f"reordered from {difference.expected} to {difference.actual}"
    detail = {"added": difference.actual, "removed": difference.expected}.get(
        change, f"{difference.expected} to {difference.actual}"
    )
    return f"{change} '{difference.path}' ({detail})"


def _found(table: FeatureTable, rows: list[dict[str, Any]], now: _Pin) -> dict[str, Any]:
    """The newest of a key's rows as an answer."""
    newest, last = _newest(rows, table.as_of.column if table.as_of else None)
    if not last:
        raise _RefusedError(
            404, f"{table.table_id} has no row of this key at or before this day", "Check the key and as_of"
        )
    if len(last) > 1:
        raise _RefusedError(
            409,
            f"{table.table_id} has {len(last)} rows of this key in one snapshot",
            "Declare the key as a primary key",
            "E551",
        )
    named_elsewhere = {field.column for field in (*table.keys, table.as_of) if field}
    day = newest.date() if isinstance(newest, datetime) else newest
    return {
        "table": table.table_id,
        "feature_version": str(FeatureVersion(table.table_id, day, now.version or 0, now.hash)) if day else None,
        "as_of": _plain(newest),
        "schema_version": now.version,
        "schema_hash": now.hash,
        "features": {name: _plain(value) for name, value in last[0].items() if name not in named_elsewhere},
    }


def _newest(rows: list[dict[str, Any]], dated: str | None) -> tuple[Any, list[dict[str, Any]]]:
    """The newest date among rows, and the rows of it; all rows where no column dates them."""
    if dated is None:
        return None, rows
    of_a_day = [row for row in rows if row[dated] is not None]
    newest = max((row[dated] for row in of_a_day), default=None)
    return newest, [row for row in of_a_day if row[dated] == newest]


def _plain(value: Any) -> Any:
    """A value as JSON holds it; what is no number there is text."""
    match value:
        case float() if not math.isfinite(value):
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
        case date() | time():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode()
        case dict():
            return {str(key): _plain(below) for key, below in value.items()}
        case list() | tuple():
            return [_plain(below) for below in value]
    return value
