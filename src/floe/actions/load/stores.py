"""How object stores are reached: `storage` in manifest.yaml, the environment, and profiles of ~/.aws.

    storage:
      s3://lake:                          # a bucket
        endpoint: https://minio.acme.com  # default: that of AWS
        region: eu-west-1
        profile: lake                     # of ~/.aws/credentials; or the names of two environment variables:
        access_key_variable: LAKE_KEY
        secret_key_variable: LAKE_SECRET

The manifest has names and never a secret. What it leaves open comes from the variables of AWS (`AWS_ACCESS_KEY_ID`,
`AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_PROFILE`, …), which apply to every S3 URL.
"""

import configparser
import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from floe.lang.secret import masked, reveal
from floe.model import SettingError
from floe.settings import ObjectStore, Settings

_KEYS = {
    "endpoint": str,
    "region": str,
    "profile": str,
    "path_style": bool,
    "allow_http": bool,
    "access_key_variable": str,
    "secret_key_variable": str,
    "session_token_variable": str,
}
_BUCKET = re.compile("s3a?://([^/]+)/?")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_EVERY = "s3://"
_LEAST_SECRET = 16
_PROFILE_KEYS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")


def object_stores(settings: Settings, environment: Mapping[str, str]) -> tuple[ObjectStore, ...]:
    """The stores that the settings name and the one that the environment describes, those of a bucket first."""
    named = [
        _named(prefix, options, settings.origin("storage"), environment) for prefix, options in settings.storage.items()
    ]
    every = _of_environment(environment)
    if every and not any(store.prefix == every.prefix for store in named):
        named.append(every)
    return tuple(sorted(named, key=lambda store: len(store.prefix), reverse=True))


def _named(prefix: str, options: Any, origin: str, environment: Mapping[str, str]) -> ObjectStore:
    bucket = _BUCKET.fullmatch(prefix)
    if not bucket:
        raise SettingError(
            f"{origin}: storage has '{prefix}', which is not the URL of an S3 bucket",
            "Write it as s3://BUCKET. Other stores are reached as their own tools are: Azure by AZURE_ variables, Google by GOOGLE_APPLICATION_CREDENTIALS",
        )
    if not isinstance(options, Mapping):
        raise SettingError(f"{origin}: storage '{prefix}' is not a mapping", f"It may have {', '.join(_KEYS)}")
    for key, value in options.items():
        _check(prefix, key, value, origin)
    profile = (
        _profile(str(options["profile"]), environment, f"{origin}: storage '{prefix}'") if "profile" in options else {}
    )
    keys = _keys_of(prefix, options, environment, origin) or profile or _environment_keys(environment)
    endpoint = str(options.get("endpoint") or profile.get("endpoint_url") or _endpoint(environment))
    allowed = bool(options.get("allow_http"))
    _check_tls(endpoint, allowed, f"{origin}: storage '{prefix}'", "allow_http: true")
    return ObjectStore(
        prefix=f"s3://{bucket[1]}",
        endpoint=endpoint,
        region=str(options.get("region") or profile.get("region") or _region(environment)),
        path_style=bool(options.get("path_style", bool(endpoint))),
        key_id=keys.get("aws_access_key_id", ""),
        secret=keys.get("aws_secret_access_key", ""),
        token=keys.get("aws_session_token", ""),
    )


def _check(prefix: str, key: str, value: Any, origin: str) -> None:
    if key not in _KEYS:
        near = difflib.get_close_matches(key, _KEYS, 1)
        raise SettingError(
            f"{origin}: Unknown key '{key}' of storage '{prefix}'",
            f"Did you mean '{near[0]}'?"
            if near
            else f"It may have {', '.join(_KEYS)}; secrets are not written into files",
        )
    if not isinstance(value, _KEYS[key]):
        raise SettingError(
            f"{origin}: '{key}' of storage '{prefix}' is not of type {_KEYS[key].__name__}", "Correct its value"
        )


