"""Read: the rows of the table of one MAJOR version."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import engine, registry
from floe.actions.load.find import find_contract
from floe.actions.load.settings import load_settings
from floe.model import Contract, Dataset
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PIN = re.compile(r"(0|[1-9]\d*)(\.(x|\*|\d+)){0,2}")
_SUFFIX = re.compile(r"_v\d+$")


def read(
    contract: str | Path | Contract,
    version: str | int | None = None,
    *,
    snapshot: str | int | None = None,
    table: str | None = None,
    server: str | None = None,
    settings: Settings | None = None,
) -> "DataFrame":
    """The rows of a contract's table, of the MAJOR that a consumer is pinned to; TableError where there is none.

    Args:
        contract: a table_id, an id with or without version, a path, YAML text, or a loaded contract.
        version: the MAJOR that is meant: 1, "1", "1.x" or a version of it; the contract's own where not given.
        snapshot: a snapshot of the table: Delta's version, Iceberg's snapshot id; the newest where not given.
        table: the table, where it is not found by the contract: a catalog name or a path.
        server: the name or environment of the contract's server, where it has several.
        settings: read from the folder's manifest.yaml and the environment where not given.
    """
    settings = settings or load_settings()
    if snapshot is not None and not str(snapshot).isdigit():
        raise ValueError(f"snapshot '{snapshot}' is no number")
    found, dataset = _pinned(contract, version, settings)
    major = _major(version) if version is not None else _major(found.version)
    targets = list(dict.fromkeys(_targets(found, dataset, major, TableSelector(table, server), settings)))
    at = str(snapshot) if snapshot is not None else None
    return engine.spark.major_table.read_pinned(targets, found.identity.rsplit(":", 1)[0], major, at, settings)


def _major(version: str | int) -> int:
    text = str(version)
    if not _PIN.fullmatch(text):
        raise ValueError(f"version '{version}' names no MAJOR: write 1, '1.x' or '1.2.0'")
    return int(text.split(".", maxsplit=1)[0])


def _pinned(contract: str | Path | Contract, version: str | int | None, settings: Settings) -> tuple[Contract, Dataset]:
    """The contract of the MAJOR that is meant, where the registry knows one; else as it is found."""
    from floe.actions.load.registered import registered_major

    found, dataset = find_contract(contract, settings)
    if version is None or _major(version) == _major(found.version):
        return found, dataset
    name = found.identity.rsplit(":", 1)[0]
    older = registered_major(name, _major(version), settings)
    if older is None:
        return found, dataset
    same = [value for value in older.datasets if value.name == dataset.name] or list(older.datasets)
    return older, same[0]


def _targets(
    contract: Contract, dataset: Dataset, major: int, way: TableSelector, settings: Settings
) -> Iterator[Target]:
    """Possible tables of a MAJOR: `<table>_v<major>`, or else the original one."""
    if way.table:
        yield find_target(settings, contract, dataset, way, None)
        return
    known = _known(contract.table_id(dataset), settings)
    for here in (find_target(settings, contract, dataset, way, row) for row in (known, None)):
        base = _renamed(here, "")
        yield from (_renamed(here, f"_v{major}"), here, base)


def _renamed(target: Target, suffix: str) -> Target:
    name, path = target.name, target.path.rstrip("/") if target.path else None
    return replace(
        target,
        name=_SUFFIX.sub("", name) + suffix if name else None,
        path=_SUFFIX.sub("", path) + suffix if path else None,
    )


def _known(table_id: str | None, settings: Settings) -> Mapping[str, Any] | None:
    store = registry.find_store(settings.registry.url, settings.root) if table_id else None
    return store.table(str(table_id)) if store else None
