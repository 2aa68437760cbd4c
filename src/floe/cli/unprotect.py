"""`floe unprotect`."""

import argparse

from floe.actions.protect import unprotect
from floe.cli.protect import arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    arguments(parser, unprotect)
