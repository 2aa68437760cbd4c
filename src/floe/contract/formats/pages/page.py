"""A contract as a page to read, before it is Markdown or HTML."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from floe.contract.formats.pages.sentences import number, promises, rule_words, sla_words
from floe.model import Contract, Dataset, Field
from floe.system.html import visible, web_address

_BREAKS = re.compile(r"(?<=[.\]])")
_PLACE = (
    "host",
    "port",
    "account",
    "project",
    "catalog",
    "database",
    "schema",
    "dataset",
    "topic",
    "stream",
    "path",
    "location",
)
_SEMANTIC = ("measures", "dimensions")
_SERVER_KNOWN = (*_PLACE, "server", "type", "environment", "description", "id", "format", "customProperties", "roles")


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of text; `code` where it is a name, `url` where it leads somewhere."""

    text: str
    code: bool = False
    url: str | None = None

    @property
    def pieces(self) -> list[str]:
        """The text in pieces that a line may break between: a long path after its dots and brackets, nowhere else."""
        return [piece for piece in _BREAKS.split(self.text) if piece]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: columns that are empty in every row are left out."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def trimmed(self) -> "Grid":
        """Without empty columns."""
        full = [i for i in range(len(self.head)) if any(row[i].text for row in self.rows)]
        rows = tuple(tuple(row[i] for i in full) for row in self.rows)
        return Grid(tuple(self.head[i] for i in full), rows)


