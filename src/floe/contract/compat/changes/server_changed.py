"""I1 server-added and server-removed, I2 server-moved, I3 server-described."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import ServerPair
from floe.contract.compat.parts import DocumentPart, differing
from floe.model.change import Bump, Impact

_NOTES = ("environment", "description", "id", "tags", "authoritativeDefinitions")
# a kind of server that v3.1 has no word for
_KIND = "serverType"


@change("server-added", "I1", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=ServerPair)
def server_added(pair: ServerPair) -> Iterator[Delta]:
    """A server is new.

    Why: readers may use it; nothing else changes.

    Fix: raise the MINOR version.
    """
    if pair.new and not pair.old:
        yield Delta(new=pair.new.type, about=pair.new)


@change("server-removed", "I1", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ServerPair)
def server_removed(pair: ServerPair) -> Iterator[Delta]:
    """A server was removed.

    Why: readers of this server find no data.

    Fix: keep it until its readers have migrated, or publish a MAJOR version.
    """
    if pair.old and not pair.new:
        yield Delta(old=pair.old.type, about=pair.old)


@change("server-moved", "I2", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=ServerPair)
def server_moved(pair: ServerPair) -> Iterator[Delta]:
    """The type, location, catalog, schema, topic, host, format or delimiter of a server changed.

    Why: readers use the address. A MAJOR version gets its own namespace, and the old one stays until it is retired.

    Fix: add the new place as another server, or publish a MAJOR version.
    """
    for part in _parts(pair):
        if not _is_note(part) and part.path != "roles":
            yield Delta(path=part.path, old=part.old, new=part.new, about=pair.new)


@change("server-described", "I3", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=ServerPair)
def server_described(pair: ServerPair) -> Iterator[Delta]:
    """The environment, description or another note of a server changed.

    Why: the data did not move.

    Fix: raise the PATCH version.
    """
    for part in _parts(pair):
        if _is_note(part):
            yield Delta(path=part.path, old=part.old, new=part.new, about=pair.new)


def _parts(pair: ServerPair) -> Iterator[DocumentPart]:
    if pair.old and pair.new:
        yield from differing(pair.old.node, pair.new.node, "servers", ("server",))


def _is_note(part: DocumentPart) -> bool:
    return part.path in _NOTES if part.custom is None else part.custom != _KIND
