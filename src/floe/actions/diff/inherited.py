"""Two versions with their inherited values: a change of a parent is a change of its child (row A9)."""

from dataclasses import replace
from pathlib import Path

from floe.actions.load.product import Parents
from floe.contract.resolve.inherit import ContractFamily, Effective
from floe.contract.sources.files import Before, Disk
from floe.contract.sources.git import Repository
from floe.model import Contract


class Inheritance:
    """The parents of contracts that are files below a root, now or at git revisions."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._families: dict[str, ContractFamily] = {}

    def both(self, old: Contract, new: Contract, revision: str = "") -> tuple[Contract, Contract, tuple[str, ...]]:
        """Both versions with all they inherit; as they are, with a note why, where a parent cannot be had.

        The new one is of the working tree, or of a revision.
        """
        if not any(True for contract in (old, new) if not contract.is_resolved for _ in contract.extended()):
            return old, new, ()
        alone = "only the documents are compared, without inherited values"
        made: list[Effective] = []
        for one, of in ((old, ""), (new, revision)):
            if one.is_resolved:
                made.append(Effective(one, one))
                continue
            at, path = _origin(one.source, of)
            if not at and not Path(path).is_file():
                return old, new, (f"{alone}: {path or 'a text'} is not a file, so its parents are unknown",)
            made.append(self._family(at).effective(replace(one, source=path), {}))
        wrong = [finding for effective in made for finding in effective.findings]
        if wrong:
            return old, new, (f"{alone}: {wrong[0].message}",)
        whole = [replace(one.contract, source=plain.source) for one, plain in zip(made, (old, new), strict=True)]
        return whole[0], whole[1], ("inherited values are compared too",)

    def _family(self, revision: str) -> ContractFamily:
        if revision not in self._families:
            files = Disk()
            if revision:
                repository = Repository(Path.cwd())
                files = Before(repository.texts(repository.differing(revision, repository.top)))
            self._families[revision] = ContractFamily(Parents(self.root, files).find)
        return self._families[revision]


def _origin(source: str, revision: str) -> tuple[str, str]:
    """The revision and the path of a contract's source.

    >>> _origin("git:main:a/orders.yaml", "")
    ('main', 'a/orders.yaml')
    >>> _origin("a/orders.yaml", "HEAD")
    ('HEAD', 'a/orders.yaml')
    """
    if source.startswith("git:"):
        _, revision, source = source.split(":", 2)
    return revision, source
