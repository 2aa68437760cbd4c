"""Impact: whom a change reaches, directly and through other contracts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.diff import Question, compare
from floe.actions.diff.pairing import VersionPair, version_of, version_pairs
from floe.actions.impact.changed import changed_paths
from floe.actions.impact.edges import Places, lineage_parts, registered_uses, spellings, through_edges
from floe.actions.impact.ports import all_ports, dbt_parts, port_parts
from floe.actions.impact.walk import Hit, walk
from floe.actions.load.find import use_contract
from floe.actions.load.major_line import Registered, as_contract, registered
from floe.contract.compat.versions import name_of
from floe.model import Contract, ContractError
from floe.model.change import Diff
from floe.model.contract import Version
from floe.model.impact import ImpactOf, LineageEdge, Reached, Use
from floe.settings import Settings
from floe.tables.locate import place_of

if TYPE_CHECKING:
    from floe.actions.diff.contract_set import Source
    from floe.registry import Store


@dataclass(frozen=True, slots=True)
class ImpactResult:
    """Whom the changes of contracts reach, one element per contract."""

    results: tuple[ImpactOf, ...]

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        affected = sum(len(impact_of.affected) for impact_of in self.results)
        perhaps = sum(len(result.may_break) for result in self.results)
        summary = {"contracts": len(self.results), "affected": affected, "may_break": perhaps}
        return {"results": [impact_of.to_dict() for impact_of in self.results], "summary": summary}


@dataclass(frozen=True, slots=True)
class _LineageGraph:
    """All uses and edges that are known; uses with the MAJOR they are pinned to, where they are to one."""

    uses: list[tuple[Use, int | None]]
    edges: list[LineageEdge]


def impact(
    old: str, new: str | None, settings: Settings, dbt: Sequence[str] = (), artifacts: Sequence[str] = ()
) -> ImpactResult:
    """Whom a change reaches.

    Args:
        old: the old version: a registered contract, or what `floe diff` takes.
        new: the new one.
        settings: of the repository.
        dbt: manifests of dbt projects, for their exposures.
        artifacts: compiled artifacts of other repositories, for their input ports.
    """
    store = registry.find_store(settings.registry.url, settings.root)
    pairs = sorted(_pairs(old, new, store, settings), key=lambda pair: name_of(pair.present))
    diffs = compare(pairs, Question(), settings).results
    world = _world(store, pairs, settings, dbt, artifacts)
    return ImpactResult(tuple(_of(pair, diff, world) for pair, diff in zip(pairs, diffs, strict=True)))


def _pairs(old: str, new: str | None, store: "Store | None", settings: Settings) -> list[VersionPair]:
    known = _registered(old, store, settings)
    after = _registered(new, store, settings) if new else None
    if known and new and not after and not new.startswith(("git:", "table:")):
        # what is registered has all it inherits, so the new one needs it too
        later: Source | None = use_contract(new, settings)
    else:
        later = _version(after, None) if after else new
    before = _version(known, later) if known else old
    return list(version_pairs(before, later, False, settings))


def _registered(name: str, store: "Store | None", settings: Settings) -> Registered | None:
    """The registered contract that a name means; None where it is something else."""
    bare = name.removeprefix("registry:")
    if store is None or "\n" in name or Path(name).exists() or name.startswith(("git:", "table:")) or ".." in name:
        return None
    try:
        return registered(store, bare, settings)
    except ContractError:
        if bare != name:
            raise
        return None


def _version(found: Registered, later: "Source | None") -> Contract:
    """The requested version, or else the next lower one, or else the newest."""
    rows = found.versions
    if found.asked:
        return as_contract(next(row for row in rows if row["version"] == str(found.asked)))
    limit = version_of(later) if isinstance(later, Contract) else None
    below = [row for row in rows if limit and Version(row["major"], row["minor"], row["patch"]) < limit]
    return as_contract((below or rows)[-1])


def _world(
    store: "Store | None",
    pairs: Sequence[VersionPair],
    settings: Settings,
    dbt: Sequence[str],
    artifacts: Sequence[str],
) -> _LineageGraph:
    places, world = _places(store, settings.root, pairs), _LineageGraph([], [])
    if store:
        _add_registered(store, world, places)
    said = {(use.node, use.through) for use, _ in world.uses if use.through and use.source == "registered"}
    for use, major, edges in port_parts(all_ports(settings, artifacts), places):
        if not any((edge.source, edge.target) in said for edge in edges):
            world.uses.append((use, major))
        world.edges.extend(edges)
    for file in dbt:
        edges, uses = dbt_parts(file, places)
        world.edges.extend(edges)
        world.uses.extend((use, None) for use in uses)
    return world


def _places(store: "Store | None", root: Path, pairs: Sequence[VersionPair]) -> Places:
    places = Places()
    for pair in pairs:
        for contract in (pair.new, pair.old):
            if contract:
                places.add_contract(contract)
    if store:
        places.ids |= set(registry.lineage.contract_ids(store))
        for row in registry.lineage.find_tables(store):
            names = (*spellings(row["table_id"]), place_of(row["location"] or "", root), row["name"])
            places.add(row["contract_id"], row["dataset"], names)
    return places


def _add_registered(store: "Store", world: _LineageGraph, places: Places) -> None:
    """What the registry knows: consumers, and which column came from which."""
    pinned = list(registered_uses(registry.consumers.all_consumers(store)))
    world.uses.extend(pinned)
    world.edges.extend(through_edges(use for use, _ in pinned))
    edges, jobs = lineage_parts(registry.lineage.find_lineage(store), places)
    world.edges.extend(edges)
    said = {(use.node, use.through) for use, _ in pinned}
    world.uses.extend((use, None) for use in jobs if (use.node, use.through) not in said)


def _of(pair: VersionPair, diff: Diff, world: _LineageGraph) -> ImpactOf:
    name, changes = name_of(pair.old or pair.present), diff.changes  # consumers of the old version are affected
    major = version_of(pair.old).major if pair.old else None
    uses = [use for use, pinned in world.uses if use.node != name or None in (pinned, major) or pinned == major]
    changed = changed_paths(pair, changes)
    edges = [edge for edge in world.edges if edge.source != name or _of_line(edge, world, name, major)]
    hits = [*walk(name, changed.paths, edges, uses), *walk(name, changed.here, (), uses)]
    reached = sorted(_merged(hits, diff), key=lambda group: (len(group[0].way), group[0].use.node, group[0].use.team))
    return ImpactOf(
        contract=name,
        old=diff.old,
        new=diff.new,
        bump=str(diff.bump),
        changed=tuple(sorted({*changed.paths, *changed.here})),
        affected=tuple(one for one, certain in reached if certain),
        may_break=tuple(one for one, certain in reached if not certain),
    )


def _of_line(edge: LineageEdge, world: _LineageGraph, name: str, major: int | None) -> bool:
    """Whether an edge is of the MAJOR line that changes: one that a consumer of another line made is not."""
    if edge.by != "registered":
        return True
    through = [pinned for use, pinned in world.uses if (use.node, use.through) == (name, edge.target)]
    return major is None or major in through or None in through


def _merged(hits: Sequence[Hit], diff: Diff) -> Iterator[tuple[Reached, bool]]:
    """One entry per use, with all that reaches it."""
    found: dict[Use, Hit] = {}
    for hit in hits:
        known = found.get(hit.use, hit)
        columns = tuple(sorted({*known.columns, *hit.columns}))
        numbers, certain = known.numbers | hit.numbers, known.certain or hit.certain
        found[hit.use] = replace(known, columns=columns, numbers=numbers, certain=certain)
    for hit in found.values():
        changes = tuple(diff.changes[number] for number in sorted(hit.numbers))
        yield Reached(hit.use, hit.way, hit.columns, changes), hit.certain
