"""E508 server-duplicated."""

from collections.abc import Iterator

from floe.contract.lint.duplicates import named_twice
from floe.contract.lint.rule import rule
from floe.model import Contract, Message, Severity


@rule("E508", "server-duplicated", Severity.WARNING, value=Contract)
def server_duplicated(contract: Contract) -> Iterator[Message]:
    """Two servers have the same name.

    Why: `--server` and the environment select a server by its name, and the first one is used without a message.

    Fix: give each server its own name.
    """
    if len(contract.servers) > 1:
        yield from named_twice([(server.server, (*server.at, "server")) for server in contract.servers])
