"""Copies of the contracts that were read from the registry, by their hash, for when it is out of reach."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from floe.contract.formats import read
from floe.lang.json_text import dumps
from floe.model import Contract, ContractError, Severity
from floe.model.contract import CACHE, REGISTRY, Version
from floe.settings import Settings
from floe.system.private_files import write_private


def keep(contract: Mapping[str, Any], row: Mapping[str, Any], tables: Sequence[Any], settings: Settings) -> None:
    """Keep a copy of a registered version; a folder that cannot be written is no reason to stop."""
    path = _folder(settings.root) / row["effective_hash"].removeprefix("sha256:")
    if path.exists():
        return
    copy = {
        "contract": {name: contract[name] for name in ("contract_id", "odcs_id", "domain", "product")},
        "version": {name: row[name] for name in ("contract_id", "version", "major", "effective_hash", "effective")},
        "tables": [dict(table) for table in tables if table["major"] == row["major"]],
        "text_hash": _digest(row["effective"]),
    }
    try:
        write_private(path, dumps(copy))
    except (OSError, UnicodeError) as error:
        settings.say(f"· no local copy of {row['contract_id']}:{row['version']} was written: {error}")


def cached(name: str, settings: Settings, why: str) -> Contract | None:
    """The local copy of the highest version of a name, with a message; None if there is none."""
    fitting = [copy for copy in _copies(settings.root) if name in _names(copy)]
    ids = sorted({row["contract"]["contract_id"] for row in fitting})
    if len(ids) > 1:
        raise ContractError(f"'{name}' names {len(ids)} contracts: {', '.join(ids)}", "Pass one of these ids", "E500")
    if not fitting:
        return None
    newest = max(fitting, key=lambda entry: Version.read(entry["version"]["version"]) or Version(0, 0, 0))
    made = read_registered(newest["contract"], newest["version"], newest["tables"], CACHE)
    settings.say(
        f"! FLOE-E542 warning: {why}; using the copy of {made.identity} ({newest['version']['effective_hash'][:19]}…)"
    )
    return made


def _copies(root: Path) -> Iterator[dict[str, Any]]:
    """The copies that are still what was kept."""
    folder = _folder(root)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            copy = json.loads(path.read_text("utf-8"))
            if copy["text_hash"] == _digest(copy["version"]["effective"]):
                yield copy
        except (OSError, ValueError, KeyError, TypeError):
            continue


def _names(copy: Mapping[str, Any]) -> set[str]:
    known = {copy["contract"]["contract_id"], copy["contract"]["odcs_id"]}
    known |= {value["table_id"] for value in copy["tables"] if value["table_id"]}
    return {*known, *(f"{value}:{copy['version']['version']}" for value in known)}


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _folder(root: Path) -> Path:
    return root / ".floe" / "cache" / "contracts"


def read_registered(
    contract: Mapping[str, Any], row: Mapping[str, Any], tables: Sequence[Mapping[str, Any]], prefix: str = REGISTRY
) -> Contract:
    """A registered version as a contract, with all it inherits and the layers of its tables."""
    source = f"{prefix}{row['contract_id']}:{row['version']}"
    made, found = read(row["effective"], source)
    if made is None:
        wrong = next(finding for finding in found if finding.severity >= Severity.ERROR)
        raise ContractError(
            f"{source}: {wrong.message}", "Register it again from its document", wrong.code, tuple(found)
        )
    made = replace(made, domain=made.domain or contract["domain"], product=made.product or contract["product"])
    of = {
        table["dataset"]: table["table_id"] for table in tables if table["major"] == row["major"] and table["table_id"]
    }
    return made.with_layers({dataset: table_id.split(".")[0] for dataset, table_id in of.items()})
