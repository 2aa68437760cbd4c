"""The settings in force, read once at a door."""

import getpass
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from floe.contract.formats.config import manifest
from floe.contract.formats.text import yaml_text
from floe.contract.sources.files import read_bytes, root
from floe.model import ContractError, SettingError
from floe.settings import KEYS, Settings


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
    settings = _traced(manifest.read(folder, tree, environment, given or {}), environment)
    if is_untrusted():
        settings = _held_back(settings)
    cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe"
    actor = environment.get("FLOE_ACTOR") or _user()
    return replace(
        settings,
        cache=cache,
        actor=actor,
        java=environment.get("JAVA_HOME") or None,
        parent=environment.get("OPENLINEAGE_PARENT_ID") or None,
        traceparent=environment.get("TRACEPARENT") or None,
        say=say or (lambda _: None),
    )


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
