"""Import: an exported registry back into an empty one, or the same one."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from floe import registry
from floe.actions.contracts.exporting import FORMAT, ROWS
from floe.model import RegistryError
from floe.settings import Settings

_AGAIN = "Export again: floe contracts export FOLDER"


def import_registry(folder: str | Path, settings: Settings) -> dict[str, Any]:
    """Put an export back, all of it or nothing: hashes are checked first, rows that are there already must be equal."""
    place = Path(folder).resolve()
    counts = _checked(place)
    store = registry.open_store(settings.registry.url, settings.root)
    added = registry.exports.restore(store, _rows(place))
    return {"folder": str(place), "added": added, "known": sum(counts.values()) - added, "rows": counts}


def _checked(place: Path) -> dict[str, int]:
    """How many rows of each table there are, once everything is known to be whole."""
    digest, last = hashlib.sha256(), None
    for number, line in _lines(place):
        if last is not None:
            raise _broken(place, f"line {number} is after the last line")
        value = _value(place, number, line)
        if "end" in value:
            last = value
            continue
        _known_head(place, number, value)
        digest.update(line)
    if last is None:
        raise _broken(place, "it is truncated")
    if last.get("sha256") != digest.hexdigest():
        raise _broken(place, "its lines were changed")
    found: dict[str, int] = dict.fromkeys(last["end"], 0)
    for table, _ in _rows(place):  # also reads and checks every document
        found[table] = found.get(table, 0) + 1
    if found != last["end"]:
        raise _broken(place, "its number of rows differs from its last line")
    return found


def _known_head(place: Path, number: int, value: dict[str, Any]) -> None:
    if number > 1:
        return
    if value.get("format") != FORMAT:
        raise _broken(place, f"its first line is not {FORMAT}")
    if value.get("schema") != registry.store.HEAD:
        raise RegistryError(
            f"{place / ROWS} has schema {value.get('schema')}, this version of floe imports {registry.store.HEAD}",
            "Export it again with this version of floe, or import it with the version that wrote it",
            "E542",
        )


def _rows(place: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in _lines(place):
        value = _value(place, number, line)
        if number == 1 or "end" in value:
            continue
        table, row = value.get("table"), value.get("row")
        if table not in registry.exports.TABLES or not isinstance(row, dict):
            raise _broken(place, f"line {number} is not a row of a table")
        yield str(table), _with_document(place, row) if table == "versions" else row


def _with_document(place: Path, row: dict[str, Any]) -> dict[str, Any]:
    name = str(row.pop("file", ""))
    path = (place / name).resolve()
    if not path.is_relative_to(place) or not path.is_file():
        raise _broken(place, f"the document '{name}' is missing")
    whole = {**row, "document": path.read_bytes().decode("utf-8", "surrogatepass")}
    if not registry.exports.untouched(whole):
        raise RegistryError(
            f"{path} is not the document that was registered as {row['contract_id']}:{row['version']}",
            f"Restore the file. {_AGAIN}",
            "E523",
        )
    return whole


def _lines(place: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with (place / ROWS).open("rb") as file:
            yield from enumerate(file, 1)
    except OSError as error:
        raise _broken(place, (error.strerror or str(error)).lower()) from None


def _value(place: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _broken(place, f"line {number} is not a JSON object")
    return value


def _broken(place: Path, why: str) -> RegistryError:
    return RegistryError(f"{place / ROWS} is not a complete export: {why}; nothing was imported", _AGAIN, "E542")
