"""The settings in force, read once at a door: defaults, manifest.yaml, the environment, the command."""

import difflib
import getpass
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from floe.contract.sources.files import read_bytes, root
from floe.lang.secret import masked
from floe.model import ContractError, Map, SettingError, locate, yaml_text
from floe.settings import KEYS, RESERVED, ObjectStore, SettingKey, Settings

_BY_NAME = {key.name: key for key in KEYS}
_GROUPS = {name.rsplit(".", count)[0] for name in _BY_NAME for count in range(1, name.count(".") + 1)}
_MONITORING = "data_contracts.monitoring."
_OLDER = {
    f"{_MONITORING}{check}_check_interval": f"{_MONITORING}{check}.check_interval"
    for check in ("freshness", "schema_drift", "quality", "availability")
}


def merged_settings(root: Path, manifest: Any, environment: Mapping[str, str], given: Mapping[str, Any]) -> Settings:
    """Defaults, then the manifest, then FLOE_ variables, then what the command was given."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, value, origin in (*_from_manifest(manifest), *_from_environment(environment), *_from_command(given)):
        values[name] = _checked(_BY_NAME[name], value, origin)
        origins[name] = origin
    return Settings(root, origins=MappingProxyType(origins)).with_values(values)


def _from_manifest(tree: Any) -> list[tuple[str, Any, str]]:
    if tree is None:
        return []
    if not isinstance(tree, Map):
        raise SettingError("manifest.yaml is not a mapping of settings", "Start it with a key such as data_contracts:")
    return list(_settings_in(tree, ""))


def _settings_in(group: Map, prefix: str) -> Iterator[tuple[str, Any, str]]:
    for key, value in group.items():
        name = _OLDER.get(prefix + key, prefix + key)
        place = str(locate(group, key, key=True))
        if name in _BY_NAME:
            yield name, value, place
        elif name not in _GROUPS:
            raise _unknown(name, [*_BY_NAME, *_GROUPS], f"manifest key '{name}'", place)
        elif isinstance(value, Map):
            yield from _settings_in(value, name + ".")
        elif value is not None:
            members = ", ".join(sorted(n for n in _BY_NAME if n.startswith(name + ".")))
            raise SettingError(
                f"{place}: '{name}' is a group of settings, not the value '{masked(value, name)}'",
                f"Set one of {members}",
            )


def variable(name: str) -> str:
    """The environment variable of a setting.

    >>> variable("tables.format")
    'FLOE_TABLES_FORMAT'
    """
    return "FLOE_" + name.upper().replace(".", "_")


def _from_environment(environment: Mapping[str, str]) -> list[tuple[str, Any, str]]:
    by_variable = {variable(name): name for name in _BY_NAME}
    found = []
    for word, text in sorted(environment.items()):
        if not word.startswith("FLOE_") or word in RESERVED:
            continue
        if word not in by_variable:
            raise _unknown(word, [*by_variable, *RESERVED], f"environment variable '{word}'", "environment")
        found.append((by_variable[word], _parsed(_BY_NAME[by_variable[word]], text), f"environment {word}"))
    return found


def _from_command(given: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    unknown = next((name for name in given if name not in _BY_NAME), None)
    if unknown:
        raise _unknown(unknown, list(_BY_NAME), f"setting '{unknown}'", "command")
    return [
        (name, _parsed(_BY_NAME[name], value) if isinstance(value, str) else value, "command")
        for name, value in given.items()
    ]


def _unknown(word: str, known: list[str], what: str, place: str) -> SettingError:
    near = difflib.get_close_matches(word, known, 1, 0.5) or difflib.get_close_matches(
        word.rsplit(".", 1)[-1], known, 1, 0.5
    )
    hint = f"Did you mean '{near[0]}'? " if near else ""
    return SettingError(f"{place}: Unknown {what}", f"{hint}`floe doctor` lists all settings")


def _parsed(key: SettingKey, text: str) -> Any:
    """A value given as text: JSON where the setting is not text itself."""
    if key.kind is str:
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _checked(key: SettingKey, value: Any, origin: str) -> Any:
    right = isinstance(value, key.kind) and not (key.kind is int and isinstance(value, bool))
    if not right:
        raise SettingError(
            f"{origin}: '{key.name}' is {json.dumps(masked(value, key.name), default=str)}, which is not of type {key.kind.__name__}",
            f"Its default is {json.dumps(key.default)}",
        )
    if key.choices and value not in key.choices:
        near = difflib.get_close_matches(value, key.choices, 1)
        raise SettingError(
            f"{origin}: '{key.name}' is '{masked(value, key.name)}', which is not one of {', '.join(key.choices)}",
            f"Did you mean '{near[0]}'?" if near else f"Use {key.default}",
        )
    return value


def load_settings(
    given: Mapping[str, Any] | None = None, start: Path | None = None, say: Callable[[str], None] | None = None
) -> Settings:
    """The settings of the current folder: defaults, manifest.yaml, FLOE_ variables, and given values."""
    environment = os.environ  # noqa: TID251  (a door)
    folder = root((start or Path.cwd()).resolve())
    path = folder / "manifest.yaml"
    try:
        tree = yaml_text.parse(read_bytes(path), str(path)) if path.is_file() else None
    except ContractError as error:
        raise SettingError(f"{error.findings[0].place}: {error.message}", error.suggestion) from None
    settings = _traced(merged_settings(folder, tree, environment, given or {}), environment)
    if is_untrusted():
        settings = _held_back(settings)
    cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe"
    actor = environment.get("FLOE_ACTOR") or _user()
    return replace(
        settings,
        cache=cache,
        stores=partial(_object_stores, settings, dict(environment)),
        actor=actor,
        java=environment.get("JAVA_HOME") or None,
        parent=environment.get("OPENLINEAGE_PARENT_ID") or None,
        traceparent=environment.get("TRACEPARENT") or None,
        say=say or (lambda _: None),
    )


def _object_stores(settings: Settings, environment: Mapping[str, str]) -> tuple[ObjectStore, ...]:
    from floe.actions.load.stores import object_stores

    return object_stores(settings, environment)


def with_spark(settings: Settings, master: str | None, conf: Mapping[str, str], file: Path | None) -> Settings:
    """Settings whose session is started as a command asks: by its options, else by a file of properties."""
    found = {**(_properties(file) if file else {}), **conf}
    master = master or found.get("spark.master")
    found.pop("spark.master", None)
    unfit = next((key for key in found if not key.startswith("spark.")), None)
    if unfit:
        raise SettingError(
            f"'{unfit}' is not a setting of Spark: its name does not begin with 'spark.'",
            "Write --conf spark.NAME=VALUE",
        )
    if found.get("spark.submit.deployMode") == "cluster":
        raise SettingError(
            "spark.submit.deployMode is cluster, but a command of floe is the driver itself",
            "Submit a script that calls floe.enforce or floe.verify with spark-submit --deploy-mode cluster",
        )
    values: dict[str, Any] = {"spark.conf": {**settings.spark.conf, **found}} if found else {}
    values |= {"spark.master": master} if master else {}
    origins = {**settings.origins, **dict.fromkeys(values, "command")}
    return replace(settings.with_values(values), origins=MappingProxyType(origins)) if values else settings


def _properties(file: Path) -> dict[str, str]:
    """A file like spark-defaults.conf: a key and a value on a line, between them blanks, `=` or `:`."""
    found = {}
    for number, line in enumerate(read_bytes(file).decode("utf-8", "replace").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith(("#", "!")):
            continue
        pair = re.fullmatch(r"([^\s=:]+)\s*[\s=:]\s*(.*)", text)
        if not pair:
            raise SettingError(
                f"{file}:{number}:1: '{masked(text)}' has no value", "Write KEY VALUE, as in spark-defaults.conf"
            )
        found[pair[1]] = pair[2]
    return found


def is_untrusted() -> bool:
    """Whether the checkout is a stranger's: `floe ci --untrusted`, or FLOE_UNTRUSTED for any command that can do without tables."""
    return os.environ.get("FLOE_UNTRUSTED", "").lower() in ("1", "true", "yes")  # noqa: TID251  (a door)


