"""What compiling says of the contracts that changed, and of those that inherit from one that did."""

from collections.abc import Collection, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from floe.actions.compile import compile as compile_products
from floe.actions.compile import product_folders
from floe.model import Finding
from floe.model.settings import Settings

# what is asked for all of them: a change of one of these may break any product
_SHARED = ("manifest.yaml", "floe.yaml")


def compiled(
    path: Path, changed: Collection[str], said: Iterable[Finding], settings: Settings, today: date
) -> Iterator[Finding]:
    """Findings of the products below a path that something changed in; not those that were said before."""
    known = {_key(finding) for finding in said}
    files = {Path(name).resolve() for name in changed}
    for folder in product_folders(path.resolve()) if path.is_dir() and changed else ():
        if not (folder / "floe.yaml").is_file():
            continue
        result = compile_products(folder, store=False, today=today)
        touched = _touched(result.contracts, folder, files) | files
        everything = any((folder / name) in files for name in _SHARED) or (settings.root / "manifest.yaml") in files
        for finding in result.findings:
            about = finding.place and Path(finding.place.file).resolve() in touched
            if (everything or about) and _key(finding) not in known:
                known.add(_key(finding))
                yield finding


def _touched(contracts: Iterable[dict[str, Any]], folder: Path, files: Collection[Path]) -> set[Path]:
    """The documents that inherit from a changed one."""
    return {
        (folder / one["file"]).resolve()
        for one in contracts
        if any((folder / parent["file"]).resolve() in files for parent in one["parents"])
    }


def _key(finding: Finding) -> tuple[str, str, str, str]:
    place = finding.place
    where = f"{Path(place.file).resolve()}:{place.line}:{place.column}" if place else ""
    return finding.code, finding.name, finding.message, where
