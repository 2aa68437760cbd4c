"""Convert: a contract, or the schema document of another tool, into another format."""

import difflib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from floe.contract.formats import canonical, odcs, read
from floe.contract.formats.foreign import documents
from floe.contract.formats.foreign.loss import LostParts
from floe.contract.formats.foreign.targets import NAMES, TARGETS, OutputFormat
from floe.contract.lint.rules.secret import hidden
from floe.contract.sources.files import read_bytes
from floe.model import Contract, ContractError, Dataset, Finding, FloeError, Severity
from floe.system.full_disk import remedy
from floe.system.whole_file import write_whole

Source = str | Path | Contract
_PAGES = ("html", "markdown")  # for readers, so these contain no secrets
_FORBIDDEN = '<>:"/\\|?*'


@dataclass(frozen=True, slots=True)
class Converted:
    """A contract in another format, and what that format cannot hold of it."""

    text: str
    target: str
    name: str
    lost: tuple[LostParts, ...] = ()

    @property
    def file_name(self) -> str:
        """What the file would be called in a folder."""
        suffix = next(target.suffix for target in TARGETS if target.name == self.target)
        return "".join("_" if char in _FORBIDDEN or not char.isprintable() else char for char in self.name) + suffix


def convert(
    source: Source,
    to: str = "odcs",
    *,
    dataset: str | None = None,
    model: str | None = None,
    dialect: str | None = None,
) -> Converted:
    """A contract as another format; one that makes several texts needs `dataset` or `model`."""
    contracts = list(contracts_in(source, model, dialect))
    if len(contracts) > 1:
        raise _several("contracts", "model", [contract.datasets[0].name for contract, _ in contracts])
    results = _results(contracts, _target(to), dataset)
    if len(results) > 1:
        raise _several("datasets", "dataset", [result.name for result in results])
    return results[0]


def _several(what: str, option: str, names: list[str]) -> FloeError:
    return FloeError(
        f"The source contains {len(names)} {what}: {', '.join(names)}",
        f"Select one with {option}=… (--{option} NAME), or write all into a folder with -o FOLDER",
    )


def convert_each(
    source: Source,
    to: str = "odcs",
    *,
    dataset: str | None = None,
    model: str | None = None,
    dialect: str | None = None,
) -> tuple[Converted, ...]:
    """Every text that a source makes in a format: one per contract, or per dataset where the format holds only one."""
    target = _target(to)
    return _results(contracts_in(source, model, dialect), target, dataset)


def _results(
    contracts: Iterable[tuple[Contract, tuple[LostParts, ...]]], target: OutputFormat, dataset: str | None
) -> tuple[Converted, ...]:
    if dataset is not None and target.whole:
        raise FloeError(
            f"{target.name} contains all datasets of a contract", "Remove --dataset, or choose a schema format"
        )
    return tuple(
        _converted(contract, datasets, target, lost)
        for contract, lost in contracts
        for datasets in _groups(contract, target, dataset)
    )


def save(results: Sequence[Converted], out: Path, force: bool = False) -> list[Path]:
    """Write the texts: into a folder that exists, or one text into a file; whole or not at all."""
    if os.path.isdir(out):  # unlike Path.is_dir, it answers for any name
        paths = [out / result.file_name for result in results]
    elif len(results) > 1:
        names = ", ".join(result.name for result in results)
        raise FloeError(
            f"{len(results)} contracts cannot be written to one file: {names}", f"Create the folder first: mkdir {out}"
        )
    else:
        paths = [out]
    _refuse(paths, force)
    for path, result in zip(paths, results, strict=True):
        _write(path, result.text)
    return paths


def _refuse(paths: list[Path], force: bool) -> None:
    for path in paths:
        if not os.path.isdir(path.parent):
            raise FloeError(f"Folder {path.parent} does not exist", f"Create it first: mkdir -p {path.parent}")
        if os.path.isdir(path):
            raise FloeError(f"{path} is a folder", "Pass a file")
        if os.path.isfile(path) and not force:
            raise FloeError(f"{path} already exists", "Add --force to overwrite it, or pass another file with -o")
    twice = sorted({str(path) for path in paths if paths.count(path) > 1})
    if twice:
        raise FloeError(
            f"Several contracts would be written to {', '.join(twice)}", "Write them one by one with -o FILE"
        )


