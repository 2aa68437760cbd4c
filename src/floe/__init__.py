"""Data contracts that hold, on Apache Spark."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from floe.version import __version__

if TYPE_CHECKING:
    from floe.actions.bootstrap import bootstrap
    from floe.actions.compile import compile
    from floe.actions.convert import convert
    from floe.actions.diff import diff
    from floe.actions.enforce import enforce
    from floe.actions.figures import figures
    from floe.actions.lint import lint
    from floe.actions.load import load
    from floe.actions.publish import publish
    from floe.actions.read import read
    from floe.actions.split import split
    from floe.actions.stream import stream
    from floe.actions.tag_run import tag_run
    from floe.actions.verify import verify
    from floe.model.errors import (
        ContractError,
        EngineError,
        FloeError,
        RegistryError,
        SettingError,
        TableError,
        ViolationError,
    )

__all__ = [
    "ContractError",
    "EngineError",
    "FloeError",
    "RegistryError",
    "SettingError",
    "TableError",
    "ViolationError",
    "__version__",
    "bootstrap",
    "compile",
    "convert",
    "diff",
    "enforce",
    "figures",
    "lint",
    "load",
    "publish",
    "read",
    "split",
    "stream",
    "tag_run",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import floe` stays fast."""
    if name not in __all__:
        raise AttributeError(f"module 'floe' has no attribute '{name}'")
    module = f"floe.actions.{name}" if name.islower() else "floe.model.errors"
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value
