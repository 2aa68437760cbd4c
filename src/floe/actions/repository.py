"""The repository that a contract is published from."""

import re
from functools import cache
from pathlib import Path

from floe.contract.sources.git import Repository
from floe.model import FloeError


def repository_of(said: str | None, folder: Path) -> str | None:
    """The repository as floe.yaml says it, else as git knows it; None where neither does."""
    return one_form(said) if said else _remote(str(folder))


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


@cache
def _remote(folder: str) -> str | None:
    try:
        address = Repository(Path(folder)).remote()
    except FloeError:
        return None
    return one_form(address) if address else None
