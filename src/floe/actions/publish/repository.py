"""The repository that a contract is published from."""

import re
from pathlib import Path

from floe.contract.sources.git import Repository
from floe.model import FloeError


class Repositories:
    """Repositories by folder; git is asked once for each."""

    def __init__(self) -> None:
        self._known: dict[Path | None, str | None] = {None: None}
        self._tops: dict[Path, Path | None] = {}

    def of(self, said: str | None, folder: Path) -> str | None:
        """The repository as floe.yaml says it, else as git knows it; None where neither does."""
        if said:
            return one_form(said)
        if folder not in self._tops:
            self._tops[folder] = next((path for path in (folder, *folder.parents) if (path / ".git").exists()), None)
        top = self._tops[folder]
        if top not in self._known:
            self._known[top] = _remote(top or folder)
        return self._known[top]


def _remote(folder: Path) -> str | None:
    try:
        address = Repository(folder).remote()
    except FloeError:
        return None
    return one_form(address) if address else None


def one_form(address: str) -> str:
    """A repository's address without what may differ between two copies of it: scheme, user, password, `.git`.

    >>> one_form("https://user:token@github.com/acme/shop.git"), one_form("git@github.com:acme/shop")
    ('github.com/acme/shop', 'github.com/acme/shop')
    """
    bare = re.sub(r"^[a-z+]+://", "", address.strip())
    head, slash, rest = bare.partition("/")
    head = head.rsplit("@", 1)[-1]
    if not slash or ":" in head:
        head = re.sub(r":(?!\d+$)", "/", head)
    return f"{head}{slash}{rest}".removesuffix("/").removesuffix(".git")
