"""floe.yaml: a product, its ports, and the contract that each output port alone makes."""

import difflib
from typing import Any

from floe.contract.formats.dialects import parts
from floe.contract.formats.dialects.column import fields
from floe.contract.formats.text.section import DocumentSection
from floe.model import LAYERS, ContractError, Finding, List, Map, Place, Severity, yaml_text
from floe.model.product import InputPort, OutputPort, Product
from floe.model.service_level import SPELLINGS
from floe.model.yaml_text import add, custom, made

_METADATA = {
    "name": "customer_360",
    "domain": "sales",
    "version": "1.0.0",
    "owner": "sales@acme.com",
    "repository": "github.com/acme/sales",
}
_DEFAULTS = {"version": "0.0.0", "name": "default", "domain": "default"}
_ROOT = ("metadata", "output_ports", "input_ports", "transforms")
# other spellings of what a column says
_COLUMN = {
    "primary_key": "primaryKey",
    "physical_type": "physicalType",
    "logical_type": "type",
    "logicalType": "type",
    "business_name": "businessName",
    "partition": "partitioned",
}
_MORE = ("apiVersion", "kind", "description", "tags")


def read(data: bytes, source: str) -> tuple[Product | None, list[Finding]]:
    """The product in a floe.yaml, and what is wrong with it; None where nothing can be made of it."""
    try:
        tree = yaml_text.parse(data, source)
    except ContractError as error:
        return None, list(error.findings)
    if not isinstance(tree, Map):
        text = f"{source} describes no product"
        return None, [
            Finding("E501", "not-a-contract", Severity.CRITICAL, text, "", "Add metadata and output_ports", _at(source))
        ]
    found: list[Finding] = []
    root = DocumentSection(tree, (), found)
    metadata = _metadata(root)
    product = Product(
        metadata["name"],
        metadata["domain"],
        metadata["version"],
        metadata["owner"],
        metadata["repository"],
        source=source,
        outputs=tuple(_outputs(root, metadata)),
        inputs=tuple(_inputs(root)),
        transforms=tuple(_names(root, "transforms")),
    )
    for key in _MORE:
        root.take(key)
    _unknown(root, _ROOT)
    return product, found


def _at(source: str) -> Place:
    return Place(source, 1, 1)


def _metadata(root: DocumentSection) -> dict[str, str]:
    section = root.section("metadata")
    values = {}
    for key, example in _METADATA.items():
        value = section.text(key)
        if value is None and not isinstance(section.node.get(key), dict | list | bool):
            section.missing(key, f"{key}: {example}")
        values[key] = value or _DEFAULTS.get(key, "")
    for key in ("description", "tags", "team"):
        section.take(key)
    _unknown(section, tuple(_METADATA))
    return values


def _names(root: DocumentSection, key: str) -> list[str]:
    """The names in a list of texts or mappings."""
    value = root.take(key)
    if value is not None and not isinstance(value, List):
        root.wrong(key, "a list")
    return [
        str(each_one.get("name") or each_one.get("model") or each_one) if isinstance(each_one, Map) else str(each_one)
        for each_one in (value if isinstance(value, List) else ())
    ]


def _inputs(root: DocumentSection) -> list[InputPort]:
    ports = []
    for section in root.sections("input_ports"):
        name, contract = section.text("name"), section.text("contract") or section.text("contract_id")
        if name is None:
            section.missing("name", "name: orders")
        if contract is None:
            section.missing("contract", "contract: sales.orders/orders")
        for key in ("contract", "contract_id", "description", "table"):
            section.take(key)
        _unknown(section, ("name", "contract", "description", "table"))
        if name and contract:
            ports.append(InputPort(name, contract, section.place_of("contract")))
    return ports


def _outputs(root: DocumentSection, metadata: dict[str, str]) -> list[OutputPort]:
    ports = []
    for section in root.sections("output_ports"):
        name = section.text("name")
        if name is None:
            section.missing("name", "name: customers")
            continue
        table, form = section.text("table") or name, section.text("format")
        tree = _contract(section, metadata, root, name, table)
        _unknown(section, ("name", "table", "format", "columns", "sla", "description", "tags", "quality"))
        ports.append(OutputPort(name, table, form, tree, section.place))
    return ports


