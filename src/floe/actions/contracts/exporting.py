"""Export: the whole registry as files: documents, and JSON lines for everything else."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from floe import registry
from floe.actions.load.registered import registry_of
from floe.lang.json_text import dumps
from floe.model import RegistryError, SettingError
from floe.settings import Settings
from floe.system.full_disk import remedy

ROWS, DOCUMENTS = "registry.jsonl", "contracts"
FORMAT = "floe/registry-export/v1"
_LONGEST = 120


def export(folder: str | Path, settings: Settings) -> dict[str, Any]:
    """Write the registry into a folder that is new, empty, or an earlier export; it is there whole or not at all."""
    place = Path(folder).resolve()
    _takes_an_export(place)
    store = registry_of(settings)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}-") as made:
            new = Path(made) / "new"
            new.mkdir()
            counts = _write(store, new)
            if place.exists():
                place.rename(Path(made) / "old")
            new.rename(place)
    except OSError as error:
        raise RegistryError(
            f"The export cannot be written to {place}: {error.strerror}",
            remedy(error, "Pass another folder"),
            "E542",
        ) from None
    return {"folder": str(place), "contracts": counts["contracts"], "versions": counts["versions"], "rows": counts}


def _takes_an_export(place: Path) -> None:
    if not place.exists():
        return
    others = (
        [path.name for path in place.iterdir() if path.name not in (ROWS, DOCUMENTS)] if place.is_dir() else ["file"]
    )
    if others or (any(place.iterdir()) and not (place / ROWS).is_file()):
        raise SettingError(
            f"{place} is {'a folder with other files' if place.is_dir() else 'not a folder'}",
            "Pass a new or empty folder, or an earlier export",
        )


def _write(store: Any, folder: Path) -> dict[str, int]:
    """Write all rows, and a last line with their counts and the hash of all lines before it."""
    counts, digest = dict.fromkeys(registry.exports.TABLES, 0), hashlib.sha256()
    with (folder / ROWS).open("wb") as file:

        def put(value: dict[str, Any]) -> None:
            line = dumps(value).encode("utf-8", "surrogatepass") + b"\n"
            digest.update(line)
            file.write(line)

        put({"format": FORMAT, "schema": registry.store.HEAD})
        for table, row in registry.exports.all_rows(store):
            counts[table] += 1
            put({"table": table, "row": _apart(row, folder) if table == "versions" else row})
        put({"end": counts, "sha256": digest.hexdigest()})
        file.flush()
        os.fsync(file.fileno())
    return counts


def _apart(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A version whose document is a separate file."""
    name = Path(DOCUMENTS, *_parts(row["contract_id"]), f"{row['version']}.yaml")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(row["document"].encode("utf-8", "surrogatepass"))
    return {**{key: value for key, value in row.items() if key != "document"}, "file": name.as_posix()}


def _parts(contract_id: str) -> Iterator[str]:
    """An id as folders, whatever characters it has.

    >>> list(_parts("sales.shop/orders")), list(_parts("../é"))
    (['sales.shop', 'orders'], ['%2E.', '%C3%A9'])
    """
    for part in contract_id.split("/"):
        safe = quote(part, safe=" ", errors="surrogatepass")
        safe = f"%2E{safe[1:]}" if safe.startswith(".") else safe or "%"
        if len(safe) > _LONGEST:
            safe = f"{safe[:_LONGEST]}-{hashlib.sha256(part.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        yield safe
