"""Bootstrap: a first contract from what is there, with what its rows suggest as comments."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe.actions.bootstrap.proposals import Proposals, propose
from floe.actions.bootstrap.sources import SourceTable, find_tables
from floe.actions.convert import Converted, contracts_in
from floe.actions.load.settings import load_settings
from floe.contract.formats import odcs
from floe.contract.formats.foreign import documents
from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.table import SchemaTable, document, planted
from floe.contract.formats.odcs import write as odcs_write
from floe.contract.formats.text import edit
from floe.contract.lint.personal import named
from floe.contract.sources.files import read_bytes
from floe.model import LAYERS, Contract, ContractError, Dataset, FloeError, Map, Place, yaml_text
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 1_000_000
_MARK = "#? "
At = tuple[str | int, ...]
_PURPOSE = {"purpose": "TODO: describe in one sentence what this data is for."}


@dataclass(frozen=True, slots=True)
class BootstrapOptions:
    """Name of the new contract, the number of rows to read, and whether observed constraints become part of it."""

    name: str | None = None
    domain: str | None = None
    product: str | None = None
    rows: int = ROWS
    accept_observed: bool = False
    dialect: str | None = None
    layer: str | None = None


class FirstContract(Converted):
    """A generated contract, with its place among the contracts of a product."""

    __slots__ = ()

    @property
    def file_name(self) -> str:
        """What the file would be called in a folder."""
        return super().file_name.replace(".odcs.yaml", ".yaml")


def bootstrap(source: "str | Path | DataFrame", *, settings: Settings | None = None, **wanted: Any) -> FirstContract:
    """A first contract of a table, a DataFrame or its schema, Parquet files, or a SQL DDL.

    Args:
        source: a path, a catalog name, a text, a DataFrame or its schema.
        settings: those in force, where others than the folder's are meant.
        wanted: name, domain, product, rows (how many are read, 0 for none), accept_observed, dialect (of SQL).
    """
    return only(bootstrap_each(source, BootstrapOptions(**wanted), settings or load_settings()))


def only(results: tuple[FirstContract, ...]) -> FirstContract:
    """The only generated contract; FloeError if there are several."""
    if len(results) > 1:
        names = ", ".join(result.name for result in results)
        raise FloeError(
            f"The source contains {len(results)} contracts: {names}",
            "Pass one table, or write all contracts into a folder with -o FOLDER",
        )
    return results[0]


def bootstrap_each(source: Any, wanted: BootstrapOptions, settings: Settings) -> tuple[FirstContract, ...]:
    """Every contract that a source makes: one per table."""
    if is_document(source):
        return tuple(_of_document(*found, source=source, settings=settings) for found in _read(source, wanted))
    tables = find_tables(source, wanted.name, wanted.rows, settings)
    return tuple(_of_table(found, wanted, settings) for found in tables)


def is_document(source: Any) -> bool:
    """Whether a source is a text that holds schemas, and no table."""
    if isinstance(source, str) and "\n" in source:
        return True
    if not isinstance(source, str | Path):
        return False
    table = str(source).endswith((".parquet", ".parq", ".pq", ".metadata.json"))
    return os.path.isfile(source) and not table  # unlike Path.is_file, it answers for any name


def _read(source: str | Path, wanted: BootstrapOptions) -> Iterator[tuple[Contract, tuple[LostParts, ...]]]:
    """The contracts of a schema document; a contract itself is none to begin with."""
    text = isinstance(source, str) and "\n" in source
    data, name = (str(source).encode(), "<text>") if text else (read_bytes(Path(source)), str(source))
    try:
        found = list(contracts_in(source, None, wanted.dialect))
        known = documents.read(data, name, None, wanted.dialect)
    except ContractError as error:
        raise FloeError(error.message, error.suggestion or "Pass a table or a SQL DDL file") from None
    if known is None:
        raise FloeError(
            f"{name} is already a contract",
            "Add missing types with --complete, or convert it with floe convert",
        )
    for contract, lost in found:
        _name(contract.node, wanted)
        yield contract, lost


def _name(tree: Map, wanted: BootstrapOptions) -> None:
    given = {"name": wanted.name, "domain": wanted.domain, "dataProduct": wanted.product}
    for key, value in given.items():
        if value:
            tree.put(key, value)
    if wanted.name:
        tree.put("id", f"urn:datacontract:{wanted.name}")


def _of_document(
    contract: Contract, lost: tuple[LostParts, ...], source: str | Path, settings: Settings
) -> FirstContract:
    """A contract of a schema document, with guesses of what is personal."""
    tree = contract.node
    tree.put("description", tree.get("description") or planted(_PURPOSE, tree.place))
    shown = "a text" if "\n" in str(source) else str(source)
    text = _text(tree, settings, {}, [f"# Generated by `floe bootstrap` from {_printable(shown)}."])
    return FirstContract(text, "odcs", str(tree["name"]), lost)


def _guesses(contract: Contract, labels: Sequence[str]) -> Iterator[tuple[At, str]]:
    """Classify columns with names of personal data, at any depth; a comment marks each guess."""
    for field in (field for dataset in contract.datasets for field in dataset.walk()):
        label = next((word for word in ("phi", "pii") if named(field.name or field.column, word)), None)
        if label is None or field.classification:
            continue
        if label in labels:
            field.node.put("classification", label)
            yield field.at, "# classification is a guess from the column name; values of this column are not shown"
        else:
            yield field.at, f"# its name looks like {label}, which is not one of your classifications"


def _of_table(found: SourceTable, wanted: BootstrapOptions, settings: Settings) -> FirstContract:
    proposed = propose(found.schema, found.ground)
    if wanted.accept_observed:
        proposed = [proposals.accepted() for proposals in proposed]
    place = Place(found.shown, 1, 1)
    address, head = _address(found, wanted, settings)
    table = SchemaTable(
        name=found.name, columns=tuple(proposals.column for proposals in proposed), place=place, **address
    )
    tree = document(found.name, (table,), place, {"description": _PURPOSE, **head})
    remarks: dict[At, list[str]] = {
        ("schema", 0, "properties", number): _lines(one) for number, one in enumerate(proposed)
    }
    return FirstContract(_text(tree, settings, remarks, _head(found, proposed)), "odcs", found.name)


def _head(found: SourceTable, proposed: list[Proposals]) -> list[str]:
    lines = [
        f"# Generated by `floe bootstrap` from {_printable(found.shown)}.",
        "# Columns, types, NOT NULL and partitions come from the table.",
        f"# {found.read}",
    ]
    if any(proposals.facts() for proposals in proposed):
        lines.append(
            f'# Lines that begin with "{_MARK.strip()}" are proposals: remove the mark to add the constraint, or delete the line.'
        )
    return lines


def _lines(value: Proposals) -> list[str]:
    """Remarks and proposals of a column, as lines of comment below its name."""
    proposals = yaml_text.dump(value.facts()).splitlines() if value.facts() else []
    return [*(f"# {_printable(remark)}" for remark in value.remarks), *(f"{_MARK}{line}" for line in proposals if line)]


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "�" for char in text)


def _text(tree: Map, settings: Settings, remarks: Mapping[At, list[str]], head: list[str]) -> str:
    """The contract's YAML with comments below the names of its columns."""
    contract, findings = odcs.read(tree, tree.place.file)
    if contract is None:
        raise FloeError(
            f"No contract can be generated from {tree.place.file}: {findings[0].message}", findings[0].suggestion
        )
    guesses = dict(_guesses(contract, settings.classifications))
    text = odcs_write.write(contract)
    written = yaml_text.parse(text, contract.source)
    below = {}
    for path in {**remarks, **guesses}:
        node = _node_at(written, path)
        if node and (lines := [*([guesses[path]] if path in guesses else []), *remarks.get(path, [])]):
            below[_line_below_name(node)] = [f"{' ' * (node.key_places['name'].column - 1)}{line}" for line in lines]
    return "\n".join(head) + "\n" + edit.insert_lines(text, below)