def _contract(section: DocumentSection, metadata: dict[str, str], root: DocumentSection, name: str, table: str) -> Map:
    """The contract a port makes: what the product says of itself, and one dataset."""
    facts = root.section("metadata")
    out = made(section.place, apiVersion=parts.API_VERSION, kind="DataContract")
    out.put("id", parts.urn(metadata["domain"], metadata["name"], name), section.place_of("name"))
    out.put("name", name, section.place_of("name"))
    out.put("version", metadata["version"], facts.place_of("version"))
    out.put("status", "active", section.place)
    out.put("domain", metadata["domain"], facts.place_of("domain"))
    out.put("dataProduct", metadata["name"], facts.place_of("name"))
    if metadata["owner"]:
        place = facts.place_of("owner")
        out.put("team", made(place, members=[{"username": metadata["owner"], "role": "owner"}]), place)
    add(out, "schema", _dataset(section, name, table))
    _levels(section, out, name)
    return out


def _dataset(section: DocumentSection, name: str, table: str) -> Map:
    place = section.place_of("name")
    dataset = made(place, name=name)
    dataset.put("physicalName", table, section.place_of("table"))
    dataset.put("physicalType", "table", place)
    dataset.put("logicalType", "object", place)
    for key in ("description", "tags", "quality"):
        section.move(key, dataset)
    columns = section.take("columns")
    if columns is not None:
        holder = Map(section.place_of("columns"))
        holder.put("fields", _columns(columns), section.place_of("columns"))
        dataset.put(
            "properties", fields(DocumentSection(holder, (*section.at, "columns"), section.findings), top=False)
        )
    layer = table.split(".", maxsplit=1)[0]
    if layer in LAYERS:
        custom(dataset, "layer", layer, section.place_of("table"))
    return dataset


def _columns(value: Any) -> Any:
    """Columns with the keys that the dialects have: `a: bigint`, `primary_key`, `nullable` are understood."""
    if isinstance(value, List):
        out = List(value.place)
        for item, place in zip(value, value.item_places, strict=True):
            out.add(_column(item) if isinstance(item, Map) else item, place)
        return out
    if not isinstance(value, Map):
        return value
    named = Map(value.place)
    for key, below in value.items():
        at = value.value_places[key]
        column = _column(below) if isinstance(below, Map) else made(at, type=below)
        named.put(key, column, at, value.key_places[key])
    return named


def _column(node: Map) -> Map:
    out = Map(node.place)
    for key, value in node.items():
        at, key_at = node.value_places[key], node.key_places[key]
        if key == "nullable" and isinstance(value, bool):
            out.put("required", not value, at, key_at)
        else:
            out.put(_COLUMN.get(key, key), value, at, key_at)
    return out


def _levels(section: DocumentSection, out: Map, name: str) -> None:
    if isinstance(section.node.get("sla"), List):
        section.move("sla", out, "slaProperties")
        return

    def qualify(column: str) -> str:
        return column if "." in column else f"{name}.{column}"

    below = section.section("sla")
    for key, value in list(below.node.items()):
        at = below.place_of(key)
        if isinstance(value, Map):
            parts.level(below.section(key), key, "value", out, qualify, "sla")
        elif value is not None:
            below.take(key)
            entry = made(at, property=SPELLINGS.get(key, key), value=value)
            add(out, "slaProperties", entry, at)


def _unknown(section: DocumentSection, known: tuple[str, ...]) -> None:
    """Find the keys that are left over."""
    for key in section.left:
        near = difflib.get_close_matches(key, known, 1, 0.6)
        section.find(
            Finding(
                "E501",
                "unknown-key",
                Severity.ERROR,
                f"Key '{key}' is not part of floe.yaml here",
                f"Known keys: {', '.join(known)}",
                f"Did you mean '{near[0]}'?" if near else f"Remove '{key}'",
                section.node.key_places[key],
                (*section.at, key),
            )
        )