Block = str | Grid | tuple[Cell, ...]  # a paragraph, a table, a list


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading with what stands below it."""

    title: str
    blocks: tuple[Block, ...]
    code: bool = False
    facts: tuple[tuple[str, Cell], ...] = ()


@dataclass(frozen=True, slots=True)
class ContractPage:
    """A whole contract: its head and its sections."""

    title: str
    facts: tuple[tuple[str, Cell], ...]
    lead: str
    sections: tuple[PageSection, ...]


def page(contract: Contract) -> ContractPage:
    """The page of a contract, most wanted first."""
    described = _mapping(contract.node.get("description"))
    sections = (
        _terms(described),
        _reach(contract),
        *(_dataset(contract, dataset) for dataset in contract.datasets),
        _levels(contract),
        _support(contract),
        _team(contract),
        _roles(contract),
        _price(contract),
        _links(contract.node),
        _custom(contract),
    )
    lead = described.get("purpose") or (contract.node.get("description") if not described else "") or ""
    kept = tuple(section for section in sections if section.blocks or section.facts)
    return ContractPage(
        visible(contract.name or contract.product or contract.id), tuple(_facts(contract)), visible(lead).strip(), kept
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _entries(node: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = node.get(key)
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _facts(contract: Contract) -> Iterator[tuple[str, Cell]]:
    pairs = {
        "Version": contract.version,
        "Status": contract.status,
        "Owner": owner(contract),
        "Domain": contract.domain,
        "Product": contract.product,
        "Tenant": contract.node.get("tenant"),
        "Tags": ", ".join(map(str, contract.node.get("tags") or ())),
    }
    yield from ((label, Cell(visible(value))) for label, value in pairs.items() if value)
    yield "Id", Cell(visible(contract.id), code=True)
    yield "Standard", Cell(f"ODCS {contract.api_version}")


def owner(contract: Contract) -> str:
    """Who answers for a contract: its owner, else its team."""
    members = _members(contract)
    owners = (
        member for member in members if "owner" in str(member.get("role", "")).lower() and not member.get("dateOut")
    )
    named = next(owners, None)
    if named:
        return str(named.get("name") or named.get("username") or "")
    return str(_mapping(contract.node.get("team")).get("name") or "")


def _members(contract: Contract) -> list[Mapping[str, Any]]:
    team = contract.node.get("team")
    return _entries(team, "members") if isinstance(team, Mapping) else _entries(contract.node, "team")


def _terms(described: Mapping[str, Any]) -> PageSection:
    rows = [("Use it for", "usage"), ("Limits", "limitations")]
    facts = tuple((label, Cell(visible(described[key]).strip())) for label, key in rows if described.get(key))
    return PageSection("Terms of use", (), facts=facts)


def _reach(contract: Contract) -> PageSection:
    rows = tuple(
        (
            Cell(visible(server.server), code=True),
            Cell(visible(server.type)),
            Cell(visible(server.environment)),
            Cell(visible(_server_place(server.values)), code=True),
            Cell(visible(server.values.get("format"))),
            Cell(visible(server.values.get("description"))),
        )
        for server in contract.servers
    )
    return _section("How to reach it", Grid(("Server", "Type", "Environment", "Where", "Format", "Description"), rows))


def _server_place(values: Mapping[str, Any]) -> str:
    known = [f"{key}={number(values[key])}" for key in _PLACE if values.get(key) is not None]
    rest = [f"{k}={number(v)}" for k, v in values.items() if k not in _SERVER_KNOWN and isinstance(v, str | int)]
    return " ".join([*known, *rest])


def _section(title: str, grid: Grid) -> PageSection:
    return PageSection(title, (grid.trimmed(),) if grid.rows else ())


def _dataset(contract: Contract, dataset: Dataset) -> PageSection:
    blocks: list[Block] = []
    if text := dataset.node.get("description"):
        blocks.append(visible(text).strip())
    if dataset.fields:
        blocks.append(_columns(dataset))
    if dataset.rules:
        blocks.append("Quality of the whole dataset:")
        blocks.append(tuple(Cell(visible(rule_words(rule))) for rule in dataset.rules))
    for word in _SEMANTIC:
        if grid := _semantic(dataset, word):
            blocks += [f"{word.capitalize()}:", grid]
    for relation in dataset.relationships:
        blocks.append(visible(f"{', '.join(relation.source)} refers to {', '.join(relation.target)}."))
    return PageSection(visible(dataset.name), tuple(blocks), code=True, facts=tuple(_dataset_facts(contract, dataset)))


def _semantic(dataset: Dataset, word: str) -> Grid | None:
    listed = dataset.custom.get(word)
    entries = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    rows = tuple(
        (
            Cell(visible(row.get("name")), code=True),
            Cell(visible(row.get("expression")), code=True),
            Cell(visible(row.get("description"))),
        )
        for row in entries
    )
    return Grid(("Name", "Expression", "Description"), rows).trimmed() if rows else None


def _dataset_facts(contract: Contract, dataset: Dataset) -> Iterator[tuple[str, Cell]]:
    node = dataset.node
    names = {
        "Table": dataset.physical_name,
        "Primary key": ", ".join(part.column for part in dataset.primary_key),
        "Partitioned by": ", ".join(part.column for part in dataset.partition),
    }
    texts = {
        "Kind": node.get("physicalType"),
        "Layer": contract.layer(dataset),
        "One row": node.get("dataGranularityDescription"),
        "Known as": node.get("businessName"),
        "Tags": ", ".join(map(str, node.get("tags") or ())),
    }
    yield from ((label, Cell(visible(value), code=True)) for label, value in names.items() if value)
    yield from ((label, Cell(visible(value))) for label, value in texts.items() if value)


def _columns(dataset: Dataset) -> Grid:
    head = ("Column", "Type", "Required", "Key", "Classification", "Description", "Constraints")
    return Grid(head, tuple(_row(part) for part in dataset.walk() if not _says_nothing(part))).trimmed()


def _says_nothing(part: Field) -> bool:
    """An element whose parts have rows of their own, and about which nothing else is said."""
    return not part.name and bool(part.fields) and not part.node.get("description") and not promises(part)


def _row(part: Field) -> tuple[Cell, ...]:
    about = [part.node.get("businessName"), part.node.get("description")]
    keys = [
        f"primary\u00a0{part.key_position}" if part.key_position else "",
        f"partition\u00a0{part.partition_position}" if part.partition_position else "",
    ]
    return (
        Cell(visible(part.path), code=True),
        Cell(visible(_type_text(part)), code=True),
        Cell("yes" if part.required else ""),
        Cell(", ".join(filter(None, keys))),
        Cell(visible(part.classification)),
        Cell(visible(": ".join(str(text).strip() for text in about if text))),
        Cell(visible("; ".join(promises(part)))),
    )


def _type_text(part: Field) -> str:
    """The type; a container whose parts have rows of their own is named by its kind."""
    return str(part.type).split("<")[0] if part.fields else str(part.type)


def _levels(contract: Contract) -> PageSection:
    rows = tuple(
        (Cell(visible(sla_words(sla))), Cell(visible(sla.driver)), Cell(visible(sla.node.get("description"))))
        for sla in contract.sla
    )
    return _section("Service levels", Grid(("Service level", "Driver", "Description"), rows))


def _support(contract: Contract) -> PageSection:
    rows = tuple(
        (
            Cell(visible(entry.get("channel")), url=web_address(entry.get("url"))),
            Cell(visible(entry.get("tool"))),
            Cell(visible(entry.get("scope"))),
            Cell(visible(entry.get("description"))),
        )
        for entry in _entries(contract.node, "support")
    )
    return _section("Support", Grid(("Channel", "Tool", "For", "Description"), rows))


def _team(contract: Contract) -> PageSection:
    rows = tuple(
        (
            Cell(visible(member.get("name") or member.get("username"))),
            Cell(visible(member.get("role"))),
            Cell(visible(member.get("username") if member.get("name") else "")),
            Cell(visible(member.get("dateIn"))),
            Cell(visible(member.get("dateOut"))),
        )
        for member in _members(contract)
    )
    return _section("Team", Grid(("Who", "Role", "Username", "Since", "Until"), rows))


def _roles(contract: Contract) -> PageSection:
    rows = tuple(
        (
            Cell(visible(entry.get("role")), code=True),
            Cell(visible(entry.get("access"))),
            Cell(visible(entry.get("description"))),
            Cell(
                visible(
                    ", ".join(
                        str(entry[key]) for key in ("firstLevelApprovers", "secondLevelApprovers") if entry.get(key)
                    )
                )
            ),
        )
        for entry in _entries(contract.node, "roles")
    )
    return _section("Roles", Grid(("Role", "Access", "Description", "Approved by"), rows))


def _price(contract: Contract) -> PageSection:
    price = _mapping(contract.node.get("price"))
    words = [number(price[key]) for key in ("priceAmount", "priceCurrency") if price.get(key) is not None]
    unit = f" per {price['priceUnit']}" if price.get("priceUnit") else ""
    return PageSection("Price", (visible(" ".join(words) + unit),) if words else ())


def _links(node: Mapping[str, Any]) -> PageSection:
    cells = tuple(
        Cell(
            visible(f"{entry.get('type') or 'link'}: {entry.get('description') or entry.get('url')}"),
            url=web_address(entry.get("url")),
        )
        for entry in _entries(node, "authoritativeDefinitions")
    )
    return PageSection("Links", (cells,) if cells else ())


def _custom(contract: Contract) -> PageSection:
    rows = [(name, value, "contract") for name, value in contract.custom.items()]
    for dataset in contract.datasets:
        rows += [(name, value, dataset.name) for name, value in dataset.custom.items() if name not in _SEMANTIC]
    cells = tuple((Cell(visible(n), code=True), Cell(visible(_shown(v))), Cell(visible(of))) for n, v, of in rows)
    return _section("Further properties", Grid(("Property", "Value", "Of"), cells))


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return "; ".join(map(_shown, value))
    return number(value)