def _node_at(node: Any, path: At) -> Map | None:
    """The field at a path of the written text; None where maps are written another way there."""
    for step in path:
        if isinstance(node, dict) and step not in node:
            return None
        node = node[step]
    return node if isinstance(node, Map) and "name" in node else None


def _line_below_name(node: Map) -> int:
    at = node.key_places["name"].line
    return min((place.line - 1 for place in node.key_places.values() if place.line > at), default=at)


def _address(found: SourceTable, wanted: BootstrapOptions, settings: Settings) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where the table is, as part of the dataset and the contract, so that `floe test` finds it."""
    target = found.target
    layer, domain = _layer(target) if target else ("", "")
    head = {"domain": wanted.domain or domain, "dataProduct": wanted.product}
    head = {key: value for key, value in head.items() if value}
    table_id = f"{wanted.layer or layer}.{head.get('domain', 'default')}.{found.name}"
    facts: dict[str, Any] = {}
    name = target.name if target else None
    by_id = wanted.layer or (layer and _finds(table_id, target, settings))
    if by_id:
        name = table_id
        facts["customProperties"] = [{"property": "layer", "value": wanted.layer or layer}]
    servers: dict[str, Any] = {}
    if target and target.path and (wanted.layer or not by_id):
        servers["servers"] = [_server(target, settings)]
    return {"physical_name": name, "facts": facts}, {**head, **servers}


def _layer(target: Target) -> tuple[str, str]:
    """Layer and domain of a table in `layer_domain`; empty for other names."""
    parts = target.name.split(".") if target.name else Path(str(target.path)).parts
    layer, _, domain = parts[-2].partition("_") if len(parts) > 1 else ("", "", "")
    return (layer, domain) if layer in LAYERS and domain else ("", "")


def _finds(table_id: str, target: Target | None, settings: Settings) -> bool:
    """Whether a table is just where one of that table_id is looked for."""
    dataset = Dataset(name=table_id.rsplit(".", 1)[-1], physical_name=table_id)
    empty = Contract(api_version="v3.1.0", id=table_id, version="1.0.0", datasets=(dataset,))
    return table_id.count(".") == 2 and find_target(settings, empty, dataset, TableSelector(), None) == target


def _server(target: Target, settings: Settings) -> dict[str, Any]:
    path = str(target.path)
    scheme = path.split("://", maxsplit=1)[0] if "://" in path else ""
    if scheme:
        kinds = {"s3": "s3", "s3a": "s3", "abfss": "azure", "abfs": "azure"}
        return {"server": "lake", "type": kinds.get(scheme, "custom"), "location": path, "format": target.format}
    below = Path(path).is_relative_to(settings.root)
    shown = Path(path).relative_to(settings.root).as_posix() if below else path
    return {"server": "local", "type": "local", "path": shown, "format": target.format}
