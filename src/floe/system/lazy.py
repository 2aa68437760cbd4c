"""Modules of a package that are imported when they are first used.

The registry brings SQLAlchemy (0.15 s) and the engine pyspark (0.2 s). Commands that need neither must not pay for them, and
imports inside every function hide what a module depends on. So such a package is imported as a whole at the top, which
costs nothing, and each of its modules when an attribute of it is first used.
"""

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, modules: Collection[str], names: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """The `__getattr__` of a package: its modules, and names by the module that has them."""
    within = names or {}

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name in within:
            return getattr(import_module(f"{package}.{within[name]}"), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return load
