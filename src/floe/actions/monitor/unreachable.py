"""Why a table cannot be read: missing, no permission, its catalog down, or something else."""

import re

_PATH = re.compile(r"\S*/.*?(?= cannot | lists | does | contains | is |$)")  # names of folders may hold any word
_CAUSES = {
    "permission": ("permission denied", "forbidden", "access denied", "accessdenied", "unauthorized"),
    "catalog": ("the catalog '", "no catalog is called"),
    "missing": ("which is missing", "does not exist", "no such file", "not found", "contains no parquet file"),
}
WORDS = {
    "permission": "permission denied",
    "catalog": "its catalog does not answer",
    "missing": "it or one of its files is missing",
    "unreadable": "it is unreadable",
}


def cause_of(message: str) -> str:
    """The cause in the message of an error: permission, catalog, missing or unreadable.

    >>> cause_of("/t cannot be read: Permission denied (os error 13)")
    'permission'
    >>> cause_of("/t lists the file a.parquet, which is missing")
    'missing'
    >>> cause_of("The catalog 'ice' cannot be asked: connection refused")
    'catalog'
    >>> cause_of("/not found/forbidden/a.parquet cannot be read: no magic bytes")
    'unreadable'
    """
    text = _PATH.sub(" ", message.lower())
    return next((cause for cause, signs in _CAUSES.items() if any(sign in text for sign in signs)), "unreadable")
