"""What several dialects say alike: owner, support channels, service levels, descriptions."""

from collections.abc import Callable, Iterable
from typing import Any

from floe.contract.formats.text.section import DocumentSection
from floe.lang.quantity import parse_quantity
from floe.model import List, Map, Place
from floe.model.service_level import SPELLINGS
from floe.model.yaml_text import add, custom, made

API_VERSION = "v3.1.0"
# what ODCS has at the root under the same name; the rest of a dialect's root is a custom property
ROOT = (
    *("id", "name", "version", "status", "tenant", "tags", "domain", "dataProduct", "servers", "support", "price"),
    *("team", "roles", "slaDefaultElement", "authoritativeDefinitions", "customProperties", "contractCreatedTs"),
)
_SLA_KEYS = ("id", "valueExt", "unit", "driver", "description", "scheduler", "schedule")


def head(source: DocumentSection) -> Map:
    """The beginning of an ODCS document."""
    out = Map(source.place)
    source.take("apiVersion")
    out.put("apiVersion", API_VERSION, source.place_of("apiVersion"))
    source.move("kind", out)
    if "kind" not in out:
        out.put("kind", "DataContract", source.place)
    return out


def same(source: DocumentSection, out: Map, keys: Iterable[str] = ROOT) -> None:
    """Move what ODCS has under the same name."""
    for key in keys:
        source.move(key, out)


def status(source: DocumentSection, out: Map) -> None:
    """The status; sunset is deprecated with a state of its own, and none is active."""
    word = source.node.get("status")
    source.move("status", out)
    if word == "sunset":
        out.put("status", "deprecated", source.place_of("status"), source.node.key_places["status"])
        custom(out, "lifecycleState", word, source.place_of("status"))
    elif "status" not in out:
        out.put("status", "active", source.place)


def urn(*parts: str | None) -> str:
    """The id of a contract that has none.

    >>> urn("sales", None, "orders")
    'urn:datacontract:sales:default:orders'
    """
    return ":".join(("urn:datacontract", *(part or "default" for part in parts)))


def description(source: DocumentSection, out: Map, key: str = "description", part: str = "purpose") -> None:
    """A text, or ODCS's own mapping, as part of the description."""
    value = source.node.get(key)
    if isinstance(value, Map) and "description" not in out:
        source.move(key, out, "description")
    elif value is not None:
        if not isinstance(out.get("description"), Map):
            out.put("description", Map(source.place_of(key)), source.place_of(key))
        source.move(key, out["description"], part)


def owner(source: DocumentSection, out: Map, key: str = "owner") -> None:
    """The owner as a member of the team."""
    value = source.node.get(key)
    if isinstance(value, str) and "team" not in out:
        source.take(key)
        place = source.place_of(key)
        out.put("team", made(place, members=[{"username": value, "role": "owner"}]), place)


def channel(text: str, scope: str, place: Place) -> Map:
    """A support channel as a text names it.

    >>> channel("slack:#c", "interactive", Place("a.yaml", 1, 1))
    {'channel': '#c', 'tool': 'slack', 'scope': 'interactive'}
    """
    tool, colon, rest = text.partition(":")
    if "@" in text and (not colon or tool in ("email", "mailto")):
        address = rest or text
        return made(place, channel=address, tool="email", scope=scope, url=f"mailto:{address}")
    if tool in ("http", "https"):
        return made(place, channel=text, scope=scope, url=text)
    if colon and rest.strip():
        return made(place, channel=rest.strip(), tool=tool, scope=scope)
    return made(place, channel=text, scope=scope)


def support(source: DocumentSection, key: str, scope: str, out: Map) -> None:
    """A text that names a channel, as an entry of support."""
    text = source.text(key)
    if text:
        add(out, "support", channel(text, scope, source.place_of(key)))


Qualify = Callable[[str], str]


def levels(source: DocumentSection, out: Map, qualify: Qualify, prefix: str) -> None:
    """A mapping of service levels as slaProperties, each by its own key."""
    for key in list(source.node):
        if key not in source.left:
            continue
        value = source.node[key]
        if isinstance(value, Map):
            level(source.section(key), key, "value", out, qualify, prefix)
        elif isinstance(value, List):
            continue
        elif value is not None:
            level(source, key, key, out, qualify, prefix)
    source.keep(out, prefix)


def level(source: DocumentSection, name: str, key: str, out: Map, qualify: Qualify, prefix: str) -> None:
    """One service level; `key` says where its value stands."""
    place = source.place_of(key)
    entry = quantity(
        SPELLINGS.get(name, name), source.take(key), source.node.get("unit") if key != name else None, place
    )
    if key != name:
        source.take("unit")
        element(source, "element", entry, qualify)
        same(source, entry, _SLA_KEYS)
        if rest := source.rest():
            custom(out, prefix + name[:1].upper() + name[1:], rest, source.place)
    add(out, "slaProperties", entry)


def element(source: DocumentSection, key: str, entry: Map, qualify: Qualify) -> None:
    """The column or columns that a service level is about, with the name of their dataset."""
    names = source.names(key)
    if names:
        entry.put("element", ", ".join(qualify(name) for name, _ in names), names[0][1])


def quantity(name: str, value: Any, unit: Any, place: Place) -> Map:
    """A service level with its value and unit; what is no quantity stays as written, for the rules to judge."""
    if value is None:
        return made(place, id=name, property=name)
    try:
        read = parse_quantity(value, unit)
    except ValueError:
        return made(place, id=name, property=name, value=value, unit=unit)
    text = value if read.rest else None
    return made(place, id=name, property=name, value=read.value, unit=read.unit or None, description=text)
