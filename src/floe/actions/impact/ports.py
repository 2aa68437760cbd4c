"""Input ports and dbt exposures as uses and edges."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floe.actions.impact.edges import Places
from floe.contract.formats.config import product as product_format
from floe.contract.sources.files import Folders, read_bytes
from floe.model import FloeError
from floe.model.contract import Version
from floe.model.impact import LineageEdge, Use
from floe.settings import Settings

_ARTIFACTS = "compiled_artifacts.json"


@dataclass(frozen=True, slots=True)
class Ports:
    """A product with what it reads and what it gives."""

    product: str
    owner: str
    inputs: tuple[tuple[str, str], ...]  # port, contract
    outputs: tuple[str, ...]


def all_ports(settings: Settings, artifacts: Sequence[str]) -> list[Ports]:
    """The products of the repository, and of compiled artifacts: those at its root, and those that are named."""
    found = {ports.product: ports for ports in _in_repository(settings.root)}
    files = [Path(name) for name in artifacts] or [settings.root / _ARTIFACTS]
    for path in files:
        if artifacts or path.is_file():
            for ports in _compiled(path):
                found.setdefault(ports.product, ports)
    return list(found.values())


def _in_repository(root: Path) -> Iterator[Ports]:
    for folder in Folders(root).products():
        path = Path(folder) / "floe.yaml"
        made = product_format.read(read_bytes(path), str(path))[0] if path.is_file() else None
        if made:
            inputs = tuple((port.name, port.contract) for port in made.inputs)
            yield Ports(str(made), made.owner, inputs, tuple(port.name for port in made.outputs))


def _compiled(path: Path) -> Iterator[Ports]:
    for value in _json(path, "compiled artifacts").get("products") or ():
        inputs = tuple((port["name"], port["contract"]) for port in value["input_ports"])
        outputs = tuple(port["name"] for port in value["output_ports"])
        yield Ports(f"{value['domain']}.{value['name']}", str(value["owner"]), inputs, outputs)


def _json(path: Path, what: str) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise FloeError(f"{path} cannot be read: {error.strerror}", f"Pass a file of {what}") from None
    except (ValueError, RecursionError) as error:
        raise FloeError(f"{path} is not JSON: {error}", f"Pass a file of {what}") from None
    if not isinstance(found, dict):
        raise FloeError(f"{path} contains no {what}", f"Pass a file of {what}")
    return found


def port_parts(ports: Sequence[Ports], places: Places) -> Iterator[tuple[Use, int | None, list[LineageEdge]]]:
    """Each input port as a use, the MAJOR it names, and edges to what its product gives."""
    for value in ports:
        given = {f"{value.product}/{name}" for name in value.outputs}
        given |= {name for name in places.ids if name.startswith(f"{value.product}/")}
        for port, contract in value.inputs:
            node = places.contract(contract)
            if node:
                use = Use(
                    node, value.owner or value.product, value.owner, "input_port", name=f"{value.product}: {port}"
                )
                yield use, _major(contract), [LineageEdge(node, name, "input_port") for name in sorted(given)]


def _major(contract: str) -> int | None:
    version = Version.read(contract.rsplit(":", 1)[-1])
    return version.major if version else None


def dbt_parts(file: str, places: Places) -> tuple[list[LineageEdge], list[Use]]:
    """The edges of a dbt project, and its exposures."""
    tree = _json(Path(file), "dbt's manifest.json")
    metadata = tree.get("metadata")
    if not isinstance(metadata, dict) or "/manifest/" not in str(metadata.get("dbt_schema_version")):
        raise FloeError(f"{file} is not a dbt manifest", "Pass target/manifest.json; `dbt parse` writes it")
    nodes: dict[str, Any] = {**(tree.get("nodes") or {}), **(tree.get("sources") or {})}
    names = {key: _node(key, node, places) for key, node in nodes.items()}
    edges = [
        LineageEdge(names[before], names[key], "dbt")
        for key, node in nodes.items()
        for before in _before(node)
        if before in names and node.get("resource_type") != "test"
    ]
    uses = [use for exposure in (tree.get("exposures") or {}).values() for use in _exposed(exposure, names)]
    return edges, uses


def _before(node: Mapping[str, Any]) -> list[str]:
    depends = node.get("depends_on")
    return list(depends.get("nodes") or ()) if isinstance(depends, dict) else []


def _node(key: str, node: Mapping[str, Any], places: Places) -> str:
    """The contract of a model or source: by its relation, else by its name where one contract alone has it."""
    relation = str(node.get("relation_name") or "").translate(str.maketrans("", "", '"`[]'))
    if relation:
        found, dataset = places.node(relation)
        if dataset:
            return found
    named = places.of_model(str(node.get("alias") or node.get("identifier") or node.get("name") or ""))
    return named[0] if named else f"dbt {key}"


def _exposed(exposure: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Use]:
    owner = exposure.get("owner") if isinstance(exposure.get("owner"), dict) else {}
    contact = str(owner.get("email") or "") if owner else ""
    team = str((owner or {}).get("name") or contact or "not said")
    for before in dict.fromkeys(_before(exposure)):
        if before in names:
            yield Use(names[before], team, contact, "dbt", name=f"{exposure.get('type')} {exposure.get('name')}")
