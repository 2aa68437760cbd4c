"""compiled_artifacts.json: effective contracts with their hashes and the document that each value came from."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from floe.contract.formats.canonical import content_hash
from floe.contract.formats.odcs.fit import comparable
from floe.contract.resolve.inherit import Effective, tier
from floe.model import Contract, Dataset, List, Map, Place, Step, dotted
from floe.model.product import Product
from floe.model.types import is_physical, schema_hash

FORMAT = "floe/compiled-artifacts/v1"


def entry(
    effective: Effective,
    document: Contract,
    relative: Callable[[str], str],
    ports: Sequence[str] = (),
    *,
    form: Map | None = None,
    hash_of: Callable[[Contract], str] = content_hash,
) -> dict[str, Any]:
    """One element of `data_contracts`.

    Args:
        effective: the contract with all it inherits.
        document: what was written, before anything joined it.
        relative: makes a file's name independent of where the command ran.
        ports: the output ports it describes.
        form: the document's comparable tree, where it is known.
        hash_of: hashes parents.
    """
    contract, own = effective.contract, effective.own
    tree = comparable(contract.node) if effective.form is None else effective.form
    datasets = [_dataset(contract, dataset) for dataset in contract.datasets]
    parents = [
        {
            "tier": tier(ancestor),
            "id": ancestor.id,
            "version": ancestor.version,
            "file": relative(ancestor.source),
            "hash": hash_of(ancestor),
        }
        for ancestor in effective.ancestors
    ]
    alone = contract is document
    hashed = content_hash(document, form)
    return {
        "id": contract.identity,
        "contract_id": contract.id,
        "version": contract.version,
        "domain": contract.domain,
        "product": contract.product,
        "owner": contract.owner or None,
        "file": relative(own.source),
        "output_ports": list(ports),
        "content_hash": hashed,
        "effective_hash": hashed if alone else content_hash(contract, tree),
        "schema_hash": _together(datasets),
        "datasets": datasets,
        "parents": parents,
        "contract": plain(tree),
        "provenance": places(tree, effective.tiers, relative),
    }


def _dataset(contract: Contract, dataset: Dataset) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "table_id": contract.table_id(dataset),
        "layer": contract.layer(dataset),
        "physical_name": dataset.physical_name,
        "schema_hash": schema_hash(dataset.schema) if is_physical(dataset.schema) else None,
    }


def _together(datasets: list[dict[str, Any]]) -> str | None:
    """A contract's hash: over the sorted lines of its datasets; None where a type is open."""
    if not datasets or any(dataset["schema_hash"] is None for dataset in datasets):
        return None
    lines = "\n".join(sorted(f"{row['name']}:{row['schema_hash']}" for row in datasets))
    return "sha256:" + hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


def product_entry(product: Product, folder: str) -> dict[str, Any]:
    """One element of `products`."""
    return {
        "name": product.name,
        "domain": product.domain,
        "version": product.version,
        "owner": product.owner,
        "repository": product.repository,
        "folder": folder,
        "output_ports": [
            {"name": output_port.name, "table": output_port.table, "format": output_port.format}
            for output_port in product.outputs
        ],
        "input_ports": [{"name": input_port.name, "contract": input_port.contract} for input_port in product.inputs],
        "transforms": list(product.transforms),
    }


def line(value: Any) -> bytes:
    """A product or contract as it stands in the file: on one line, the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")


def text(enforcement: str, products: Iterable[bytes], contracts: Iterable[bytes]) -> Iterator[bytes]:
    """The file's text: a line for each product and contract, so that a change touches the lines it is about."""
    yield b'{"data_contracts": '
    yield from _listed(contracts)
    yield b',\n"enforcement": ' + line(enforcement) + b',\n"format": ' + line(FORMAT) + b',\n"products": '
    yield from _listed(products)
    yield b"}\n"


def _listed(lines: Iterable[bytes]) -> Iterator[bytes]:
    before = b"[\n"
    for value in lines:
        yield before
        yield value
        before = b",\n"
    yield b"[]" if before == b"[\n" else b"]"


def plain(value: Any) -> Any:
    """Values as JSON holds them; a number with a fraction as written."""
    if isinstance(value, dict):
        return {key: plain(below) for key, below in value.items()}
    if isinstance(value, list):
        return [plain(below) for below in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and value.adjusted() < 40 else float(value)
    return value


_NESTED = (Map, List)
_NAMES = ("name", "property", "server", "username", "role", "channel", "id", "metric")


@dataclass(frozen=True, slots=True)
class Origin:
    """A value with its path, its path by names, and the tier and place it came from."""

    path: tuple[Step, ...]
    name: str
    value: Any
    tier: str
    place: Place

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        place = self.place
        shape = {"path": dotted(self.path), "name": self.name, "value": self.value, "tier": self.tier}
        return {**shape, "file": place.file, "line": place.line, "column": place.column}


def origins(tree: Map, tiers: Mapping[str, str]) -> Iterator[Origin]:
    """Every value of a tree that holds no others, in the order of the tree."""
    yield from _below(tree, (), "", tiers)


def places(tree: Map, tiers: Mapping[str, str], relative: Callable[[str], str]) -> dict[str, list[str]]:
    """Tier and place of every value by its path: what `origins` says, in little time for artifacts of many contracts."""
    out: dict[str, list[str]] = {}
    files: dict[str, str] = {}  # their relative names: most values come from one or two files

    def origin(place: Place) -> list[str]:
        if place.file not in files:
            files[place.file] = relative(place.file)
        return [tiers.get(place.file, "default"), f"{files[place.file]}:{place.line}:{place.column}"]

    _places(tree, "", out, origin)
    return out


def _places(node: Any, path: str, out: dict[str, list[str]], said: Callable[[Place], list[str]]) -> None:
    if isinstance(node, Map):
        at = node.value_places
        for key, value in node.items():
            below = f"{path}.{key}" if path else key
            if value and isinstance(value, _NESTED):
                _places(value, below, out, said)
            else:
                out[below] = said(at[key])
        return
    for i, (value, place) in enumerate(zip(node, node.item_places, strict=True)):
        if value and isinstance(value, _NESTED):
            _places(value, f"{path}[{i}]", out, said)
        else:
            out[f"{path}[{i}]"] = said(place)


def _below(node: Any, path: tuple[Step, ...], name: str, tiers: Mapping[str, str]) -> Iterator[Origin]:
    if isinstance(node, Map):
        steps: Any = ((key, value, node.value_places[key], key) for key, value in node.items())
    else:
        steps = ((i, item, node.item_places[i], _called(item, i)) for i, item in enumerate(node))
    for step, value, place, word in steps:
        below = f"{name}.{word}" if name else str(word)
        if isinstance(value, Map | List) and value:
            yield from _below(value, (*path, step), below, tiers)
        else:
            yield Origin((*path, step), below, value, tiers.get(place.file, "default"), place)


def _called(value: Any, index: int) -> str:
    if isinstance(value, Map):
        return next((str(value[key]) for key in _NAMES if isinstance(value.get(key), str)), str(index))
    return str(index)
