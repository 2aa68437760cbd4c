"""The walk from a changed contract along all edges, to whoever uses what is reached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from floe.model.impact import ALL, LineageEdge, Use

Changed = Mapping[str, frozenset[int]]  # paths with the numbers of the changes behind them
# column lineage of jobs replaces registrations of tables
_SAID = ("registered", "input_port", "dbt")


@dataclass(frozen=True, slots=True)
class Hit:
    """A use that changes reach, and whether that is certain."""

    use: Use
    way: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: frozenset[int]
    certain: bool


@dataclass(slots=True)
class _NodeChanges:
    """What is known to have changed at one node: paths and the changes behind them, and changes of unknown paths."""

    way: tuple[str, ...]
    paths: dict[str, frozenset[int]] = field(default_factory=dict)
    unknown: frozenset[int] = frozenset()

    def add(self, paths: Changed, unknown: frozenset[int]) -> bool:
        """Take in more; whether anything was new."""
        before = (dict(self.paths), self.unknown)
        for path, numbers in paths.items():
            self.paths[path] = self.paths.get(path, frozenset()) | numbers
        self.unknown |= unknown
        return before != (self.paths, self.unknown)


def related(name: str, other: str) -> bool:
    """Whether one path is the other, or a part of it.

    >>> related("orders.address", "orders.address.city"), related("orders.a", "orders.ab"), related("", "orders.a")
    (True, False, True)
    """
    short, long = sorted((name, other), key=len)
    return not short or long == short or (long.startswith(short) and long[len(short)] in ".[{")


def walk(start: str, changed: Changed, edges: Sequence[LineageEdge], uses: Sequence[Use]) -> list[Hit]:
    """The uses that changes of a node reach, to any depth."""
    nodes = {start: _NodeChanges((start,), dict(changed))}
    ahead = [start]
    after = _by_source(edges)
    while ahead:
        here = ahead.pop(0)
        for edge in after.get(here, ()):
            paths, unknown = _carried(nodes[here], edge)
            if not paths and not unknown:
                continue
            at = nodes.setdefault(edge.target, _NodeChanges((*nodes[here].way, edge.target)))
            if at.add(paths, unknown):
                ahead.append(edge.target)
    return [hit for use in uses if use.node in nodes and (hit := _hit(nodes[use.node], use))]


def _by_source(edges: Sequence[LineageEdge]) -> dict[str, list[LineageEdge]]:
    """Edges by their start; column lineage between two nodes replaces registrations."""
    exact = {(edge.source, edge.target) for edge in edges if edge.columns is not None}
    found: dict[str, list[LineageEdge]] = {}
    for edge in edges:
        known = edge.by in _SAID and (edge.source, edge.target) in exact
        if edge.source != edge.target and not known:
            found.setdefault(edge.source, []).append(edge)
    return found


def _carried(at: _NodeChanges, edge: LineageEdge) -> tuple[dict[str, frozenset[int]], frozenset[int]]:
    """What an edge carries on: changes of known target paths, and changes of which the target's paths are not known."""
    if edge.columns is None:
        fits = [n for path, n in at.paths.items() if edge.uses is None or any(related(path, u) for u in edge.uses)]
        return {}, at.unknown.union(*fits)
    paths: dict[str, frozenset[int]] = {}
    for source, targets in edge.columns.items():
        numbers = frozenset[int]().union(*(n for path, n in at.paths.items() if related(path, source)))
        for target in targets if numbers else ():
            paths[target] = paths.get(target, frozenset()) | numbers
    return paths, at.unknown


def _hit(at: _NodeChanges, use: Use) -> Hit | None:
    if use.columns is None:
        numbers = at.unknown.union(*at.paths.values())
        # a change of a whole dataset is certain even if the columns are unknown
        return Hit(use, at.way, (), numbers, ALL in at.paths) if numbers else None
    used = sorted({column for column in use.columns if any(related(column, path) for path in at.paths)})
    if used:
        touching = [n for path, n in at.paths.items() if any(related(path, name) for name in use.columns)]
        return Hit(use, at.way, tuple(used), frozenset[int]().union(*touching), True)
    return Hit(use, at.way, (), at.unknown, False) if at.unknown else None
