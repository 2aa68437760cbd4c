"""What a version's JSON Schema does not know, moved to where it may stand."""

from floe.contract.formats.odcs import validator, value_at
from floe.contract.formats.odcs.causes import Cause, causes
from floe.contract.formats.odcs.forms import drop, lowered
from floe.contract.formats.odcs.leniency import is_empty
from floe.model import Map, Step, dotted
from floe.model.yaml_text import custom

_ROUNDS = 20
# where the standard has customProperties
_ITEMS = ("servers", "schema", "properties", "quality", "relationships", "support", "members", "roles")
_NODES = ("items", "team")
# lists that go as a whole where one of their entries lacks something
_WHOLE = (("authoritativeDefinitions",), ("relationships",))
# what no document can do without: moving it away would break more than it mends
_NEEDED = (
    *("apiVersion", "kind", "version", "status", "server", "type", "property", "value", "username"),
    *("metric", "query", "engine", "implementation", "channel", "role", "url", "from", "to"),
)


def comparable(tree: Map) -> Map:
    """The document as valid v3.1, in which every version and dialect can be compared."""
    out = without_empty(lowered(tree))
    return out if tree.get("apiVersion") == out["apiVersion"] else fitted(out, values=True)


def without_empty(tree: Map) -> Map:
    """The document without the keys that have no value and need none."""
    version = tree["apiVersion"]
    if validator(version).is_valid(tree):
        return tree
    for cause in causes(tree, version):
        if is_empty(cause, tree, version):
            drop(value_at(tree, cause.path[:-1]), str(cause.path[-1]))
    return tree


def fitted(tree: Map, values: bool = False) -> Map:
    """The document with every key that its version does not know as a custom property; with `values`, wrong ones too."""
    tried: set[tuple[Step, ...]] = set()
    for _ in range(_ROUNDS):
        found = dict.fromkeys(_misfit(cause, values) for cause in causes(tree, tree["apiVersion"]))
        moved = [path for path in found if path and path not in tried]
        for path in moved:
            _move(tree, path)
        tried.update(moved)
        if not moved:
            break
    return tree


def _misfit(cause: Cause, values: bool) -> tuple[Step, ...]:
    """The path of the key to move; empty where moving does not help."""
    if cause.kind in ("unknown", "misplaced"):
        return (*cause.path, cause.key)
    if values and cause.kind == "missing" and cause.path[-2:-1] in _WHOLE:
        return cause.path[:-1]
    if not values or cause.kind in ("missing", "several", "none-of", "forbidden"):
        return ()
    last = next((i for i in range(len(cause.path) - 1, -1, -1) if isinstance(cause.path[i], str)), 0)
    path = cause.path[: last + 1]
    named = path[:1] == ("schema",) and path[-1] == "name"
    return () if not path or path == ("id",) or named or path[-1] in _NEEDED else path


def _move(tree: Map, path: tuple[Step, ...]) -> None:
    """Move the key at a path to the nearest mapping above it that takes custom properties, named by its path."""
    parent = value_at(tree, path[:-1])
    key = str(path[-1])
    if not isinstance(parent, Map) or key not in parent:
        return
    cut = next(cut for cut in range(len(path) - 1, -1, -1) if _takes_custom(path[:cut]))
    where = value_at(tree, path[:cut])
    place, key_place = parent.value_places[key], parent.key_places[key]
    custom(where, dotted(path[cut:]), drop(parent, key), place, key_place)


def _takes_custom(path: tuple[Step, ...]) -> bool:
    if not path:
        return True
    if isinstance(path[-1], int):
        return len(path) > 1 and path[-2] in _ITEMS
    return path[-1] in _NODES
