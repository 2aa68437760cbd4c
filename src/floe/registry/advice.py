"""What to do about a database that fails: decided by the codes of SQLite and PostgreSQL."""

import json
import os
import sqlite3

import sqlalchemy as sa
from sqlalchemy.exc import NoSuchModuleError

from floe.system.full_disk import no_room

DAMAGED = (UnicodeDecodeError, json.JSONDecodeError)  # what bytes that are no text, or no JSON, end with

_FILE = "Check registry.url and the permissions of the file and its folder (`floe doctor`)"
_SERVER = "Check registry.url, and that its server runs and is reachable (`floe doctor`)"
_ADDRESS = "Write it as sqlite:///.floe/registry.db or postgresql://…"
_RESTORE = "The file is damaged: restore it from a backup or an export, or move it away"
_ROOM = "Nothing was registered: free space on its disk, and run the command again"
_RIGHTS = "Request write permission, or set registry.url to another place"
_LOGIN = "Check the user and password of registry.url"
_SLOW = "The database is slow, or another session locks its tables: run the command again later"
_SILENT = "The server accepted the connection but does not respond: check the server, and any pooler or firewall in front of it"
_HELD = "Another program locks the file: stop it, or move the registry to PostgreSQL"

_SQLITE = {
    sqlite3.SQLITE_CORRUPT: _RESTORE,
    sqlite3.SQLITE_NOTADB: _RESTORE,
    sqlite3.SQLITE_IOERR: _RESTORE,
    sqlite3.SQLITE_FULL: _ROOM,
    sqlite3.SQLITE_READONLY: _RIGHTS,
    sqlite3.SQLITE_BUSY: _HELD,
}
# what SQLite also says where its disk is full: a file beside the database could not be made, or not be made longer
_NO_ROOM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_POSTGRESQL = {
    "08006": _SILENT,  # connection failure: so floe calls an answer that did not come (`timed`)
    "28": _LOGIN,
    "25006": _RIGHTS,  # a read-only transaction
    "42501": _RIGHTS,
    "53100": _ROOM,
    "57014": _SLOW,  # cancelled by statement_timeout
    "XX001": _RESTORE,
    "XX002": _RESTORE,
}
# a server that refuses a connection gives psycopg no SQLSTATE, only its text
_REFUSED = ("password authentication failed", "no password supplied", "no pg_hba.conf entry", 'role "')


def advice(address: sa.URL, error: Exception) -> str:
    """What helps against an error of the database at an address."""
    if isinstance(error, NoSuchModuleError):
        return _ADDRESS
    if isinstance(error, DAMAGED):
        return _RESTORE
    cause = getattr(error, "orig", None) or error
    if address.get_backend_name() == "sqlite":
        # the lower byte is the kind of error, the rest is its origin
        kind = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if kind in _NO_ROOM and no_room(os.path.dirname(address.database or "")):
            return _ROOM
        return _SQLITE.get(kind, _FILE)
    state = getattr(cause, "sqlstate", None)
    if state is None:
        return _by_text(str(cause))
    return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2], _SERVER)


def _by_text(text: str) -> str:
    if any(words in text for words in _REFUSED):
        return _LOGIN
    return _RIGHTS if "permission denied" in text else _SERVER