@contextmanager
def untrusted() -> Iterator[None]:
    """Ignore the outward settings of a checkout's manifest, also in child processes."""
    before = os.environ.get("FLOE_UNTRUSTED")  # noqa: TID251  (as above)
    os.environ["FLOE_UNTRUSTED"] = "1"  # noqa: TID251  (as above)
    try:
        yield
    finally:
        if before is None:
            del os.environ["FLOE_UNTRUSTED"]  # noqa: TID251  (as above)
        else:
            os.environ["FLOE_UNTRUSTED"] = before  # noqa: TID251  (as above)


def _held_back(settings: Settings) -> Settings:
    """Settings without the outward values of the manifest; environment and command line still apply."""
    trusted = ("default", "environment", "command")
    held_back = [key for key in KEYS if key.outward and not settings.origin(key.name).startswith(trusted)]
    origins = {key.name: f"default ({settings.origin(key.name)} is not trusted)" for key in held_back}
    defaults = settings.with_values({key.name: key.default for key in held_back})
    return replace(defaults, origins={**settings.origins, **origins}, untrusted=True)


def _traced(settings: Settings, environment: Mapping[str, str]) -> Settings:
    """Trace settings from the variables of OpenTelemetry, if the settings have none."""
    name = "traces.exporter"
    if settings.origin(name) != "default" or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return settings
    named = environment.get("OTEL_TRACES_EXPORTER", "").split(",")
    wanted = next((text.strip() for text in named if text.strip() in ("otlp", "console", "none")), "")
    variables = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    source = next((variable for variable in variables if environment.get(variable)), "")
    if not wanted and not source:
        return settings
    origin = f"environment {'OTEL_TRACES_EXPORTER' if wanted else source}"
    return replace(settings.with_values({name: wanted or "otlp"}), origins={**settings.origins, name: origin})


def folder_of(path: Path) -> Path | None:
    """A folder itself, the folder of a file, None where nothing is there."""
    if path.is_dir():
        return path
    return path.parent if path.is_file() else None


def start_of(path: str | Path) -> Path | None:
    """The folder for the settings of a contract: its own repository, or else the current folder."""
    folder = folder_of(Path(path))
    if folder is None or (root(folder.resolve()) / "manifest.yaml").is_file():
        return folder
    return None if folder.resolve().is_relative_to(Path.cwd()) else folder


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