def _keys_of(prefix: str, options: Mapping[str, Any], environment: Mapping[str, str], origin: str) -> dict[str, str]:
    """The keys in the environment variables that a store names."""
    named = {
        "aws_access_key_id": options.get("access_key_variable"),
        "aws_secret_access_key": options.get("secret_key_variable"),
        "aws_session_token": options.get("session_token_variable"),
    }
    found = {}
    for key, variable in named.items():
        if variable is None:
            continue
        if not environment.get(variable):
            raise SettingError(
                f"{origin}: storage '{prefix}' names the environment variable {variable}, which is not set",
                f"Set {variable}, or use a profile of ~/.aws/credentials",
            )
        found[key] = environment[variable]
    if len(found.keys() & {"aws_access_key_id", "aws_secret_access_key"}) == 1:
        raise SettingError(
            f"{origin}: storage '{prefix}' names one of access_key_variable and secret_key_variable", "Name both"
        )
    return _secret(found)


def _of_environment(environment: Mapping[str, str]) -> ObjectStore | None:
    """What the variables of AWS say about every bucket; None where there are none."""
    keys, endpoint, region = _environment_keys(environment), _endpoint(environment), _region(environment)
    name = environment.get("AWS_PROFILE")
    if name and not keys:
        profile = _profile(name, environment, "AWS_PROFILE")
        keys = {key: value for key, value in profile.items() if key in _PROFILE_KEYS}
        endpoint, region = endpoint or profile.get("endpoint_url", ""), region or profile.get("region", "")
    if not (keys or endpoint or region):
        return None
    allowed = environment.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true", "yes")
    _check_tls(endpoint, allowed, "environment AWS_ENDPOINT_URL", "AWS_ALLOW_HTTP=true")
    return ObjectStore(
        prefix=_EVERY,
        endpoint=endpoint,
        region=region,
        path_style=bool(endpoint),
        key_id=keys.get("aws_access_key_id", ""),
        secret=keys.get("aws_secret_access_key", ""),
        token=keys.get("aws_session_token", ""),
    )


def _environment_keys(environment: Mapping[str, str]) -> dict[str, str]:
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    if not (environment.get(names[0]) and environment.get(names[1])):
        return {}
    return _secret({name.lower(): environment[name] for name in names if environment.get(name)})


def _endpoint(environment: Mapping[str, str]) -> str:
    return environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or ""


def _region(environment: Mapping[str, str]) -> str:
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or ""


def _profile(name: str, environment: Mapping[str, str], place: str) -> dict[str, str]:
    """A profile of ~/.aws: its static keys, region and endpoint; SettingError where there is no such profile.

    A profile that gets its keys elsewhere (single sign-on, a role) has none here; each client then resolves it itself by
    AWS_PROFILE.
    """
    home = Path(environment.get("HOME") or Path.home()) / ".aws"
    files = (
        (Path(environment.get("AWS_CONFIG_FILE") or home / "config"), "" if name == "default" else "profile "),
        (Path(environment.get("AWS_SHARED_CREDENTIALS_FILE") or home / "credentials"), ""),
    )
    found: dict[str, str] = {}
    known = False
    for path, prefix in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, "utf-8")
        except (OSError, configparser.Error, UnicodeDecodeError) as error:
            raise SettingError(f"{place}: {path} cannot be read: {type(error).__name__}", "Correct the file") from None
        if parser.has_section(prefix + name):
            known = True
            found |= dict(parser.items(prefix + name))
    if not known:
        raise SettingError(
            f"{place}: there is no profile '{name}' in {files[0][0]} or {files[1][0]}", "Add it, or name another"
        )
    return _secret(found)


def _secret(found: dict[str, str]) -> dict[str, str]:
    """The same; its secrets are hidden wherever floe prints or keeps a text. A short one may be a word of other texts."""
    for key in ("aws_secret_access_key", "aws_session_token"):
        if len(found.get(key, "")) >= _LEAST_SECRET:
            reveal(key.upper(), found[key])
    return found


def _check_tls(endpoint: str, allowed: bool, place: str, advice: str) -> None:
    """SettingError for an endpoint that is no HTTP address, or sends data without TLS where nobody allowed it."""
    if not endpoint:
        return
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.path.strip("/"):
        raise SettingError(
            f"{place}: the endpoint '{masked(endpoint)}' is not an address like https://HOST:PORT", "Correct it"
        )
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK and not allowed:
        raise SettingError(
            f"{place}: the endpoint {endpoint} sends data without TLS", f"Use https://, or allow it with {advice}"
        )
