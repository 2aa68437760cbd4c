"""What a contract's servers keep its tables in."""

from floe.model import Contract, Server

_POSITIONAL = ("csv", "tsv", "psv", "delimited", "fixed", "fixedwidth", "fixedlength", "fwf")
# types of server whose tables are of one format unless they say otherwise
_BY_TYPE = {"databricks": "delta", "iceberg": "iceberg", "delta": "delta"}
# formats of tables whose partition columns cannot change: writers of the old ones fail
FIXED_PARTITIONS = frozenset({"delta"})
# what a format of files is called among the verdicts on types
_VERDICTS = {"delta": ("delta",), "iceberg": ("iceberg_v2", "iceberg_v3"), "avro": ("avro",)}


def server_formats(contract: Contract, usual: str) -> tuple[str, ...]:
    """The format of every server, as one word; the usual one where the contract names no server."""
    return tuple(_format(server) for server in contract.servers) or (usual,)


def _format(server: Server) -> str:
    written = server.values.get("format")
    word = written if isinstance(written, str) and written else _BY_TYPE.get(server.type.lower(), server.type)
    return "".join(mark for mark in word.lower() if mark.isalnum())


def positional(contract: Contract) -> bool:
    """Whether some server's readers know a column by its position."""
    return any(_format(server) in _POSITIONAL for server in contract.servers)


def verdict_names(contract: Contract, usual: str) -> tuple[str, ...] | None:
    """The formats of a contract's servers as the verdicts on types name them; None where one of them has no verdict."""
    named = [_VERDICTS.get(word) for word in server_formats(contract, usual)]
    known = [names for names in named if names]
    return tuple(name for names in known for name in names) if len(known) == len(named) else None
