"""Init: start a product folder, from nothing or from what is there."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from floe.actions.bootstrap import BootstrapOptions, bootstrap_each, is_document
from floe.actions.convert import contracts_in
from floe.actions.load.settings import load_settings
from floe.contract.formats import odcs
from floe.contract.formats.odcs import write as odcs_write
from floe.contract.templates import SCHEMA_FILE, editor_schema, template
from floe.model import Contract, ContractError, FloeError, List, Map
from floe.system.full_disk import remedy
from floe.system.whole_file import write_whole

_WORD = re.compile(r"[a-z][a-z0-9_]*")
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Start:
    """What a new product is called."""

    folder: Path
    product: str
    domain: str = "default"
    table: str = "dataset"
    layer: str = "silver"
    format: str = "delta"
    owner: str = "unknown"


def init(start: Start, origin: str | None = None) -> list[Path]:
    """Write a product folder and return its files; nothing that is there is overwritten.

    Args:
        start: what the product is called.
        origin: a table (as `floe bootstrap` takes it), a dbt manifest, a SQL DDL, an Avro or JSON Schema to start from.
    """
    for what, word in (("domain", start.domain), ("product", start.product), ("table", start.table)):
        if not is_word(word):
            raise FloeError(
                f"The {what} '{word}' is not a plain word",
                "Use lowercase letters, digits and underscores, e.g. customer_orders",
            )
    contracts = start.folder / "contracts"
    texts = {contracts / SCHEMA_FILE: editor_schema(), start.folder / ".gitignore": ".floe/\n"}
    texts |= _contracts(start, origin)
    tables = [path.stem for path in texts if path.parent.parent.name == start.layer]
    ports = "\n".join(
        f"  - name: {table}\n    table: {start.layer}.{start.domain}.{table}\n    format: {start.format}"
        for table in tables
    )
    values = {**_values(start), "ports": ports}
    texts |= {start.folder / name: template(name, values) for name in ("floe.yaml", "manifest.yaml")}
    return _write(texts)


def is_word(text: str) -> bool:
    """Whether a text can name a domain, product or table."""
    return _WORD.fullmatch(text) is not None


def _values(start: Start) -> dict[str, str]:
    return {
        "schema": f"../../{SCHEMA_FILE}",
        "layer": start.layer,
        "domain": start.domain,
        "product": start.product,
        "table": start.table,
        "format": start.format,
        "owner": start.owner,
        "repository": _repository(start.folder),
    }


def _repository(folder: Path) -> str:
    ask = ["git", "-C", str(_nearest(folder)), "remote", "get-url", "origin"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, timeout=10, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    return re.sub(r"//[^/@]*@", "//", said) or "unknown"


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next(path for path in (folder, *folder.parents) if path.is_dir())


def _contracts(start: Start, origin: str | None) -> dict[Path, str]:
    home = start.folder / "contracts" / start.layer / start.domain
    if origin is None:
        return {home / f"{start.table}.yaml": template("contract.yaml", _values(start))}
    modeline = f"# yaml-language-server: $schema=../../{SCHEMA_FILE}\n"
    if not is_document(origin):
        wanted = BootstrapOptions(domain=start.domain, product=start.product, layer=start.layer)
        found = bootstrap_each(origin, wanted, load_settings(start=_nearest(start.folder)))
        return {home / first.file_name: modeline + first.text for first in found}
    named = [_named(contract.node, start, origin) for contract, _ in contracts_in(origin, None, None)]
    return {
        home / f"{contract.datasets[0].name}.yaml": modeline + odcs_write.write(contract, "v3.1.0")
        for contract in named
    }


def _named(tree: Map, start: Start, origin: str) -> Contract:
    """A contract under the new product's name, in its layer."""
    tree.put("domain", start.domain)
    tree.put("dataProduct", start.product)
    tree.put("status", "draft")
    for dataset in tree.get("schema") or ():
        dataset.put("physicalName", f"{start.layer}.{start.domain}.{dataset['name'].rsplit('.', 1)[-1]}")
        entry = Map(tree.place)
        entry.put("property", "layer")
        entry.put("value", start.layer)
        others = [value for value in dataset.get("customProperties") or () if value.get("property") != "layer"]
        properties = List(tree.place)
        for other in (*others, entry):
            properties.add(other)
        dataset.put("customProperties", properties)
    contract, findings = odcs.read(tree, origin)
    if contract is None or not contract.datasets:
        raise ContractError(
            f"No contract can be generated from {origin}", "Use another source", "E501", tuple(findings)
        )
    return contract


def _write(texts: dict[Path, str]) -> list[Path]:
    """All of the files, or none: what is there already stays as it is."""
    contracts = [path for path in texts if path.suffix == ".yaml" and path.exists()]
    if contracts:
        raise FloeError(f"{contracts[0]} already exists", "Use another folder, or edit the file")
    written = []
    try:
        for path, text in texts.items():
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, text)
                written.append(path)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        place = error.filename or path
        raise FloeError(
            f"{place} cannot be written: {error.strerror}", remedy(error, "Make the folder writable")
        ) from None
    return written


def offers(folder: Path) -> Iterator[tuple[str, str]]:
    """What a folder holds that a contract can start from, with its path."""
    for manifest in (folder / "target" / "manifest.json", folder / "dbt" / "target" / "manifest.json"):
        if manifest.is_file():
            yield "a dbt project", str(manifest.relative_to(folder))
    for log in sorted(folder.rglob("_delta_log")):
        if len(log.relative_to(folder).parts) <= _DEPTH and log.is_dir():
            yield "a Delta table", str(log.parent.relative_to(folder))
