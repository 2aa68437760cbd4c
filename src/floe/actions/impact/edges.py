"""Who uses what, and what is made from what: registrations, input ports, dbt, OpenLineage."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from floe.contract.formats.odcs import step
from floe.model import Contract
from floe.model.impact import ALL, LineageEdge, Use

_FILE = re.compile(r"^file:(//)?")


@dataclass(slots=True)
class Places:
    """Contracts by all the names of their tables."""

    ids: set[str] = field(default_factory=set)
    tables: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> contract, dataset
    datasets: dict[str, set[tuple[str, str]]] = field(default_factory=dict)

    def add(self, contract_id: str, dataset: str, names: Iterable[str | None]) -> None:
        """Know a dataset of a contract by the names of its table."""
        self.ids.add(contract_id)
        self.datasets.setdefault(dataset.casefold(), set()).add((contract_id, dataset))
        for name in names:
            if name:
                self.tables.setdefault(_plain(name), (contract_id, dataset))

    def add_contract(self, contract: Contract) -> None:
        """Know the datasets of a contract."""
        name = contract.identity.rsplit(":", 1)[0]
        self.ids |= {name}
        for dataset in contract.datasets:
            self.add(name, dataset.name, spellings(contract.table_id(dataset), dataset.physical_name))

    def node(self, table: str) -> tuple[str, str]:
        """The contract of a table and its dataset; the table itself, and no dataset, where it has none."""
        plain = _plain(table)
        for name in (plain, *_endings(plain)):
            if name in self.tables:
                return self.tables[name]
        return f"table {plain}", ""

    def of_model(self, name: str) -> tuple[str, str] | None:
        """The contract of a dbt model's name, where one alone has a dataset called so."""
        found = self.datasets.get(name.casefold(), set())
        return next(iter(found)) if len(found) == 1 else None

    def contract(self, name: str) -> str | None:
        """The contract that an input port names, by id or by table."""
        bare = name.rsplit(":", 1)[0] if "/" in name and ":" in name.rsplit("/", 1)[-1] else name
        if bare in self.ids:
            return bare
        if name in self.tables:
            return self.tables[name][0]
        return bare if "/" in bare else None


def spellings(table_id: str | None, *others: str | None) -> Iterator[str | None]:
    """A table's names: as given, and as Spark has a table_id."""
    yield from (table_id, *others)
    parts = (table_id or "").split(".")
    if len(parts) == 3:
        yield f"{parts[0]}_{parts[1]}.{parts[2]}"


def _plain(name: str) -> str:
    return _FILE.sub("", name).rstrip("/")


def _endings(name: str) -> Iterator[str]:
    """A name without its first parts, as long as two parts are left: a bare word could be anybody's table."""
    for tail in (name, name.rsplit("/", 1)[-1]):
        for mark in ("/", "."):
            rest = tail
            while mark in rest:
                rest = rest.split(mark, 1)[1]
                if "." in rest or "/" in rest:
                    yield rest


def registered_uses(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Use, int]]:
    """Consumers that are registered, each with the MAJOR it is pinned to."""
    for row in rows:
        columns = None if row["columns"] is None else tuple(row["columns"])
        use = Use(row["contract_id"], row["team"], row["contact"], row["source"], columns)
        yield _with(use, row), row["major"]


def _with(use: Use, row: Mapping[str, Any]) -> Use:
    return Use(
        use.node, use.team, use.contact, use.source, use.columns, "", str(row["version_range"]), through=row["through"]
    )


def through_edges(uses: Iterable[Use]) -> Iterator[LineageEdge]:
    """The edge from a contract to the contract that its consumer produces."""
    for use in uses:
        if use.through:
            yield LineageEdge(use.node, use.through, use.source, uses=use.columns)


def lineage_parts(rows: Sequence[Mapping[str, Any]], places: Places) -> tuple[list[LineageEdge], list[Use]]:
    """Edges between tables as jobs were seen to make them, and the jobs as users of what they read."""
    by_job: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        by_job.setdefault((row["source_table"], row["target_table"], row["job"]), []).append(row)
    edges, uses = [], []
    for (source, target, job), some in by_job.items():
        (here, dataset), (there, other) = places.node(source), places.node(target)
        columns = _columns(some, dataset, other)
        edges.append(LineageEdge(here, there, "lineage", columns))
        used = None if columns is None else tuple(sorted(columns))
        uses.append(Use(here, job, "", "lineage", used, name=there, through=there))
    return edges, uses


def _columns(rows: Sequence[Mapping[str, Any]], dataset: str, other: str) -> dict[str, frozenset[str]] | None:
    """Source paths with the target paths made from them; None where a job names tables alone."""
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        if row["source_column"] is not None:
            source, target = _path(dataset, row["source_column"]), _path(other, row["target_column"])
            found[source] = found.get(source, frozenset()) | {target}
    return found or None


def _path(dataset: str, column: str | None) -> str:
    if column is None:
        return step(dataset) if dataset else ALL
    return f"{step(dataset)}.{column}" if dataset else column
