"""A POST over HTTP: what its answer means for the message. Redirects are not followed: they could lead anywhere."""

import base64
import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from floe.model import SendError
from floe.version import __version__

SECONDS = 10.0  # that an endpoint may be silent
_LATER = (408, 429)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves an answer that points elsewhere as it is."""

    def redirect_request(self, *_: Any) -> None:
        """Nowhere."""
        return


def post(url: str, body: bytes, headers: Mapping[str, str], *, name: str, seconds: float = SECONDS) -> None:
    """Send a body; SendError if it was not accepted: permanent if the response says so, else for a retry.

    Args:
        url: where to; a user and password in it are sent as such.
        body: what.
        headers: with which.
        name: the endpoint as messages name it, which is not its URL: that may hold a token.
        seconds: how long the endpoint may be silent.
    """
    address, extra = _address(url, name)
    said = {"User-Agent": f"floe/{__version__}", **extra, **headers}
    try:
        request = urllib.request.Request(address, body, said, method="POST")
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=seconds):
            return
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(error, name) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SendError(f"{name} is out of reach: {_cause(error)}", reachable=False) from None


def host(url: str) -> str:
    """An address without what opens it: scheme, host and port.

    >>> host("https://me:pw@hooks.acme.com:8443/T0/secret")
    'https://hooks.acme.com:8443'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _address(url: str, name: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SendError(
            f"{name} needs an address that starts with http:// or https://",
            "Correct it in the settings",
            permanent=True,
        )
    place = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
    if parts.username is None:
        return place, {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return place, {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _refused(error: urllib.error.HTTPError, name: str) -> SendError:
    """The meaning of a response other than 2xx: retry, or permanent."""
    code = error.code
    if 300 <= code < 400:
        target = host(error.headers.get("Location") or "")
        words = f"{name} answers {code} with a redirect to {target}, which is not followed"
        return SendError(words, "Set the final address in the settings", permanent=True)
    words = f"{name} answers {code} {error.reason}".rstrip()
    later = code >= 500 or code in _LATER
    return SendError(
        words,
        "" if later else "Correct the address or credentials in the settings",
        permanent=not later,
        reachable=not later,
    )


def _cause(error: Exception) -> str:
    if isinstance(error, urllib.error.URLError):
        error = error.reason if isinstance(error.reason, Exception) else error
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(getattr(error, "strerror", None) or str(error) or type(error).__name__)
