"""Whether a pattern can hang the engine that runs it: how many ways it has to match one and the same text.

A backtracking engine tries every way. The pattern becomes a graph of positions (one for each character set, an
edge where one may follow the other). Two different paths that leave a position and return to it over the same text
double the ways with each turn; positions that repeat over the same characters side by side multiply them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

from floe.lang.regex.pattern import Chars, Choice, Node, Pattern, Repeat, Sequence

# More turns than this count as a loop; fewer are written out.
_MANY = 8
_WORK = 200_000
_SIDE_BY_SIDE, _ALONG = 3, 5
T = TypeVar("T")


class TooMuchError(Exception):
    """The pattern has more positions than can be checked in reasonable time."""


def backtracking_risk(pattern: Pattern) -> tuple[str, bool] | None:
    """Why a pattern can hang, and whether that is certain (else it is slow on long texts only); None where it cannot."""
    if pattern.refers_back:
        return "it refers back to a group", True
    try:
        reasons = [reason for tree in (pattern.tree, *pattern.around) if (reason := _tree(tree))]
    except TooMuchError:
        return "it is too large to be checked", True
    return max(reasons, key=lambda reason: reason[1], default=None)


def _tree(tree: Node) -> tuple[str, bool] | None:
    graph = _Graph()
    graph.add(tree)
    if graph.idle or graph.doubles():
        return "a repetition inside a repetition can match one text in many ways", True
    side, along = graph.chain(direct=True), graph.chain(direct=False)
    if side >= _SIDE_BY_SIDE or along >= _ALONG:
        return f"{max(side, along)} repetitions over the same characters follow one another", True
    return ("two repetitions over the same characters are adjacent", False) if side == 2 else None


class _Part:
    """What a subtree adds to the graph: where it begins and ends, and whether it may be empty."""

    __slots__ = ("empty", "first", "last")

    def __init__(self, first: Counter[int], last: Counter[int], empty: bool) -> None:
        self.first, self.last, self.empty = first, last, empty


class _Graph:
    """The positions of a pattern and how many ways lead from one to the next."""

    def __init__(self) -> None:
        self.masks: list[int] = []
        self.edges: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.endless: set[int] = set()
        self.work = 0
        self.idle = False

    def spend(self, amount: int) -> None:
        self.work += amount
        if self.work > _WORK:
            raise TooMuchError

    def add(self, node: Node) -> _Part:
        match node:
            case Chars(mask):
                self.spend(1)
                self.masks.append(mask)
                here = len(self.masks) - 1
                return _Part(Counter([here]), Counter([here]), False)
            case Choice(branches):
                return self._choice([self.add(branch) for branch in branches])
            case Repeat(body, least, most):
                return self._repeat(body, least, most)
            case Sequence(parts):
                return self._sequence(self.add(part) for part in parts)

    def _choice(self, parts: list[_Part]) -> _Part:
        first: Counter[int] = Counter()
        last: Counter[int] = Counter()
        for part in parts:
            first += part.first
            last += part.last
        return _Part(first, last, any(part.empty for part in parts))

    def _sequence(self, parts: Iterable[_Part]) -> _Part:
        whole = _Part(Counter(), Counter(), True)
        for part in parts:
            self._join(whole.last, part.first)
            first = whole.first + part.first if whole.empty else whole.first
            last = whole.last + part.last if part.empty else part.last
            whole = _Part(first, last, whole.empty and part.empty)
        return whole

    def _join(self, last: Mapping[int, int], first: Mapping[int, int]) -> None:
        self.spend(len(last) * len(first))
        for here, ways in last.items():
            for there, more in first.items():
                self.edges[here][there] += ways * more

    def _repeat(self, body: Node, least: int, most: int | None) -> _Part:
        if most == 0:
            return _Part(Counter(), Counter(), True)
        if most is None or most > _MANY:
            part = self.add(body)
            self._join(part.last, part.first)
            self.idle |= part.empty and least > _MANY  # turns that match nothing are tried one by one
            if most is None and isinstance(body, Chars):
                self.endless.update(part.first)
            return _Part(part.first, part.last, part.empty or least == 0)
        return self._written_out(body, least, most)

    def _written_out(self, body: Node, least: int, most: int) -> _Part:
        """`x{1,3}` as x(x(x)?)?, so that each number of turns has one way."""
        whole = _Part(Counter(), Counter(), True)
        for turn in range(most, 0, -1):
            part = self.add(body)
            self._join(part.last, whole.first)
            last = whole.last + part.last if whole.empty else whole.last
            first = part.first + whole.first if part.empty else part.first
            empty = (part.empty and whole.empty) or turn > least
            whole = _Part(first, last, empty)
        return whole

    def doubles(self) -> bool:
        """Whether two different paths lead from a position back to it over one text."""
        successors = {here: tuple(there) for here, there in self.edges.items()}
        return any(self._doubles_in(component) for component in _components(successors) if self._loops(component))

    def _loops(self, component: set[int]) -> bool:
        return len(component) > 1 or any(here in self.edges[here] for here in component)

    def _doubles_in(self, component: set[int]) -> bool:
        inside = {here: [there for there in self.edges[here] if there in component] for here in component}
        if any(self.edges[here][there] > 1 for here in component for there in inside[here]):
            return True
        groups = _components(self._pairs(inside))
        return any(len(group) > 1 and _splits_and_meets(group) for group in groups)

    def _pairs(self, inside: Mapping[int, list[int]]) -> dict[tuple[int, int], tuple[tuple[int, int], ...]]:
        """Where two walkers over one text can be at once, beginning at one position, and where they can be next."""
        pairs: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        waiting = [(here, here) for here in inside]
        while waiting:
            pair = waiting.pop()
            if pair in pairs:
                continue
            first, second = pair
            self.spend(1 + len(inside[first]) * len(inside[second]))
            steps = ((a, b) for a in inside[first] for b in inside[second])
            pairs[pair] = tuple({(min(a, b), max(a, b)) for a, b in steps if self.masks[a] & self.masks[b]})
            waiting += pairs[pair]
        return pairs

    def chain(self, direct: bool) -> int:
        """How many endless repetitions over common characters follow one another; `direct`: nothing is between them."""
        known: dict[tuple[int, int], int] = {}
        return max((self._chain_from(here, direct, _ALONG, known) for here in self.endless), default=0)

    def _chain_from(self, here: int, direct: bool, left: int, known: dict[tuple[int, int], int]) -> int:
        if left == 1:
            return 1
        if (here, left) not in known:
            nexts = self._next(here, direct)
            below = (self._chain_from(there, direct, left - 1, known) for there in nexts)
            known[here, left] = 1 + max(below, default=0)
        return known[here, left]

    def _next(self, here: int, direct: bool) -> set[int]:
        """The endless positions after this one, over characters that this one matches too."""
        mask, found, seen = self.masks[here], set(), {here}
        waiting = list(self.edges[here])
        while waiting:
            there = waiting.pop()
            self.spend(1)
            if there in seen or not self.masks[there] & mask:
                continue
            seen.add(there)
            if there in self.endless:
                found.add(there)
            elif not direct:
                waiting += self.edges[there]
        return found


def _splits_and_meets(group: set[tuple[int, int]]) -> bool:
    """Whether two walkers are at one position in some of these pairs, and at two in others."""
    return any(a == b for a, b in group) and any(a != b for a, b in group)


def _components(successors: Mapping[T, Iterable[T]]) -> list[set[T]]:
    """The strongly connected components of a graph (Kosaraju, without recursion)."""
    predecessors: defaultdict[T, list[T]] = defaultdict(list)
    for here, nexts in successors.items():
        for there in nexts:
            predecessors[there].append(here)
    seen: set[T] = set()
    found = [_walk(root, predecessors, seen) for root in reversed(_walks(successors))]
    return [set(component) for component in found if component]


def _walks(successors: Mapping[T, Iterable[T]]) -> list[T]:
    """Every node, each after those that it leads to."""
    seen: set[T] = set()
    return [node for root in successors for node in _walk(root, successors, seen)]


def _walk(root: T, successors: Mapping[T, Iterable[T]], seen: set[T]) -> list[T]:
    """The nodes that a root leads to and that were not seen before, in the order in which they are done."""
    done: list[T] = []
    waiting = [(root, False)]
    while waiting:
        node, left = waiting.pop()
        if left:
            done.append(node)
        elif node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(there, False) for there in successors.get(node, ()) if there not in seen]
    return done
