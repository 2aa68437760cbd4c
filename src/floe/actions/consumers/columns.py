"""The columns that a consumer names, as the paths by which changes are found."""

import difflib
from collections.abc import Iterator, Sequence

from floe.contract.formats.odcs import step
from floe.model import Contract, ContractError, Dataset, Field


def used_paths(contract: Contract, columns: Sequence[str]) -> list[str]:
    """The paths of columns: `dataset.field`, nested ones at any depth; ContractError for an unknown one."""
    known = dict(_known(contract))
    wanted = [name.strip() for name in columns if name.strip()]
    if not wanted:
        raise ContractError("No column given", "Pass the columns in use, e.g. --columns order_id,total")
    return sorted({path for name in wanted for path in [_path(contract, known, name)]})


def _known(contract: Contract) -> Iterator[tuple[str, list[str]]]:
    """Every way to name a field, with the paths that are meant by it."""
    said: dict[str, list[str]] = {}
    for dataset in contract.datasets:
        for name, path in _names(dataset):
            said.setdefault(name, [])
            if path not in said[name]:
                said[name].append(path)
    yield from said.items()


def _names(dataset: Dataset) -> Iterator[tuple[str, str]]:
    yield step(dataset.name), step(dataset.name)
    for field in dataset.walk():
        whole = f"{step(dataset.name)}.{field.path}"
        for name in dict.fromkeys((field.path, _plain(field.path), _physical(field))):
            yield name, whole
            yield f"{step(dataset.name)}.{name}", whole


def _plain(path: str) -> str:
    """A path as people write it, without the marks of items and map values."""
    return path.replace("[]", "").replace("{}", "").replace("{key}", "")


def _physical(field: Field) -> str:
    """A top-level field by its name in the table."""
    return step(field.column) if "." not in field.path and field.column else field.path


def _path(contract: Contract, known: dict[str, list[str]], name: str) -> str:
    paths = known.get(name, [])
    if len(paths) > 1:
        exact = [path for path in paths if path == name or path.endswith(f".{name}")]
        paths = exact if len(exact) == 1 else paths
    if len(paths) == 1:
        return paths[0]
    if paths:
        raise ContractError(
            f"Column '{name}' of {contract.identity} is ambiguous: {' or '.join(paths)}", "Pass one of these paths"
        )
    near = difflib.get_close_matches(name, list(known), 1)
    listed = ", ".join(field.path for dataset in contract.datasets for field in dataset.fields[:20])
    raise ContractError(
        f"{contract.identity} has no column '{name}'",
        f"Did you mean '{near[0]}'?" if near else f"Its columns are {listed}",
        "E500",
    )
