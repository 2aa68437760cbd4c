"""The settings in force, read once at a door."""

import getpass
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from floe.contract.formats import manifest, yaml_text
from floe.contract.sources.files import read_bytes, root
from floe.model import ContractError, SettingError
from floe.model.settings import Settings


def load_settings(
    given: Mapping[str, Any] | None = None, start: Path | None = None, say: Callable[[str], None] | None = None
) -> Settings:
    """Settings for the folder we stand in: defaults, manifest.yaml, FLOE_ variables, what was given."""
    environment = os.environ  # noqa: TID251  (a door)
    folder = root((start or Path.cwd()).resolve())
    path = folder / "manifest.yaml"
    try:
        tree = yaml_text.parse(read_bytes(path), str(path)) if path.is_file() else None
    except ContractError as error:
        raise SettingError(f"{error.findings[0].place}: {error.message}", error.suggestion) from None
    settings = manifest.read(folder, tree, environment, given or {})
    cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floe"
    actor = environment.get("FLOE_ACTOR") or _user()
    return replace(
        settings, cache=cache, actor=actor, java=environment.get("JAVA_HOME") or None, say=say or (lambda _: None)
    )


def start_of(path: str | Path) -> Path | None:
    """Where the settings of a contract's file or folder are looked for: in its own repository, else where we stand."""
    named = Path(path)
    folder = named if named.is_dir() else named.parent if named.is_file() else None
    if folder is None or (root(folder.resolve()) / "manifest.yaml").is_file():
        return folder
    return None if folder.resolve().is_relative_to(Path.cwd()) else folder


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
