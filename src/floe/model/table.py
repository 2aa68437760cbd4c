"""The location of a dataset's table."""

import re
from dataclasses import dataclass

from floe.lang.sql.names import quote
from floe.model.errors import TableError

# what no path or name of a table holds: control characters, what ends a name in SQL, what Spark replaces
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029`]|\\$\\{")
_WEB = re.compile(r"(https?|s?ftp|gopher|data|jar):", re.IGNORECASE)

# the keys of a contract's server that a table's path or name is made of
AIMS = ("path", "location", "catalog", "schema", "database", "namespace")


def unsafe_in(text: str) -> str | None:
    """What in a path or name of a table is not allowed there; None where all is.

    >>> unsafe_in("s3://lake/a b's [1]"), unsafe_in("a`b"), unsafe_in("${env:HOME}")
    (None, 'a backtick', "'${'")
    """
    found = _UNSAFE.search(text)
    if not found:
        return None
    return {"`": "a backtick", "${": "'${'"}.get(found[0], "a control character")


def unsafe_in_path(path: str) -> str | None:
    """What in a path of a table is not allowed there; None where all is.

    A web address is no table, and a query sets options of the store: `endpoint_override` would send requests that are signed
    with the user's keys to any server.

    >>> unsafe_in_path("s3://lake/orders"), unsafe_in_path("lake/what?"), unsafe_in_path("http://acme.example/orders")
    (None, None, "a web address ('http:')")
    >>> unsafe_in_path("s3://lake/orders?endpoint_override=acme.example")
    "a query ('?')"
    """
    if web := _WEB.match(path):
        return f"a web address ('{web[1].lower()}:')"
    if "://" in path and "?" in path:
        return "a query ('?')"
    return unsafe_in(path)


@dataclass(frozen=True, slots=True)
class Target:
    """A table by its catalog name, or by its path; `format` is delta, iceberg or parquet."""

    format: str
    name: str | None = None
    path: str | None = None

    def __post_init__(self) -> None:
        """Refuse what could end its name in SQL, wherever it came from."""
        for called, text, check in (("name", self.name, unsafe_in), ("path", self.path, unsafe_in_path)):
            if text and (unsafe := check(text)):
                raise TableError(f"The {called} {text!a} of a table contains {unsafe}", "Remove it", "E507")

    def __str__(self) -> str:
        return self.name or self.path or ""

    @property
    def sql(self) -> str:
        """The table as Spark SQL names it."""
        if self.name:
            return ".".join(map(quote, self.name.split(".")))
        return f"{self.format}.{quote(str(self.path))}"
