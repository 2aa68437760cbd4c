"""The settings' catalogs, opened; what pyiceberg raises, in floe's words."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from floe.lang.secret import without_secrets
from floe.model import SendError
from floe.settings import Settings
from floe.system.private_files import private_file

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

TYPES = ("sql", "rest", "hive", "glue", "dynamodb", "bigquery", "in-memory")


class CannotHoldError(Exception):
    """A catalog that can never store contracts: reported once, then skipped."""


def options_of(name: str, settings: Settings) -> dict[str, str]:
    """The settings of a catalog in the form of pyiceberg."""
    if name not in settings.catalogs:
        known = ", ".join(settings.catalogs) or "none"
        raise _wrong(f"No catalog is called '{name}' (known: {known})")
    given = settings.catalogs[name]
    if not isinstance(given, dict):
        raise _wrong(f"The catalog '{name}' is not a mapping of options")
    options = {key: str(value) for key, value in given.items()}
    kind = options.get("type", "").lower()
    if kind == "hadoop":
        raise CannotHoldError(f"The catalog '{name}' is of type hadoop, which has no namespace properties")
    if kind not in TYPES and "py-catalog-impl" not in options:
        raise _wrong(f"The catalog '{name}' is of type '{kind}', which is not one of {', '.join(TYPES)}, hadoop")
    return _addressed(options, settings.root)


def _addressed(options: dict[str, str], root: Path) -> dict[str, str]:
    uri = options.get("uri", "")
    if uri.startswith("sqlite:///"):
        return {**options, "uri": f"sqlite:///{root / uri.removeprefix('sqlite:///')}"}
    return {**options, "uri": uri.replace("postgresql://", "postgresql+psycopg://", 1)} if uri else options


def _wrong(message: str) -> SendError:
    return SendError(message, "Check catalogs in the settings (`floe doctor`)", "E540", permanent=True)


def open_catalog(name: str, settings: Settings) -> "Catalog":
    """A catalog of the settings; an SQLite file is made where it is missing."""
    if settings.untrusted:
        raise SendError("An untrusted checkout cannot open catalogs", "Read the checkout, then unset FLOE_UNTRUSTED")
    options = options_of(name, settings)
    from pyiceberg.catalog import load_catalog  # noqa: PLC0415  (0.3 s that only who sends or lists needs)

    if options.get("uri", "").startswith("sqlite:///"):
        private_file(Path(options["uri"].removeprefix("sqlite:///")))
    return load_catalog(name, **options)


@contextmanager
def spoken(name: str, settings: Settings) -> Iterator[None]:
    """Errors of a catalog as SendError, with whether a retry can help."""
    try:
        yield
    except (SendError, CannotHoldError):
        raise
    except Exception as error:  # noqa: BLE001  (each catalog has errors of its own)
        raise _told(name, error, settings) from None


def _told(name: str, error: Exception, settings: Settings) -> Exception:
    lines = str(error).strip().splitlines() or [""]
    text = without_secrets(f"{type(error).__name__}: {lines[0][:300]}", settings.catalogs.get(name, {}))
    if _never_holds(error):
        return CannotHoldError(f"The catalog '{name}' cannot store contracts: {text}")
    if isinstance(error, ModuleNotFoundError):
        extra = "postgres" if error.name == "psycopg" else "spark"
        return SendError(f"The catalog '{name}' needs {error.name}", f"pip install 'floe-contracts[{extra}]'", "E540")
    permanent = _refused(error)
    what = "refuses" if permanent else "is out of reach"
    return SendError(
        f"The catalog '{name}' {what}: {text}",
        "Check catalogs in the settings (`floe doctor`)",
        "E540",
        permanent=permanent,
        reachable=permanent,
    )


def _never_holds(error: Exception) -> bool:
    """Whether a catalog cannot store what it gets.

    For names within names pyiceberg raises the same class as for a namespace that is missing; only its text differs.
    """
    text = str(error).lower()
    return isinstance(error, NotImplementedError) or "hierarchical" in text or "nested name" in text


def _refused(error: Exception) -> bool:
    """Whether the same request would be refused again, because of its sender or its content."""
    from pydantic import ValidationError  # noqa: PLC0415
    from pyiceberg.exceptions import BadRequestError, ForbiddenError, OAuthError, UnauthorizedError  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError, DataError, ProgrammingError  # noqa: PLC0415

    if isinstance(error, (ValidationError, json.JSONDecodeError)):
        return False  # something else answers at the address, perhaps a proxy for a while
    kinds: tuple[type[Exception], ...] = (BadRequestError, ForbiddenError, OAuthError, UnauthorizedError)
    return isinstance(error, (*kinds, ArgumentError, DataError, ProgrammingError, ValueError))
