"""What compiling says of the contracts that changed, and of those that inherit from one that did."""

from collections.abc import Collection, Iterable, Iterator
from datetime import date
from pathlib import Path

from floe.actions.compile import compile as compile_products
from floe.contract.sources.folders import Folders
from floe.model import Finding
from floe.model.settings import Settings

# what is asked for all of them: a change of one of these may break any contract
_MANIFEST = "manifest.yaml"


def compiled(
    path: Path, changed: Collection[str], said: Iterable[Finding], settings: Settings, when: tuple[str, date]
) -> Iterator[Finding]:
    """Findings of the products below a path that something changed in since `when`; not those that were said before."""
    known = {_key(finding) for finding in said}
    files = {str(Path(name).resolve()) for name in changed}
    folder = path.resolve()
    if not (
        folder.is_dir() and files and any((Path(one) / "floe.yaml").is_file() for one in Folders(folder).products())
    ):
        return
    since, today = when
    result = compile_products(folder, today=today, store=False, since=since)
    touched = files | {one.document for one in result.run.ones if not files.isdisjoint(one.files)}
    touched |= {f"{one.folder}/floe.yaml" for one in result.run.ones if not files.isdisjoint(one.files)}
    everything = str(settings.root / _MANIFEST) in files
    for finding in result.findings:
        about = finding.place and str(Path(finding.place.file).resolve()) in touched
        if (everything or about) and _key(finding) not in known:
            known.add(_key(finding))
            yield finding


def _key(finding: Finding) -> tuple[str, str, str, str]:
    place = finding.place
    where = f"{Path(place.file).resolve()}:{place.line}:{place.column}" if place else ""
    return finding.code, finding.name, finding.message, where
