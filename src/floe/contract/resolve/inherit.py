"""Enterprise, domain, product: a child inherits what it does not say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from floe.contract.formats import odcs
from floe.contract.formats.odcs.fit import comparable
from floe.contract.resolve.merge import is_pattern, merge
from floe.model import Contract, Finding, List, Map, Place, Severity
from floe.model.yaml_text import maps

MAX_TIERS = 16
TIERS = ("enterprise", "domain", "product")
# what a parent says of itself, not for its children
_OWN = ("apiVersion", "kind", "id", "name", "version", "status", "dataProduct", "contractCreatedTs")
_OWNED = ("servers", "team")
_OWN_CUSTOM = (
    *("extends", "tier", "policies", "deprecation", "lifecycleState", "previousVersion", "schemaVersion"),
    *("migration", "effectiveFrom"),
)


@dataclass(frozen=True, slots=True)
class Parent:
    """An effective contract that another one extends, and its tier."""

    contract: Contract
    tier: str


@dataclass(frozen=True, slots=True)
class Effective:
    """A contract with all it inherits; `own` is what it says itself, `tiers` the tier of each file."""

    contract: Contract
    own: Contract
    parents: tuple[Parent, ...] = ()
    ancestors: tuple[Contract, ...] = ()
    tiers: dict[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    form: Map | None = None  # the contract's tree as `comparable` makes it, where it is known


Found = Contract | Finding
Find = Callable[[str, Contract, Place], Found]


class ContractFamily:
    """Contracts and their parents; each parent is resolved once, whoever extends it."""

    def __init__(self, find: Find) -> None:
        self.find = find
        self._known: dict[str, Effective] = {}
        self._heritage: dict[int, tuple[Contract, Map]] = {}

    def effective(
        self, own: Contract, tiers: dict[str, str], above: tuple[str, ...] = (), form: Map | None = None
    ) -> Effective:
        """The contract with what its parents say; `above` are the files that led here, `form` is its comparable tree."""
        parents: list[Parent] = []
        ancestors: list[Contract] = []
        found: list[Finding] = []
        for name, place in own.extended():
            parent = self._parent(name, own, place, (*above, own.source))
            if isinstance(parent, Finding):
                found.append(parent)
                continue
            found += parent.findings
            tiers = {**parent.tiers, **tiers}
            ancestors += [*parent.ancestors, parent.own]
            parents.append(Parent(parent.contract, tier(parent.contract)))
        if not parents:
            return Effective(own, own, tiers=tiers, findings=tuple(found), form=form)
        tree = comparable(own.node) if form is None else form
        for parent_ in parents:
            tree, contradictions = merge(self._handed_down(parent_.contract), tree)
            found += contradictions
        if not above:
            _without_patterns(tree)
        contract = _named(odcs.contract_in(tree, own.source), own)
        return Effective(contract, own, tuple(parents), tuple(ancestors), tiers, tuple(found), tree)

    def _handed_down(self, parent: Contract) -> Map:
        """What a parent hands down, made once for all its children."""
        known = self._heritage.get(id(parent))
        if known is None or known[0] is not parent:
            known = self._heritage[id(parent)] = (parent, _heritage(parent.node))
        return known[1]

    def _parent(self, name: str, child: Contract, place: Place, above: tuple[str, ...]) -> Effective | Finding:
        found = self.find(name, child, place)
        if isinstance(found, Finding):
            return found
        if found.source in above:
            return _circle((*above[above.index(found.source) :], found.source), place)
        if len(above) >= MAX_TIERS:
            return _too_deep(name, above, place)
        if found.source not in self._known:
            made = self.effective(found, {found.source: tier(found)}, above)
            if made.findings:
                return made  # what was found may depend on the way that led here
            self._known[found.source] = made
        return self._known[found.source]


def tier(contract: Contract) -> str:
    """The tier of a parent: said by the contract, else by its folder, else by what it belongs to."""
    declared = contract.custom.get("tier")
    if declared in TIERS:
        return str(declared)
    folders = contract.source.replace("\\", "/").lower().split("/")
    words = [word for folder in folders[-3:] for word in folder.removesuffix(".yaml").replace("_", "-").split("-")]
    named = next((word for word in TIERS[:2] if word in words), None)
    if named:
        return named
    if contract.product:
        return "product"
    return "domain" if contract.domain else "enterprise"


def _named(contract: Contract, own: Contract) -> Contract:
    return replace(contract, format=own.format, domain=contract.domain or own.domain, product=own.product)


def _heritage(node: Map) -> Map:
    """What a parent hands down."""
    tree = comparable(node)
    out = Map(tree.place)
    for key, value in tree.items():
        kept = _kept(key, value)
        if kept is not None and key not in (*_OWN, *_OWNED):
            out.put(key, kept, tree.value_places[key], tree.key_places[key])
    return out


def _without_patterns(tree: Map) -> None:
    """Take out the datasets that stand for others by a pattern, which have done their work."""
    datasets = tree.get("schema")
    if isinstance(datasets, List) and any(is_pattern(entry) for entry in maps(datasets)):
        out = List(datasets.place)
        for item, place in zip(datasets, datasets.item_places, strict=True):
            if not (isinstance(item, Map) and is_pattern(item)):
                out.add(item, place)
        tree.put("schema", out, tree.value_places["schema"], tree.key_places["schema"])


def _kept(key: str, value: Any) -> Any:
    if key == "description" and isinstance(value, Map):
        out = Map(value.place)
        for part, text in value.items():
            if part != "purpose":
                out.put(part, text, value.value_places[part], value.key_places[part])
        return out or None
    if key == "customProperties" and isinstance(value, List):
        entries = List(value.place)
        for entry, place in zip(value, value.item_places, strict=True):
            if isinstance(entry, Map) and entry.get("property") not in _OWN_CUSTOM:
                entries.add(entry, place)
        return entries or None
    return value


def _circle(files: Sequence[str], place: Place) -> Finding:
    return Finding(
        "E512",
        "inheritance-circular",
        Severity.CRITICAL,
        f"Circular inheritance of {len(files) - 1}",
        " → ".join(files),
        f"Remove 'extends' from one of the contracts, e.g. from {files[-2]}",
        place,
    )


def _too_deep(name: str, above: Sequence[str], place: Place) -> Finding:
    return Finding(
        "E516",
        "inheritance-too-deep",
        Severity.ERROR,
        f"Parent '{name}' is not followed: it would be tier {len(above) + 1}, and floe follows {MAX_TIERS}",
        f"The chain begins at {above[0]}",
        "Extend a contract nearer to the enterprise's; three tiers are enterprise, domain and product",
        place,
    )
