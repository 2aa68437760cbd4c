"""The command `floe`: arguments in, one action, report out, exit code."""

from floe.cli.main import main

__all__ = ["main"]
