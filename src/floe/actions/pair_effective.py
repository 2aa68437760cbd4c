"""Two versions with what they inherit: a parent's change is a change of what its child promises (row A9)."""

from pathlib import Path

from floe.actions.parents import Parents
from floe.contract.resolve.inherit import Family, extended
from floe.contract.sources.disk import Disk
from floe.model import Contract


class Inheritance:
    """The parents of contracts that are files below a root."""

    def __init__(self, root: Path) -> None:
        self.family = Family(Parents(root, Disk()).find)

    def both(self, old: Contract, new: Contract) -> tuple[Contract, Contract, tuple[str, ...]]:
        """Both versions with all they inherit; as they are, with a note why, where a parent cannot be had."""
        if not any(True for one in (old, new) for _ in extended(one)):
            return old, new, ()
        alone = "only the documents are compared, not what they inherit"
        for one in (old, new):
            if not Path(one.source).is_file():
                return old, new, (f"{alone}: {one.source or 'a text'} is no file, so that its parents are not known",)
        made = [self.family.effective(one, {}) for one in (old, new)]
        wrong = [finding for one in made for finding in one.findings]
        if wrong:
            return old, new, (f"{alone}: {wrong[0].message}",)
        return made[0].contract, made[1].contract, ("what both versions inherit is compared too",)
