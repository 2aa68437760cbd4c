"""Find a contract among the compiled artifacts of the root."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from floe.contract.formats import read
from floe.contract.sources.files import read_bytes
from floe.lang.json_text import dumps
from floe.model import Contract, ContractError
from floe.model.contract import COMPILED
from floe.settings import Settings

FILE = "compiled_artifacts.json"
_HEAD = b'{"data_contracts": ['


def find_compiled(name: str, settings: Settings) -> Contract | None:
    """The compiled contract of a name, with all it inherits; None where there is none."""
    found = [
        compiled_entry for compiled_entry in compiled_entries(settings.root, name) if name in _names(compiled_entry)
    ]
    if len(found) > 1:
        listed = ", ".join(str(row["id"]) for row in found)
        raise ContractError(
            f"'{name}' is the name of {len(found)} contracts in {settings.root / FILE}: {listed}",
            "Pass the id and version of one of them",
            "E500",
        )
    return _contract(found[0]) if found else None


def compiled_entries(root: Path, name: str = "") -> Iterator[dict[str, Any]]:
    """The contracts of the artifacts that may have a name; each is on its own line, so that few are parsed."""
    path = root / FILE
    if not path.is_file():
        return
    lines = read_bytes(path).splitlines()
    try:
        if lines[:1] != [_HEAD]:  # written by someone else
            yield from json.loads(b"\n".join(lines))["data_contracts"]
            return
        word = dumps(name)[1:-1].encode("utf-8", "surrogatepass")
        for line in lines[1:]:
            if line.startswith(b"{") and word in line:
                value = json.JSONDecoder().raw_decode(line.decode("utf-8", "surrogatepass"))[0]
                if "contract" in value:  # products follow the contracts
                    yield value
    except (ValueError, KeyError, TypeError):
        raise ContractError(
            f"{path} is not a file of compiled artifacts or is truncated", "Write it again: floe compile", "E509"
        ) from None


def _names(entry: dict[str, Any]) -> set[str | None]:
    tables = {value["table_id"] for value in entry["datasets"]}
    return {entry["contract_id"], entry["id"], entry["id"].rsplit(":", 1)[0], *tables}


def _contract(entry: dict[str, Any]) -> Contract:
    source = f"{COMPILED}{entry['id']}"
    contract, found = read(dumps(entry["contract"]), source)
    if contract is None:
        raise ContractError(f"{source}: {found[0].message}", "Write it again: floe compile", found[0].code)
    contract = replace(contract, domain=entry["domain"], product=entry["product"])
    return contract.with_layers({value["name"]: value["layer"] for value in entry["datasets"]})