def _write(path: Path, text: str) -> None:
    try:
        if path.exists() and not path.is_file():  # a pipe or a device takes text, but cannot be replaced
            path.write_text(text, "utf-8")
        else:
            write_whole(path, text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FloeError(
            f"{path} cannot be written: {reason}", remedy(error, "Check the folder's permissions")
        ) from None


def _target(name: str) -> OutputFormat:
    for target in TARGETS:
        if target.name == name:
            return target
    near = difflib.get_close_matches(name, NAMES, 1, 0.4)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    raise FloeError(f"'{name}' is not a target format", f"{hint}Use {', '.join(NAMES)}")


def contracts_in(
    source: Source, model: str | None, dialect: str | None
) -> Iterator[tuple[Contract, tuple[LostParts, ...]]]:
    """Every contract in a source, and what ODCS has no place for in each."""
    if isinstance(source, Contract):
        yield source, ()
        return
    data, name = _bytes(source)
    try:
        found = documents.read(data, name, model, dialect)
    except ContractError as error:
        raise _unusable(name, error.findings) if error.findings else error from None
    if found is None:
        _refuse_options(model, dialect)
        yield _usable(name, *read(data, name)), ()
        return
    if not found.trees:
        raise FloeError(f"{name} contains no model", "Convert the manifest of a project with models")
    for _, tree, lost in found.trees:
        yield _usable(name, *odcs.read(tree, name)), lost


def _refuse_options(model: str | None, dialect: str | None) -> None:
    if model is not None:
        raise FloeError("--model selects from a dbt manifest, but the source is not one", "Remove it")
    if dialect is not None:
        raise FloeError("--dialect is for SQL, but the source is not SQL", "Remove it")


def _bytes(source: str | Path) -> tuple[bytes, str]:
    if isinstance(source, str) and "\n" in source:
        return source.encode(), "<text>"
    path = Path(source)
    if os.path.isdir(path):
        raise FloeError(f"{path} is a folder", "Pass one file; `floe lint` takes folders")
    return read_bytes(path), str(path)


def _usable(name: str, contract: Contract | None, findings: Sequence[Finding]) -> Contract:
    critical = [finding for finding in findings if finding.severity is Severity.CRITICAL]
    if contract is None or critical:
        raise _unusable(name, tuple(critical or findings))
    return contract


def _unusable(name: str, findings: tuple[Finding, ...]) -> ContractError:
    first = findings[0] if findings else None
    return ContractError(
        f"{name} cannot be converted: {first.message if first else 'it contains no contract'}",
        first.suggestion if first else "",
        first.code if first else "E501",
        findings,
    )


def _groups(contract: Contract, target: OutputFormat, dataset: str | None) -> list[tuple[Dataset, ...]]:
    if target.whole:
        return [contract.datasets]
    described = tuple(
        value for value in contract.datasets if value.fields and dataset in (None, value.name, value.physical_name)
    )
    if not described:
        raise _nothing(contract, target, dataset)
    return [(dataset,) for dataset in described] if target.value else [described]


def _nothing(contract: Contract, target: OutputFormat, dataset: str | None) -> FloeError:
    names = [dataset.name for dataset in contract.datasets]
    if dataset is not None and dataset not in names:
        near = difflib.get_close_matches(dataset, names, 1, 0.5)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        return FloeError(f"The contract has no dataset '{dataset}'", f"{hint}It has {', '.join(names) or 'none'}")
    return FloeError(
        f"The contract describes no columns, so it cannot be written as {target.name}",
        "Describe a dataset with properties under schema",
    )


def _converted(
    contract: Contract, datasets: tuple[Dataset, ...], target: OutputFormat, lost: tuple[LostParts, ...]
) -> Converted:
    if target.name in _PAGES:
        contract = replace(odcs.contract_in(hidden(contract.node), contract.source), format=contract.format)
        datasets = contract.datasets if target.whole else datasets
    text, more = target.write(contract, datasets)
    if target.name.startswith("odcs"):
        _compare(contract, text)
    left_out = [dataset.name for dataset in contract.datasets if not dataset.fields]
    if left_out and not target.whole and not target.value:
        more = (LostParts("datasets without columns", tuple(left_out)), *more)
    name = datasets[0].name if target.value else contract.identity.split("/")[-1].rsplit(":", 1)[0]
    return Converted(text, target.name, name, (*lost, *more))


def _compare(contract: Contract, text: str) -> None:
    """What was written must read as what was given, or nothing is written."""
    again, findings = read(text, contract.source)
    if again is None or not canonical.equal(contract, again):
        found = [finding.message for finding in findings if finding.severity >= Severity.ERROR]
        found += canonical.differences(contract, again) if again else []
        raise FloeError(
            "The generated ODCS is not equal to the source contract, so nothing was written: " + "; ".join(found[:3]),
            "This is a bug in floe. Report it with the source document",
        )
